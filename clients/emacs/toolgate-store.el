;;; toolgate-store.el --- Known state of Toolgate servers  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The known state of each connection: calls, which of them wait for a
;; decision, jobs, and the latest events.  All of these are JSON objects, read
;; with `toolgate-get':
;;
;;   (toolgate-get call \='approval \='preview \='diff)
;;
;; Code that displays state adds functions to the hooks of
;; `toolgate-connection.el' and reads with the functions here whose names begin
;; with `toolgate-store-'.  Events change the state, see `toolgate-take.el'.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'toolgate-connection)
(require 'toolgate-http)
(require 'toolgate-json)

(defconst toolgate-store--most-ended 200
  "Maximum number of ended calls to keep.")
(defconst toolgate-store--most-events 2000
  "Maximum number of events to keep.")
(defconst toolgate-store--most-event-bytes (* 4 1024 1024)
  "Maximum size in bytes of the events to keep, as received.")

;;;; Read

(defun toolgate-store-connection (call)
  "Return the connection that has CALL, an object or an id."
  (let ((id (toolgate-store--id call)))
    (seq-find (lambda (connection)
                (gethash id (toolgate-connection-calls connection)))
              toolgate-connections)))

(defun toolgate-store-pending (&optional connection)
  "Return the calls that wait for a decision, oldest first.
They are those of CONNECTION, or of all connections."
  (mapcan (lambda (each)
            (mapcar (lambda (id)
                      (gethash id (toolgate-connection-calls each)))
                    (toolgate-connection-pending each)))
          (if connection (list connection) (reverse toolgate-connections))))

(defun toolgate-store-pending-count ()
  "Return the number of calls that wait for a decision, of all connections."
  (apply #'+ (mapcar (lambda (connection)
                       (length (toolgate-connection-pending connection)))
                     toolgate-connections)))

(defun toolgate-store-pending-p (call)
  "Return non-nil if CALL, an object or an id, waits for a decision."
  (let* ((id (toolgate-store--id call))
         (connection (toolgate-store-connection id)))
    (and connection
         (member id (toolgate-connection-pending connection)) t)))

(defun toolgate-store-call (id &optional connection)
  "Return the call with ID in its known state, of CONNECTION or of any."
  (let ((connection (or connection (toolgate-store-connection id))))
    (and connection (gethash id (toolgate-connection-calls connection)))))

(defun toolgate-store-calls (connection)
  "Return the known calls of CONNECTION, oldest first.
They include all waiting and running calls, and the latest ended ones without
their results: use `GET /calls/:id' for these."
  (sort (hash-table-values (toolgate-connection-calls connection))
        (lambda (a b) (string< (toolgate-get a 'tool_call_id)
                               (toolgate-get b 'tool_call_id)))))

(defun toolgate-store-jobs (connection)
  "Return the known jobs of CONNECTION, oldest first."
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
  "Return non-nil if CALL has ended."
  (not (member (toolgate-get call 'status)
               '("awaiting_approval" "queued" "running"))))

;;;; Change the state of calls

(defun toolgate-store-put (connection call)
  "Store CALL of CONNECTION, replacing its previous state."
  (puthash (toolgate-get call 'tool_call_id) call
           (toolgate-connection-calls connection)))

(defun toolgate-store-pend (connection call)
  "Record that CALL of CONNECTION waits for a decision, or has a new preview."
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
  "Store VALUE in FIELD, a symbol, of the call ID of CONNECTION.
The field is lost when the server reports a new preview."
  (when-let ((call (toolgate-store-call id connection)))
    (toolgate-store-put connection (cons (cons field value)
                                         (assq-delete-all field
                                                          (copy-sequence call))))))

(defun toolgate-store-renew (connection call)
  "Store CALL of CONNECTION, which waits, with its new preview."
  (when (toolgate-store-pending-p call)
    (toolgate-store-pend connection call)
    (toolgate-connection-run 'toolgate-state-changed-hook connection)))

(defun toolgate-store-resolve (connection id decision)
  "Record that the call ID of CONNECTION was resolved by DECISION, an object."
  (when (member id (toolgate-connection-pending connection))
    (setf (toolgate-connection-pending connection)
          (remove id (toolgate-connection-pending connection)))
    (toolgate-connection-run 'toolgate-approval-resolved-hook connection
                             (toolgate-store-call id connection) decision)))

(defun toolgate-store-end (connection event)
  "Record that a call of CONNECTION has ended by EVENT."
  (let ((id (toolgate-get event 'tool_call_id)))
    (toolgate-store-put connection
                        (toolgate-store--ended-call
                         (or (toolgate-store-call id connection) event) event))
    (push id (toolgate-connection-ended connection))
    (toolgate-store--forget connection)))

(defun toolgate-store--ended-call (call event)
  "Return CALL as ended by EVENT, without large fields."
  `(,@(seq-filter (lambda (field)
                    (memq (car field)
                          '(status error reason user_message comments
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
  "Remove the oldest ended calls of CONNECTION if there are too many."
  (let ((ended (toolgate-connection-ended connection)))
    (when (> (length ended) (* 2 toolgate-store--most-ended))
      (dolist (id (nthcdr toolgate-store--most-ended ended))
        (remhash id (toolgate-connection-calls connection)))
      (setf (toolgate-connection-ended connection)
            (seq-take ended toolgate-store--most-ended)))))

(defun toolgate-store-drop-unlisted (connection listed)
  "Remove calls of CONNECTION that have not ended and are not LISTED.
The events that the stream replays may contain their outcome."
  (let ((calls (toolgate-connection-calls connection))
        (ids (mapcar (lambda (call) (toolgate-get call 'tool_call_id)) listed)))
    (dolist (call (hash-table-values calls))
      (unless (or (toolgate-store-ended-p call)
                  (member (toolgate-get call 'tool_call_id) ids))
        (remhash (toolgate-get call 'tool_call_id) calls)))))

;;;; Jobs

(defun toolgate-store-job (connection event status)
  "Store the job in EVENT of CONNECTION, with STATUS.
If STATUS is nil, the event contains the status."
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
  "Remove the oldest ended jobs of CONNECTION if there are too many."
  (let* ((ended (seq-remove (lambda (job)
                              (equal (toolgate-get job 'status) "running"))
                            (toolgate-store-jobs connection)))
         (many (- (length ended) toolgate-store--most-ended)))
    (dolist (job (seq-take ended (max 0 many)))
      (remhash (toolgate-get job 'task_id)
               (toolgate-connection-jobs connection)))))

(defun toolgate-store-set-jobs (connection running)
  "Make RUNNING the running jobs of CONNECTION."
  (let ((jobs (toolgate-connection-jobs connection)))
    (dolist (job (hash-table-values jobs))
      (when (equal (toolgate-get job 'status) "running")
        (remhash (toolgate-get job 'task_id) jobs)))
    (dolist (job running) (puthash (toolgate-get job 'task_id) job jobs))))

;;;; Events

(defun toolgate-store-remember (connection size event)
  "Add EVENT of SIZE bytes to the latest events of CONNECTION.
If there are too many, remove a quarter of them."
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
