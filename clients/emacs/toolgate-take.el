;;; toolgate-take.el --- Update the state from events  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The event stream determines the known state of a server.  Processing an
;; event twice changes nothing, and the complete state is read if events were
;; missed.

;;; Code:

(require 'toolgate-http)
(require 'toolgate-store)

(defun toolgate-take-events (connection events)
  "Process EVENTS, pairs of size in bytes and event, of CONNECTION.
Then run the hooks."
  (pcase-dolist (`(,size . ,event) events)
    (if (toolgate-connection-reading connection)
        (push (cons size event) (toolgate-connection-waiting connection))
      (toolgate-take--one connection size event)))
  (toolgate-connection-run 'toolgate-state-changed-hook connection))

(defun toolgate-take--one (connection size event)
  "Process EVENT of SIZE bytes of CONNECTION, unless it was processed before."
  (let ((seq (or (toolgate-get event 'seq) 0))
        (type (toolgate-get event 'type)))
    (cond ((equal type "stream.snapshot")
           (toolgate-take--snapshot connection event))
          ((equal type "stream.gap")
           (setf (toolgate-connection-seq connection) seq)
           (toolgate-take--read-state connection)
           (toolgate-connection-run 'toolgate-resync-functions connection))
          ((<= seq (toolgate-connection-seq connection)) (setq type nil))
          (t (setf (toolgate-connection-seq connection) seq)
             (toolgate-store-remember connection size event)
             (toolgate-take--by-type connection type event)))
    (when type
      (toolgate-connection-run 'toolgate-event-functions connection event))))

(defun toolgate-take--by-type (connection type event)
  "Update the state of CONNECTION from EVENT of TYPE."
  (pcase type
    ("tool.call" (toolgate-take--called connection event))
    ("tool.decision" (toolgate-take--decided connection event))
    ("tool.result" (toolgate-take--resulted connection event))
    ("job.started" (toolgate-store-job connection event "running"))
    ("job.exited" (toolgate-store-job connection event nil))))

(defun toolgate-take--past-p (connection event)
  "Return non-nil if EVENT is older than the snapshot of CONNECTION.
The snapshot contains the waiting calls, so that older events are outdated."
  (<= (toolgate-get event 'seq) (toolgate-connection-head connection)))

(defun toolgate-take--called (connection event)
  "Process EVENT of CONNECTION about a new call."
  (let ((id (toolgate-get event 'tool_call_id)))
    (cond ((toolgate-take--past-p connection event)
           (unless (toolgate-store-call id connection)
             (toolgate-store-put
              connection (toolgate-take--call-of event "queued"))))
          ;; A truncated event: the call itself has the complete params.
          ((toolgate-get event 'truncated)
           (toolgate-take--fetch connection id))
          ((toolgate-get event 'requires_approval)
           (toolgate-store-pend
            connection (toolgate-take--call-of event "awaiting_approval")))
          (t (toolgate-store-put
              connection (toolgate-take--call-of event "queued"))))))

(defun toolgate-take--call-of (event status)
  "Return the call in EVENT, with STATUS."
  (append `((status . ,status) (created_at . ,(toolgate-get event 'time)))
          (seq-remove (lambda (field)
                        (memq (car field) '(seq time type requires_approval)))
                      event)))

(defun toolgate-take--fetch (connection id)
  "Fetch the call ID of CONNECTION, whose event was truncated."
  (toolgate-http-request
   connection "GET" (concat "/calls/" id)
   :on-success
   (lambda (call)
     (let ((known (toolgate-store-call id connection)))
       (unless (and known (toolgate-store-ended-p known))
         (if (equal (toolgate-get call 'status) "awaiting_approval")
             (toolgate-store-pend connection call)
           (toolgate-store-put connection call))
         (toolgate-connection-run 'toolgate-state-changed-hook connection))))
   :on-error
   (lambda (problem)
     (message "Toolgate: the call %s could not be read: %s"
              id (plist-get problem :message)))))

(defun toolgate-take--decided (connection event)
  "Process EVENT of CONNECTION about a decision."
  (unless (toolgate-take--past-p connection event)
    (let* ((id (toolgate-get event 'tool_call_id))
           (call (toolgate-store-call id connection))
           (params (toolgate-get event 'modified_params)))
      (when (and call (equal (toolgate-get event 'decision) "approved"))
        (toolgate-store-put
         connection (append '((status . "queued"))
                            (and params `((params . ,params)))
                            call)))
      (toolgate-store-resolve connection id event))))

(defun toolgate-take--resulted (connection event)
  "Process EVENT of CONNECTION about the end of a call."
  (let* ((id (toolgate-get event 'tool_call_id))
         (call (toolgate-store-call id connection))
         (status (toolgate-get event 'status)))
    (unless (toolgate-take--past-p connection event)
      (toolgate-store-resolve connection id `((decision . ,status))))
    (unless (and call (toolgate-store-ended-p call))
      (toolgate-store-end connection event))))

;;;; Snapshots

(defun toolgate-take--snapshot (connection snapshot)
  "Process SNAPSHOT, the first event of every stream of CONNECTION."
  (let ((instance (toolgate-get snapshot 'instance))
        (known (toolgate-connection-instance connection)))
    (setf (toolgate-connection-instance connection) instance)
    (if (toolgate-get snapshot 'truncated)
        (toolgate-take--read-state connection)
      (toolgate-take--set connection snapshot))
    (unless (equal known instance)
      (toolgate-connection-run 'toolgate-resync-functions connection))))

(defun toolgate-take--read-state (connection)
  "Read the complete state of CONNECTION; queue events until then."
  (unless (toolgate-connection-reading connection)
    (setf (toolgate-connection-reading connection) t)
    (toolgate-http-request
     connection "GET" "/state"
     :on-success (lambda (state)
                   (toolgate-take--read-pages
                    connection state (toolgate-get-list state 'pending)
                    (toolgate-get state 'pending_cursor)))
     ;; The stream has also failed then; the next one begins with a snapshot.
     :on-error (lambda (_) (toolgate-take--go-on connection)))))

(defun toolgate-take--read-pages (connection state pending cursor)
  "Collect PENDING of STATE of CONNECTION, with the pages after CURSOR."
  (if (not (stringp cursor))
      (progn (toolgate-take--set connection `((pending . ,pending) ,@state))
             (toolgate-take--go-on connection))
    (toolgate-http-request
     connection "GET" "/approvals" :query `((cursor . ,cursor))
     :on-success (lambda (page)
                   (toolgate-take--read-pages
                    connection state
                    (append pending (toolgate-get-list page 'approvals))
                    (toolgate-get page 'cursor)))
     :on-error (lambda (_) (toolgate-take--go-on connection)))))

(defun toolgate-take--go-on (connection)
  "Process the events queued while the state of CONNECTION was read."
  (let ((waiting (nreverse (toolgate-connection-waiting connection))))
    (setf (toolgate-connection-reading connection) nil
          (toolgate-connection-waiting connection) nil)
    (toolgate-take-events connection waiting)))

(defun toolgate-take--set (connection state)
  "Replace the waiting and running calls and jobs of CONNECTION from STATE."
  (setf (toolgate-connection-head connection) (or (toolgate-get state 'head) 0))
  (let* ((pending (toolgate-get-list state 'pending))
         (running (toolgate-get-list state 'running))
         (ids (mapcar (lambda (call) (toolgate-get call 'tool_call_id)) pending)))
    (dolist (id (copy-sequence (toolgate-connection-pending connection)))
      (unless (member id ids)
        (toolgate-store-resolve connection id '((decision . "unknown")))))
    (toolgate-store-drop-unlisted connection (append pending running))
    (dolist (call running) (toolgate-store-put connection call))
    ;; In lists, the params of large calls are truncated.
    (dolist (call pending)
      (if (toolgate-get call 'truncated)
          (toolgate-take--fetch connection (toolgate-get call 'tool_call_id))
        (toolgate-store-pend connection call))))
  (toolgate-store-set-jobs connection (toolgate-get-list state 'jobs)))

(provide 'toolgate-take)
;;; toolgate-take.el ends here
