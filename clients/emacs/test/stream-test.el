;;; stream-test.el --- Tests of streams that come back -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'ert)
(require 'toolgate-fake)
(require 'toolgate-connect)
(require 'toolgate-stream)

(defun stream-test-event (seq)
  "Return an event SEQ."
  `((seq . ,seq) (type . "agent.state")))

(defun stream-test-asked (fake)
  "Return the ids after which FAKE was asked to go on, in order."
  (mapcar (lambda (request)
            (cdr (assoc "last-event-id" (alist-get 'headers request))))
          (reverse (toolgate-fake-requests fake))))

(ert-deftest toolgate-stream-misses-nothing-over-connections ()
  "Each connection is cut after three events, one of them in the middle."
  (let* ((next 0) (seen nil) (states nil)
         (toolgate-stream--retry 0.01)
         (fake (toolgate-fake-start
                (lambda (_ client request)
                  (let ((after (cdr (assoc "last-event-id"
                                           (alist-get 'headers request)))))
                    (setq next (if after (string-to-number after) 0))
                    (toolgate-fake-stream
                     client (stream-test-event (+ next 1))
                     (stream-test-event (+ next 2))
                     (stream-test-event (+ next 3)))
                    (toolgate-fake-send client "id: 99\ndata: {\"seq\":")
                    (delete-process client)))))
         (stream (toolgate-stream-open
                  (make-toolgate-endpoint :url (toolgate-fake-url fake))
                  :on-events (lambda (events)
                               (dolist (event events)
                                 (push (toolgate-get (cdr event) 'seq) seen)))
                  :on-status (lambda (status _) (push status states)))))
    (unwind-protect
        (progn
          (toolgate-test-until (>= (length seen) 9))
          (should (equal (seq-take (reverse seen) 9) '(1 2 3 4 5 6 7 8 9)))
          (should (equal (seq-take (stream-test-asked fake) 3) '(nil "3" "6")))
          (should (equal (seq-take (reverse states) 4)
                         '(connecting live lost connecting))))
      (toolgate-stream-close stream)
      (toolgate-fake-stop fake))))

(ert-deftest toolgate-stream-gives-a-silent-connection-up ()
  (let* ((toolgate-stream-silence 0.2) (toolgate-stream--retry 0.01)
         (reasons nil)
         (fake (toolgate-fake-start
                (lambda (_ client _)
                  (toolgate-fake-stream client (stream-test-event 1)))))
         (stream (toolgate-stream-open
                  (make-toolgate-endpoint :url (toolgate-fake-url fake))
                  :on-events #'ignore
                  :on-status (lambda (_ reason)
                               (when reason (push reason reasons))))))
    (unwind-protect
        (progn (toolgate-test-until (> (length (toolgate-fake-requests fake)) 1))
               (should (equal (seq-uniq reasons)
                              '("the server does not respond"))))
      (toolgate-stream-close stream)
      (toolgate-fake-stop fake))))

(ert-deftest toolgate-stream-looks-for-a-server-that-moved ()
  (let* ((toolgate-stream--retry 0.01) (seen nil)
         (answer (lambda (_ client _)
                   (toolgate-fake-stream client (stream-test-event 1))))
         (first (toolgate-fake-start answer))
         (second (toolgate-fake-start answer))
         (endpoint (make-toolgate-endpoint :url (toolgate-fake-url first)))
         (stream (toolgate-stream-open
                  endpoint
                  :on-events (lambda (events) (push (length events) seen))
                  :rediscover
                  (lambda (endpoint connect)
                    (setf (toolgate-endpoint-url endpoint)
                          (toolgate-fake-url second))
                    (funcall connect nil)))))
    (unwind-protect
        (progn (toolgate-test-until seen)
               (toolgate-fake-stop first)
               (toolgate-test-until (toolgate-fake-requests second))
               (should (equal (stream-test-asked second) '("1"))))
      (toolgate-stream-close stream)
      (toolgate-fake-stop second))))

(ert-deftest toolgate-stream-sends-nothing-to-a-successor ()
  "A program that took the port of a server gets no token and no request."
  (let* ((toolgate-stream--retry 0.01) (seen nil) (looked 0)
         (server (toolgate-fake-start
                  (lambda (_ client _)
                    (toolgate-fake-stream client (stream-test-event 1)))))
         (successor nil)
         (connection (toolgate-connection--make
                      :url (toolgate-fake-url server)))
         (stream (progn
                   (toolgate-endpoint-set-token connection "secret")
                   (toolgate-stream-open
                    connection
                    :on-events (lambda (events) (push (length events) seen))
                    :on-status (lambda (status reason)
				 (toolgate-connect--status connection status
                                                           reason))
                    :rediscover (lambda (_ go-on)
                                  (cl-incf looked)
                                  (funcall go-on "no server was found"))))))
    (setf (toolgate-endpoint-renew connection)
          (lambda () (toolgate-connect--renew connection)))
    (unwind-protect
        (cl-letf (((symbol-function 'toolgate-discover-records)
                   (lambda () `(((url . ,(toolgate-endpoint-url connection))
                                 (token . "secret"))))))
          (toolgate-test-until seen)
          (let ((port (toolgate-fake-port server)))
            (toolgate-fake-stop server)
            (setq successor (toolgate-fake-start
                             (lambda (_ client _)
                               (toolgate-fake-json client '((code . "UNAUTHORIZED"))
                                                   401))
                             nil port)))
          (toolgate-test-until (> looked 2))
          (should-not (toolgate-fake-requests successor))
          ;; What a person does meanwhile carries no token either.
          (let (problem)
            (toolgate-http-request connection "GET" "/state"
                                   :on-error (lambda (what) (setq problem what)))
            (toolgate-test-until problem))
          (should (= 1 (length (toolgate-fake-requests successor))))
          (should-not (assoc "authorization"
                             (alist-get 'headers
                                        (car (toolgate-fake-requests
                                              successor))))))
      (toolgate-stream-close stream)
      (toolgate-fake-stop server)
      (when successor (toolgate-fake-stop successor)))))

(ert-deftest toolgate-stream-that-is-refused-is-closed ()
  (let* ((said nil)
         (fake (toolgate-fake-start
                (lambda (_ client _)
                  (toolgate-fake-json client '((code . "FORBIDDEN")
                                               (detail . "Not you."))
                                      403))))
         (stream (toolgate-stream-open
                  (make-toolgate-endpoint :url (toolgate-fake-url fake))
                  :on-events #'ignore
                  :on-status (lambda (status reason)
                               (push (list status reason) said)))))
    (unwind-protect
        (progn (toolgate-test-until (assq 'closed said))
               (should (equal (car said) '(closed "Not you.")))
               (should-not (toolgate-stream-timer stream)))
      (toolgate-fake-stop fake))))

(provide 'stream-test)
;;; stream-test.el ends here
