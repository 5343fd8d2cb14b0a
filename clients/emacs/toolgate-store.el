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
;; by the functions here whose names begin with `toolgate-store-'.  All of it
;; is told by the event stream, and taking an event a second time changes
;; nothing.

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

;;;; Taking events

(defun toolgate-store-take (connection events)
  "Take EVENTS, pairs of size in bytes and event, into CONNECTION.
Then tell those who hang on the hooks."
  (pcase-dolist (`(,size . ,event) events)
    (if (toolgate-connection-reading connection)
        (push (cons size event) (toolgate-connection-waiting connection))
      (toolgate-store--take connection size event)))
  (toolgate-connection-run 'toolgate-state-changed-hook connection))

(defun toolgate-store--take (connection size event)
  "Take EVENT of SIZE bytes into CONNECTION, unless it was taken before."
  (let ((seq (or (toolgate-get event 'seq) 0))
        (type (toolgate-get event 'type)))
    (cond ((equal type "stream.snapshot")
           (toolgate-store--snapshot connection event))
          ((equal type "stream.gap")
           (setf (toolgate-connection-seq connection) seq)
           (toolgate-store--read-state connection)
           (toolgate-connection-run 'toolgate-resync-functions connection))
          ((<= seq (toolgate-connection-seq connection)) (setq type nil))
          (t (setf (toolgate-connection-seq connection) seq)
             (toolgate-store--remember connection size event)
             (toolgate-store--by-type connection type event)))
    (when type
      (toolgate-connection-run 'toolgate-event-functions connection event))))

(defun toolgate-store--by-type (connection type event)
  "Change what is known of CONNECTION by EVENT of TYPE."
  (pcase type
    ("tool.call" (toolgate-store--called connection event))
    ("tool.decision" (toolgate-store--decided connection event))
    ("tool.result" (toolgate-store--resulted connection event))
    ("job.started" (toolgate-store--job connection event "running"))
    ("job.exited" (toolgate-store--job connection event nil))))

(defun toolgate-store--remember (connection size event)
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

(defun toolgate-store--past-p (connection event)
  "Return whether EVENT was before the snapshot of CONNECTION.
What waits was told by the snapshot, and older events know less."
  (<= (toolgate-get event 'seq) (toolgate-connection-head connection)))

(defun toolgate-store--called (connection event)
  "Take EVENT of CONNECTION, which tells of a call."
  (let ((id (toolgate-get event 'tool_call_id)))
    (cond ((toolgate-store--past-p connection event)
           (unless (toolgate-store-call id connection)
             (toolgate-store--put
              connection (toolgate-store--call-of event "queued"))))
          ;; Cut, because it is large: the call itself tells what it asks.
          ((toolgate-get event 'truncated)
           (toolgate-store--fetch connection id))
          ((toolgate-get event 'requires_approval)
           (toolgate-store--pend
            connection (toolgate-store--call-of event "awaiting_approval")))
          (t (toolgate-store--put
              connection (toolgate-store--call-of event "queued"))))))

(defun toolgate-store--call-of (event status)
  "Return the call that EVENT tells of, with STATUS."
  (append `((status . ,status) (created_at . ,(toolgate-get event 'time)))
          (seq-remove (lambda (field)
                        (memq (car field) '(seq time type requires_approval)))
                      event)))

(defun toolgate-store--fetch (connection id)
  "Ask the server of CONNECTION for the call ID, whose event was cut."
  (toolgate-http-request
   connection "GET" (concat "/calls/" id)
   :on-success
   (lambda (call)
     (let ((known (toolgate-store-call id connection)))
       (unless (and known (toolgate-store-ended-p known))
         (if (equal (toolgate-get call 'status) "awaiting_approval")
             (toolgate-store--pend connection call)
           (toolgate-store--put connection call))
         (toolgate-connection-run 'toolgate-state-changed-hook connection))))
   :on-error
   (lambda (problem)
     (message "Toolgate: the call %s could not be read: %s"
              id (plist-get problem :message)))))

(defun toolgate-store-ended-p (call)
  "Return whether CALL has ended."
  (not (member (toolgate-get call 'status)
               '("awaiting_approval" "queued" "running"))))

(defun toolgate-store--put (connection call)
  "Remember CALL of CONNECTION in the place of what was known of it."
  (puthash (toolgate-get call 'tool_call_id) call
           (toolgate-connection-calls connection)))

(defun toolgate-store--pend (connection call)
  "CALL of CONNECTION waits for a decision, or waits with a fresh preview."
  (let* ((id (toolgate-get call 'tool_call_id))
         (known (toolgate-store-call id connection)))
    (toolgate-store--put connection call)
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
    (toolgate-store--put connection (cons (cons field value)
                                          (assq-delete-all field
                                                           (copy-sequence call))))))

(defun toolgate-store-renew (connection call)
  "Take CALL of CONNECTION, which waits, with what it would do now."
  (when (toolgate-store-pending-p call)
    (toolgate-store--pend connection call)
    (toolgate-connection-run 'toolgate-state-changed-hook connection)))

(defun toolgate-store--resolve (connection id decision)
  "The call ID of CONNECTION waits no more, because of DECISION, an object."
  (when (member id (toolgate-connection-pending connection))
    (setf (toolgate-connection-pending connection)
          (remove id (toolgate-connection-pending connection)))
    (toolgate-connection-run 'toolgate-approval-resolved-hook connection
                         (toolgate-store-call id connection) decision)))

(defun toolgate-store--decided (connection event)
  "Take EVENT of CONNECTION, which tells of a decision."
  (unless (toolgate-store--past-p connection event)
    (let* ((id (toolgate-get event 'tool_call_id))
           (call (toolgate-store-call id connection))
           (params (toolgate-get event 'modified_params)))
      (when (and call (equal (toolgate-get event 'decision) "approved"))
        (toolgate-store--put
         connection (append '((status . "queued"))
                            (and params `((params . ,params)))
                            call)))
      (toolgate-store--resolve connection id event))))

(defun toolgate-store--resulted (connection event)
  "Take EVENT of CONNECTION, which tells that a call has ended."
  (let* ((id (toolgate-get event 'tool_call_id))
         (call (toolgate-store-call id connection))
         (status (toolgate-get event 'status)))
    (unless (toolgate-store--past-p connection event)
      (toolgate-store--resolve connection id `((decision . ,status))))
    (unless (and call (toolgate-store-ended-p call))
      (toolgate-store--put
       connection (toolgate-store--ended-call (or call event) event))
      (push id (toolgate-connection-ended connection))
      (toolgate-store--forget connection))))

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

(defun toolgate-store--job (connection event status)
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

;;;; Where things stand

(defun toolgate-store--snapshot (connection snapshot)
  "Take SNAPSHOT, with which every stream of CONNECTION begins."
  (let ((instance (toolgate-get snapshot 'instance))
        (known (toolgate-connection-instance connection)))
    (setf (toolgate-connection-instance connection) instance)
    (if (toolgate-get snapshot 'truncated)
        (toolgate-store--read-state connection)
      (toolgate-store--set connection snapshot))
    (unless (equal known instance)
      (toolgate-connection-run 'toolgate-resync-functions connection))))

(defun toolgate-store--read-state (connection)
  "Read the state of CONNECTION whole; events that come meanwhile wait."
  (unless (toolgate-connection-reading connection)
    (setf (toolgate-connection-reading connection) t)
    (toolgate-http-request
     connection "GET" "/state"
     :on-success (lambda (state)
                   (toolgate-store--set connection state)
                   (toolgate-store--go-on connection))
     ;; The stream is broken then, too; its next one begins with a snapshot.
     :on-error (lambda (_) (toolgate-store--go-on connection)))))

(defun toolgate-store--go-on (connection)
  "Take what has waited until the state of CONNECTION was read."
  (let ((waiting (nreverse (toolgate-connection-waiting connection))))
    (setf (toolgate-connection-reading connection) nil
          (toolgate-connection-waiting connection) nil)
    (toolgate-store-take connection waiting)))

(defun toolgate-store--set (connection state)
  "Make what waits and runs at CONNECTION what STATE says."
  (setf (toolgate-connection-head connection) (or (toolgate-get state 'head) 0))
  (let* ((pending (toolgate-get-list state 'pending))
         (running (toolgate-get-list state 'running))
         (ids (mapcar (lambda (call) (toolgate-get call 'tool_call_id)) pending)))
    (dolist (id (copy-sequence (toolgate-connection-pending connection)))
      (unless (member id ids)
        (toolgate-store--resolve connection id '((decision . "unknown")))))
    (toolgate-store--drop-unlisted connection (append pending running))
    (dolist (call running) (toolgate-store--put connection call))
    (dolist (call pending) (toolgate-store--pend connection call)))
  (toolgate-store--set-jobs connection (toolgate-get-list state 'jobs)))

(defun toolgate-store--drop-unlisted (connection listed)
  "Forget calls of CONNECTION that have not ended and are not LISTED.
How they ended is told by what the stream replays, if it does."
  (let ((calls (toolgate-connection-calls connection))
        (ids (mapcar (lambda (call) (toolgate-get call 'tool_call_id)) listed)))
    (dolist (call (hash-table-values calls))
      (unless (or (toolgate-store-ended-p call)
                  (member (toolgate-get call 'tool_call_id) ids))
        (remhash (toolgate-get call 'tool_call_id) calls)))))

(defun toolgate-store--set-jobs (connection running)
  "Make the jobs RUNNING those of CONNECTION that run."
  (let ((jobs (toolgate-connection-jobs connection)))
    (dolist (job (hash-table-values jobs))
      (when (equal (toolgate-get job 'status) "running")
        (remhash (toolgate-get job 'task_id) jobs)))
    (dolist (job running) (puthash (toolgate-get job 'task_id) job jobs))))

(provide 'toolgate-store)
;;; toolgate-store.el ends here
