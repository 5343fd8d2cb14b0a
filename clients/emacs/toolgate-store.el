;;; toolgate-store.el --- What is known of each Toolgate server  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What is known of each connection: calls, which of them wait for a decision,
;; jobs, the latest events.  All of these are JSON objects, read by
;; `toolgate-get':
;;
;;   (toolgate-get call \='approval \='preview \='diff)
;;
;; Who shows something hangs on the hooks of `toolgate-connection.el' and reads
;; by the functions here whose names begin with `toolgate-store-'.  What changes
;; it are events, see `toolgate-take.el'.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'toolgate-connection)
(require 'toolgate-http)
(require 'toolgate-json)

(defconst toolgate-store--most-ended 200
  "How many calls that have ended are remembered.")
(defconst toolgate-store--most-events 2000
  "How many events are remembered.")
(defconst toolgate-store--most-event-bytes (* 4 1024 1024)
  "How many bytes of events are remembered, as they came.")

;;;; Reading

(defun toolgate-store-connection (call)
  "Return the connection that knows CALL, an object or an id."
  (let ((id (toolgate-store--id call)))
    (seq-find (lambda (connection)
                (gethash id (toolgate-connection-calls connection)))
              toolgate-connections)))

(defun toolgate-store-pending (&optional connection)
  "Return the calls that wait for a decision, oldest first.
Those of CONNECTION, or of all."
  (mapcan (lambda (each)
            (mapcar (lambda (id)
                      (gethash id (toolgate-connection-calls each)))
                    (toolgate-connection-pending each)))
          (if connection (list connection) (reverse toolgate-connections))))

(defun toolgate-store-pending-count ()
  "Return how many calls wait for a decision, of all connections."
  (apply #'+ (mapcar (lambda (connection)
                       (length (toolgate-connection-pending connection)))
                     toolgate-connections)))

(defun toolgate-store-pending-p (call)
  "Return whether CALL, an object or an id, waits for a decision."
  (let* ((id (toolgate-store--id call))
         (connection (toolgate-store-connection id)))
    (and connection
         (member id (toolgate-connection-pending connection)) t)))

(defun toolgate-store-call (id &optional connection)
  "Return the call with ID as it is known, of CONNECTION or of any."
  (let ((connection (or connection (toolgate-store-connection id))))
    (and connection (gethash id (toolgate-connection-calls connection)))))

(defun toolgate-store-calls (connection)
  "Return the calls of CONNECTION that are known, oldest first.
Those that wait and run are all there; of those that have ended, the latest,
without their results: `GET /calls/:id' has these."
  (sort (hash-table-values (toolgate-connection-calls connection))
        (lambda (a b) (string< (toolgate-get a 'tool_call_id)
                               (toolgate-get b 'tool_call_id)))))

(defun toolgate-store-jobs (connection)
  "Return the jobs of CONNECTION that are known, oldest first."
  (sort (hash-table-values (toolgate-connection-jobs connection))
        (lambda (a b) (string< (toolgate-get a 'task_id)
                               (toolgate-get b 'task_id)))))

(defun toolgate-store-events (connection)
  "Return the latest events of CONNECTION, oldest first."
  (nreverse (mapcar #'cdr (toolgate-connection-events connection))))

(defun toolgate-store--id (call)
  "Return the id of CALL, which is an object or an id."
  (if (stringp call) call (toolgate-get call 'tool_call_id)))

(defun toolgate-store-ended-p (call)
  "Return whether CALL has ended."
  (not (member (toolgate-get call 'status)
               '("awaiting_approval" "queued" "running"))))

;;;; Changing what is known of calls

(defun toolgate-store-put (connection call)
  "Remember CALL of CONNECTION in the place of what was known of it."
  (puthash (toolgate-get call 'tool_call_id) call
           (toolgate-connection-calls connection)))

(defun toolgate-store-pend (connection call)
  "CALL of CONNECTION waits for a decision, or waits with a fresh preview."
  (let* ((id (toolgate-get call 'tool_call_id))
         (known (toolgate-store-call id connection)))
    (toolgate-store-put connection call)
    (unless (and (member id (toolgate-connection-pending connection))
                 (equal (toolgate-get known 'approval)
                        (toolgate-get call 'approval)))
      (cl-pushnew id (toolgate-connection-pending connection) :test #'equal)
      (setf (toolgate-connection-pending connection)
            (sort (toolgate-connection-pending connection) #'string<))
      (toolgate-connection-run 'toolgate-approval-pending-hook connection call))))

(defun toolgate-store-note (connection id field value)
  "Remember of the call ID of CONNECTION that FIELD, a symbol, is VALUE.
It is forgotten once the server tells anew what the call would do."
  (when-let ((call (toolgate-store-call id connection)))
    (toolgate-store-put connection (cons (cons field value)
                                         (assq-delete-all field
                                                          (copy-sequence call))))))

(defun toolgate-store-renew (connection call)
  "Take CALL of CONNECTION, which waits, with what it would do now."
  (when (toolgate-store-pending-p call)
    (toolgate-store-pend connection call)
    (toolgate-connection-run 'toolgate-state-changed-hook connection)))

(defun toolgate-store-resolve (connection id decision)
  "The call ID of CONNECTION waits no more, because of DECISION, an object."
  (when (member id (toolgate-connection-pending connection))
    (setf (toolgate-connection-pending connection)
          (remove id (toolgate-connection-pending connection)))
    (toolgate-connection-run 'toolgate-approval-resolved-hook connection
                             (toolgate-store-call id connection) decision)))

(defun toolgate-store-end (connection event)
  "Remember that a call of CONNECTION has ended by EVENT."
  (let ((id (toolgate-get event 'tool_call_id)))
    (toolgate-store-put connection
                        (toolgate-store--ended-call
                         (or (toolgate-store-call id connection) event) event))
    (push id (toolgate-connection-ended connection))
    (toolgate-store--forget connection)))

(defun toolgate-store--ended-call (call event)
  "Return CALL as it has ended by EVENT, without what is large."
  `(,@(seq-filter (lambda (field)
                    (memq (car field)
                          '(status error reason user_message
                                   execution_time_ms truncated href)))
                  event)
    (finished_at . ,(toolgate-get event 'time))
    (title . ,(or (toolgate-get event 'result 'title) :null))
    ,@(seq-filter (lambda (field)
                    (memq (car field)
                          '(tool_call_id tool params session_id workspace agent
                                         client context created_at)))
                  call)))

