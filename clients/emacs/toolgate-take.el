;;; toolgate-take.el --- Learning from events what a server does  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; All that is known of a server is told by its event stream.  Taking an event
;; a second time changes nothing, and what was missed is read whole.

;;; Code:

(require 'toolgate-http)
(require 'toolgate-store)

(defun toolgate-take-events (connection events)
  "Take EVENTS, pairs of size in bytes and event, into CONNECTION.
Then tell those who hang on the hooks."
  (pcase-dolist (`(,size . ,event) events)
    (if (toolgate-connection-reading connection)
        (push (cons size event) (toolgate-connection-waiting connection))
      (toolgate-take--one connection size event)))
  (toolgate-connection-run 'toolgate-state-changed-hook connection))

(defun toolgate-take--one (connection size event)
  "Take EVENT of SIZE bytes into CONNECTION, unless it was taken before."
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
  "Change what is known of CONNECTION by EVENT of TYPE."
  (pcase type
    ("tool.call" (toolgate-take--called connection event))
    ("tool.decision" (toolgate-take--decided connection event))
    ("tool.result" (toolgate-take--resulted connection event))
    ("job.started" (toolgate-store-job connection event "running"))
    ("job.exited" (toolgate-store-job connection event nil))))

(defun toolgate-take--past-p (connection event)
  "Return whether EVENT was before the snapshot of CONNECTION.
What waits was told by the snapshot, and older events know less."
  (<= (toolgate-get event 'seq) (toolgate-connection-head connection)))

(defun toolgate-take--called (connection event)
  "Take EVENT of CONNECTION, which tells of a call."
  (let ((id (toolgate-get event 'tool_call_id)))
    (cond ((toolgate-take--past-p connection event)
           (unless (toolgate-store-call id connection)
             (toolgate-store-put
              connection (toolgate-take--call-of event "queued"))))
          ;; Cut, because it is large: the call itself tells what it asks.
          ((toolgate-get event 'truncated)
           (toolgate-take--fetch connection id))
          ((toolgate-get event 'requires_approval)
           (toolgate-store-pend
            connection (toolgate-take--call-of event "awaiting_approval")))
          (t (toolgate-store-put
              connection (toolgate-take--call-of event "queued"))))))

(defun toolgate-take--call-of (event status)
  "Return the call that EVENT tells of, with STATUS."
  (append `((status . ,status) (created_at . ,(toolgate-get event 'time)))
          (seq-remove (lambda (field)
                        (memq (car field) '(seq time type requires_approval)))
                      event)))

(defun toolgate-take--fetch (connection id)
  "Ask the server of CONNECTION for the call ID, whose event was cut."
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
  "Take EVENT of CONNECTION, which tells of a decision."
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
  "Take EVENT of CONNECTION, which tells that a call has ended."
  (let* ((id (toolgate-get event 'tool_call_id))
         (call (toolgate-store-call id connection))
         (status (toolgate-get event 'status)))
    (unless (toolgate-take--past-p connection event)
      (toolgate-store-resolve connection id `((decision . ,status))))
    (unless (and call (toolgate-store-ended-p call))
      (toolgate-store-end connection event))))

;;;; Where things stand

(defun toolgate-take--snapshot (connection snapshot)
  "Take SNAPSHOT, with which every stream of CONNECTION begins."
  (let ((instance (toolgate-get snapshot 'instance))
        (known (toolgate-connection-instance connection)))
    (setf (toolgate-connection-instance connection) instance)
    (if (toolgate-get snapshot 'truncated)
        (toolgate-take--read-state connection)
      (toolgate-take--set connection snapshot))
    (unless (equal known instance)
      (toolgate-connection-run 'toolgate-resync-functions connection))))

(defun toolgate-take--read-state (connection)
  "Read the state of CONNECTION whole; events that come meanwhile wait."
  (unless (toolgate-connection-reading connection)
    (setf (toolgate-connection-reading connection) t)
    (toolgate-http-request
     connection "GET" "/state"
     :on-success (lambda (state)
                   (toolgate-take--read-pages
                    connection state (toolgate-get-list state 'pending)
                    (toolgate-get state 'pending_cursor)))
     ;; The stream is broken then, too; its next one begins with a snapshot.
     :on-error (lambda (_) (toolgate-take--go-on connection)))))

(defun toolgate-take--read-pages (connection state pending cursor)
  "Take STATE of CONNECTION with PENDING and the pages of calls after CURSOR."
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
  "Take what has waited until the state of CONNECTION was read."
  (let ((waiting (nreverse (toolgate-connection-waiting connection))))
    (setf (toolgate-connection-reading connection) nil
          (toolgate-connection-waiting connection) nil)
    (toolgate-take-events connection waiting)))

(defun toolgate-take--set (connection state)
  "Make what waits and runs at CONNECTION what STATE says."
  (setf (toolgate-connection-head connection) (or (toolgate-get state 'head) 0))
  (let* ((pending (toolgate-get-list state 'pending))
         (running (toolgate-get-list state 'running))
         (ids (mapcar (lambda (call) (toolgate-get call 'tool_call_id)) pending)))
    (dolist (id (copy-sequence (toolgate-connection-pending connection)))
      (unless (member id ids)
        (toolgate-store-resolve connection id '((decision . "unknown")))))
    (toolgate-store-drop-unlisted connection (append pending running))
    (dolist (call running) (toolgate-store-put connection call))
    ;; Of large calls a list has only the beginning of their params.
    (dolist (call pending)
      (if (toolgate-get call 'truncated)
          (toolgate-take--fetch connection (toolgate-get call 'tool_call_id))
        (toolgate-store-pend connection call))))
  (toolgate-store-set-jobs connection (toolgate-get-list state 'jobs)))

(provide 'toolgate-take)
;;; toolgate-take.el ends here
