;;; store-test.el --- Tests of what is known of a server -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'ert)
(require 'toolgate-actions)
(require 'toolgate-connect)
(require 'toolgate-fake)

(defvar store-test-told nil "What the hooks were told, newest first.")

(defun store-test-pending (_ call)
  "Note that CALL waits."
  (push (list 'pending (toolgate-get call 'tool_call_id)
              (toolgate-get call 'approval 'digest))
        store-test-told))

(defun store-test-resolved (_ call decision)
  "Note that CALL waits no more because of DECISION."
  (push (list 'resolved (toolgate-get call 'tool_call_id)
              (toolgate-get decision 'decision))
        store-test-told))

(defmacro store-test-with (connection &rest body)
  "Run BODY with CONNECTION bound to a fresh one, and `store-test-told' empty."
  (declare (indent 1))
  `(let* ((,connection (toolgate-connection--make
                        :url "http://127.0.0.1:1" :client-id "emacs-1"
                        :status 'live :roots '("/p/")))
          (toolgate-connections (list ,connection))
          (toolgate-resync-functions nil)
          (toolgate-event-functions nil)
          (toolgate-state-changed-hook nil)
          (toolgate-approval-pending-hook '(store-test-pending))
          (toolgate-approval-resolved-hook '(store-test-resolved))
          (store-test-told nil))
     ,@body))

(defun store-test-take (connection &rest events)
  "Have CONNECTION take EVENTS; return what the hooks are told, in order."
  (setq store-test-told nil)
  (toolgate-take-events connection
                       (mapcar (lambda (event) (cons 100 event)) events))
  (reverse store-test-told))

(defun store-test-waits (seq id digest)
  "Return an event SEQ that the call ID waits with DIGEST."
  `((seq . ,seq) (type . "tool.call") (tool_call_id . ,id) (tool . "edit_file")
    (params . ((path . "a"))) (requires_approval . t)
    (approval . ((digest . ,digest)))))

(defun store-test-decided (seq id decision)
  "Return an event SEQ that the call ID got DECISION."
  `((seq . ,seq) (type . "tool.decision") (tool_call_id . ,id)
    (decision . ,decision)))

(defun store-test-snapshot (head &rest more)
  "Return a snapshot at HEAD with MORE fields."
  (append more
          `((type . "stream.snapshot") (seq . ,head) (head . ,head)
            (instance . "i1") (pending . []) (running . []) (jobs . [])
            (delegations . []))))

(defun store-test-ids (connection)
  "Return the ids of what waits at CONNECTION."
  (mapcar (lambda (call) (toolgate-get call 'tool_call_id))
          (toolgate-store-pending connection)))

(ert-deftest toolgate-store-opens-renews-and-closes ()
  (store-test-with connection
    (should (equal (store-test-take connection
                                    (store-test-snapshot 0)
                                    (store-test-waits 1 "tc_2" "d1")
                                    (store-test-waits 2 "tc_1" "d1"))
                   '((pending "tc_2" "d1") (pending "tc_1" "d1"))))
    (should (equal (store-test-ids connection) '("tc_1" "tc_2")))
    (should (equal (store-test-take connection
                                    (store-test-waits 3 "tc_2" "d2"))
                   '((pending "tc_2" "d2"))))
    (should (equal (store-test-take connection
                                    (store-test-decided 4 "tc_2" "approved"))
                   '((resolved "tc_2" "approved"))))
    (should (equal (toolgate-get (toolgate-store-call "tc_2") 'status) "queued"))
    (should (equal (store-test-take
                    connection
                    '((seq . 5) (type . "tool.result") (tool_call_id . "tc_2")
                      (status . "success") (result . ((title . "Done"))))
                    '((seq . 6) (type . "tool.result") (tool_call_id . "tc_1")
                      (status . "cancelled")))
                   '((resolved "tc_1" "cancelled"))))
    (should (equal (mapcar (lambda (call)
                             (list (toolgate-get call 'status)
                                   (toolgate-get call 'tool)
                                   (toolgate-get call 'title)))
                           (toolgate-store-calls connection))
                   '(("cancelled" "edit_file" nil)
                     ("success" "edit_file" "Done"))))))

(ert-deftest toolgate-store-takes-nothing-twice ()
  (store-test-with connection
    (let* ((events (list (store-test-waits 1 "tc_1" "d")
                         (store-test-decided 2 "tc_1" "rejected")
                         (store-test-waits 3 "tc_2" "d")))
           (heard 0)
           (toolgate-event-functions (list (lambda (&rest _) (cl-incf heard)))))
      (apply #'store-test-take connection events)
      (should-not (apply #'store-test-take connection events))
      (should (equal heard 3))
      (should (equal (store-test-ids connection) '("tc_2")))
      (should (equal (toolgate-store-events connection) events)))))

(ert-deftest toolgate-store-comes-back ()
  "A snapshot says what waits; what is replayed after it opens nothing."
  (store-test-with connection
    (store-test-take connection (store-test-snapshot 0)
                     (store-test-waits 1 "tc_1" "d")
                     (store-test-waits 2 "tc_2" "d"))
    (should (equal (store-test-take
                    connection
                    (store-test-snapshot
                     9 '(pending . [((tool_call_id . "tc_2")
                                     (status . "awaiting_approval")
                                     (approval . ((digest . "d"))))
                                    ((tool_call_id . "tc_4")
                                     (status . "awaiting_approval")
                                     (approval . ((digest . "d"))))]))
                    (store-test-waits 3 "tc_3" "d")
                    (store-test-decided 4 "tc_1" "approved")
                    (store-test-decided 5 "tc_3" "rejected")
                    (store-test-waits 9 "tc_4" "d"))
                   '((resolved "tc_1" "unknown") (pending "tc_4" "d"))))
    (should (equal (store-test-ids connection) '("tc_2" "tc_4")))))

(ert-deftest toolgate-store-hook-that-fails-stops-nothing ()
  (store-test-with connection
    (let ((toolgate-approval-pending-hook
           (list (lambda (&rest _) (error "Broken")) #'store-test-pending)))
      (should (equal (store-test-take connection
                                      (store-test-waits 1 "tc_1" "d"))
                     '((pending "tc_1" "d")))))))

(ert-deftest toolgate-store-is-bounded ()
  (store-test-with connection
    (dotimes (index 5000)
      (store-test-take
       connection
       `((seq . ,(1+ (* 2 index))) (type . "tool.call") (tool . "grep")
         (tool_call_id . ,(format "tc_%05d" index)) (requires_approval . :false))
       `((seq . ,(* 2 (1+ index))) (type . "tool.result") (status . "success")
         (tool_call_id . ,(format "tc_%05d" index)))))
    (should (<= (length (toolgate-store-calls connection))
                (* 2 toolgate-store--most-ended)))
    (should (<= (length (toolgate-store-events connection))
                toolgate-store--most-events))
    (should (equal (toolgate-get (car (last (toolgate-store-calls connection)))
                                 'tool_call_id)
                   "tc_04999"))
    (let ((toolgate-store--most-event-bytes 1000))
      (store-test-take connection '((seq . 20000) (type . "agent.state")))
      (dotimes (index 20)
        (store-test-take connection
                         `((seq . ,(+ 20001 index)) (type . "agent.state"))))
      (should (<= (toolgate-connection-events-size connection) 1100)))))

(ert-deftest toolgate-store-jobs ()
  (store-test-with connection
    (store-test-take
     connection
     '((seq . 1) (type . "job.started") (task_id . "tc_1") (command . "npm start"))
     '((seq . 2) (type . "job.started") (task_id . "tc_2") (command . "cat"))
     '((seq . 3) (type . "job.exited") (task_id . "tc_1") (status . "exited")
       (exit_code . 0)))
    (should (equal (mapcar (lambda (job)
                             (list (toolgate-get job 'task_id)
                                   (toolgate-get job 'status)
                                   (toolgate-get job 'command)
                                   (toolgate-get job 'exit_code)))
                           (toolgate-store-jobs connection))
                   '(("tc_1" "exited" "npm start" 0)
                     ("tc_2" "running" "cat" nil))))))

(ert-deftest toolgate-store-reads-a-cut-snapshot-and-a-cut-call ()
  (let ((fake (toolgate-fake-start
               (lambda (_ client request)
                 (toolgate-fake-json
                  client
                  (if (equal (alist-get 'target request) "/state")
                      '((head . 7) (pending . [((tool_call_id . "tc_1")
                                                (approval . ((digest . "d"))))])
                        (running . []) (jobs . []))
                    '((tool_call_id . "tc_9") (status . "awaiting_approval")
                      (approval . ((digest . "large"))))))))))
    (unwind-protect
        (store-test-with connection
          (setf (toolgate-endpoint-url connection) (toolgate-fake-url fake))
          (should-not (store-test-take
                       connection
                       (store-test-snapshot 5 '(truncated . t))
                       (store-test-waits 6 "tc_0" "old")
                       (store-test-waits 8 "tc_2" "new")))
          (toolgate-test-until (= 2 (length store-test-told)))
          (should (equal (store-test-ids connection) '("tc_1" "tc_2")))
          (store-test-take connection
                           '((seq . 9) (type . "tool.call")
                             (tool_call_id . "tc_9") (truncated . t)))
          (toolgate-test-until store-test-told)
          (should (equal store-test-told '((pending "tc_9" "large")))))
      (toolgate-fake-stop fake))))

(ert-deftest toolgate-actions-say-what-was-seen ()
  (let* (bodies
         (fake (toolgate-fake-start
                (lambda (_ client request)
                  (push (cons (alist-get 'target request)
                              (toolgate-json-decode (alist-get 'body request)))
                        bodies)
                  (if (string-suffix-p "approve" (alist-get 'target request))
                      (toolgate-fake-json
                       client '((code . "PREVIEW_CHANGED") (detail . "Changed.")
                                (details . ((approval . ((digest . "d2"))))))
                       409)
                    (toolgate-fake-json client '((status . "rejected"))))))))
    (unwind-protect
        (store-test-with connection
          (setf (toolgate-endpoint-url connection) (toolgate-fake-url fake))
          (store-test-take connection (store-test-waits 1 "tc_1" "d1"))
          (setq store-test-told nil)
          (let (answer)
            (toolgate-approve "tc_1" :digest "d1" :params '((path . "b"))
                              :always "x" :confirm t :reason "ok"
                              :callback (lambda (result problem)
                                          (setq answer
                                                (list result
                                                      (plist-get problem :code)))))
            (toolgate-test-until answer)
            (should (equal answer '(nil "PREVIEW_CHANGED")))
            (should (equal store-test-told '((pending "tc_1" "d2"))))
            (setq answer nil)
            (toolgate-reject "tc_1" :reason "no" :message "do x"
                             :callback (lambda (result _) (setq answer result)))
            (toolgate-test-until answer)
            (should (equal (reverse bodies)
                           '(("/calls/tc_1/approve"
                              (digest . "d1") (modified_params (path . "b"))
                              (always . "x") (confirm . t) (reason . "ok"))
                             ("/calls/tc_1/reject"
                              (reason . "no") (user_message . "do x")))))))
      (toolgate-fake-stop fake))))

(ert-deftest toolgate-connection-of-a-folder ()
  (let* ((outer (toolgate-connection--make :roots '("/tmp/")))
         (inner (toolgate-connection--make :roots '("/srv/" "/tmp/inner/")))
         (toolgate-connections (list outer inner)))
    (should (eq outer (toolgate-connection-for "/tmp/")))
    (should (eq inner (toolgate-connection-for "/tmp/inner/deep/")))
    (should (eq outer (toolgate-connection-for "/tmp/innermost")))
    (should-not (toolgate-connection-for "/usr/"))
    (let ((default-directory "/usr/"))
      (should-error (toolgate-current-connection) :type 'user-error)
      (setq toolgate-connections (list outer))
      (should (eq outer (toolgate-current-connection))))))

(ert-deftest toolgate-connect-takes-up-what-was-lost ()
  "A server that was started again has one connection, as before."
  (let ((record '((url . "http://127.0.0.1:2") (pid . 7) (token . "t")
                  (roots . ["/p"]))))
    (store-test-with connection
      ;; A second server of the folder is another one.
      (should-not (toolgate-connect-known record))
      (setf (toolgate-connection-status connection) 'lost)
      (should-not (toolgate-connect-known `((roots . ["/q"]) ,@record)))
      (should (eq connection (toolgate-connect-known record)))
      (should (equal (list (toolgate-endpoint-url connection)
                           (toolgate-connection-pid connection))
                     '("http://127.0.0.1:2" 7)))
      (setf (toolgate-connection-status connection) 'live)
      (should (eq connection (toolgate-connect-known record))))))

(provide 'store-test)
;;; store-test.el ends here