(defun toolgate-store--forget (connection)
  "Forget the oldest calls of CONNECTION that have ended, if there are many."
  (let ((ended (toolgate-connection-ended connection)))
    (when (> (length ended) (* 2 toolgate-store--most-ended))
      (dolist (id (nthcdr toolgate-store--most-ended ended))
        (remhash id (toolgate-connection-calls connection)))
      (setf (toolgate-connection-ended connection)
            (seq-take ended toolgate-store--most-ended)))))

(defun toolgate-store-drop-unlisted (connection listed)
  "Forget calls of CONNECTION that have not ended and are not LISTED.
How they ended is told by what the stream replays, if it does."
  (let ((calls (toolgate-connection-calls connection))
        (ids (mapcar (lambda (call) (toolgate-get call 'tool_call_id)) listed)))
    (dolist (call (hash-table-values calls))
      (unless (or (toolgate-store-ended-p call)
                  (member (toolgate-get call 'tool_call_id) ids))
        (remhash (toolgate-get call 'tool_call_id) calls)))))

;;;; Jobs

(defun toolgate-store-job (connection event status)
  "Take EVENT of CONNECTION, which tells that a job has STATUS.
Without STATUS the event has its own."
  (let* ((id (toolgate-get event 'task_id))
         (jobs (toolgate-connection-jobs connection))
         (known (gethash id jobs)))
    (puthash id (append (if status `((status . ,status)
                                     (started_at . ,(toolgate-get event 'time)))
                          `((ended_at . ,(toolgate-get event 'time))))
                        event known)
             jobs)
    (toolgate-store--bound-jobs connection)))

(defun toolgate-store--bound-jobs (connection)
  "Forget the oldest jobs of CONNECTION that have ended, if there are many."
  (let* ((ended (seq-remove (lambda (job)
                              (equal (toolgate-get job 'status) "running"))
                            (toolgate-store-jobs connection)))
         (many (- (length ended) toolgate-store--most-ended)))
    (dolist (job (seq-take ended (max 0 many)))
      (remhash (toolgate-get job 'task_id)
               (toolgate-connection-jobs connection)))))

(defun toolgate-store-set-jobs (connection running)
  "Make the jobs RUNNING those of CONNECTION that run."
  (let ((jobs (toolgate-connection-jobs connection)))
    (dolist (job (hash-table-values jobs))
      (when (equal (toolgate-get job 'status) "running")
        (remhash (toolgate-get job 'task_id) jobs)))
    (dolist (job running) (puthash (toolgate-get job 'task_id) job jobs))))

;;;; Events

(defun toolgate-store-remember (connection size event)
  "Put EVENT of SIZE bytes among the latest of CONNECTION.
Once there are too many, a quarter of them goes."
  (push (cons size event) (toolgate-connection-events connection))
  (cl-incf (toolgate-connection-events-size connection) size)
  (cl-incf (toolgate-connection-events-count connection))
  (when (or (> (toolgate-connection-events-count connection)
               toolgate-store--most-events)
            (> (toolgate-connection-events-size connection)
               toolgate-store--most-event-bytes))
    (let* ((count (toolgate-connection-events-count connection))
           (kept (seq-take (toolgate-connection-events connection)
                           (max 1 (/ (* count 3) 4)))))
      (setf (toolgate-connection-events connection) kept
            (toolgate-connection-events-count connection) (length kept)
            (toolgate-connection-events-size connection)
            (apply #'+ (mapcar #'car kept))))))

(provide 'toolgate-store)
;;; toolgate-store.el ends here
