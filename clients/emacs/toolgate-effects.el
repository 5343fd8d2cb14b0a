;;; toolgate-effects.el --- Handle delegations from calls  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; This Emacs is a front end: calls may request that it shows a file, returns
;; the diagnostics that it shows, changes a buffer or shows a change.  The
;; supported effects are listed in `toolgate-effects'.  Each request is a
;; delegation: it is executed once, and its answer is sent until the server has
;; received it.  The windows and buffers shown for it are removed once the
;; delegation has ended.

;;; Code:

(require 'cl-lib)
(require 'subr-x)
(require 'toolgate-connection)
(require 'toolgate-http)
(require 'toolgate-json)

(defvar toolgate-effects nil
  "Pairs of the name of an effect and the function that implements it.
The function is called with CONNECTION, DELEGATION and ANSWER.  It calls
ANSWER once, immediately or later, with an object that has the fields of the
answer, or with nil and a REASON to refuse; an error refuses, too.  It may
return a function that removes its display, which is called once the
delegation has ended.")

(defconst toolgate-effects--retry-seconds 0.5
  "Seconds until an answer that was not received is sent again.")

(defvar toolgate-effects--doing nil
  "Active delegations: lists of delegation id, connection and a function.
The function removes the display of the delegation.")
(defvar toolgate-effects--done (make-hash-table :test #'equal)
  "Ids of delegations that have ended, so that none is executed twice.")
(defconst toolgate-effects--most-done 2000
  "Maximum number of these ids.")

(defun toolgate-effects--event (connection event)
  "Handle EVENT of CONNECTION if it concerns a delegation."
  (pcase (toolgate-get event 'type)
    ("stream.snapshot" (toolgate-effects--catch-up connection event))
    ("tool.delegation_ended"
     (toolgate-effects--end (toolgate-get event 'delegation_id)))
    ("tool.delegate"
     (when (and (equal (toolgate-get event 'client_id)
                       (toolgate-connection-client-id connection))
                (> (toolgate-get event 'seq)
                   (toolgate-connection-head connection)))
       (toolgate-effects--begin connection event)))))

(defun toolgate-effects--begin (connection event)
  "Execute the delegation in EVENT of CONNECTION; fetch its params if needed."
  (if (assq 'params event) (toolgate-effects--do connection event)
    (toolgate-http-request
     connection "GET" (toolgate-get event 'href)
     ;; A delegation that has ended before the fetch is not executed.
     :on-success (lambda (delegation)
                   (toolgate-effects--do connection delegation)))))

(defun toolgate-effects--catch-up (connection snapshot)
  "Execute the open delegations of CONNECTION that SNAPSHOT contains.
End those that are no longer open."
  (let ((open (toolgate-get-list snapshot 'delegations)))
    (unless (toolgate-get snapshot 'truncated)
      (toolgate-effects--end-others connection open))
    (when (or open (toolgate-get snapshot 'truncated))
      (toolgate-http-request
       connection "GET" "/delegations" :pages 'delegations
       :query `((client_id . ,(toolgate-connection-client-id connection)))
       :on-success
       (lambda (answer)
         (let ((mine (toolgate-get-list answer 'delegations)))
           (toolgate-effects--end-others
            connection (mapcar (lambda (delegation)
                                 (toolgate-get delegation 'delegation_id))
                               mine))
           (dolist (delegation mine)
             (toolgate-effects--do connection delegation))))))))

(defun toolgate-effects--end-others (connection ids)
  "End the delegations of CONNECTION that are not in IDS."
  (pcase-dolist (`(,id ,of . ,_) (copy-sequence toolgate-effects--doing))
    (when (and (eq of connection) (not (member id ids)))
      (toolgate-effects--end id))))

(defun toolgate-effects--end (id)
  "End the delegation ID, and remove its display."
  (let ((doing (assoc id toolgate-effects--doing)))
    (when (> (hash-table-count toolgate-effects--done)
             toolgate-effects--most-done)
      (clrhash toolgate-effects--done))
    (puthash id t toolgate-effects--done)
    (when doing
      (setq toolgate-effects--doing (delq doing toolgate-effects--doing))
      (when (functionp (nth 2 doing))
        (with-demoted-errors "Toolgate: %S" (funcall (nth 2 doing)))))))

(defun toolgate-effects--do (connection delegation)
  "Execute DELEGATION of CONNECTION, unless that was done."
  (let* ((id (toolgate-get delegation 'delegation_id))
         (effect (toolgate-get delegation 'effect))
         (function (cdr (assoc effect toolgate-effects)))
         (doing (list id connection nil))
         answered
         (answer (lambda (object &optional reason)
                   (unless answered
                     (setq answered t)
                     (toolgate-effects--answer
                      connection id
                      (if reason (toolgate-effects--refusal reason)
                        (cons '(status . "done") object)))))))
    (unless (or (assoc id toolgate-effects--doing)
                (gethash id toolgate-effects--done))
      (push doing toolgate-effects--doing)
      (if (null function)
          (funcall answer nil (format "Emacs does not support %s" effect))
        (condition-case problem
            (setf (nth 2 doing) (funcall function connection delegation answer))
          (error (funcall answer nil (error-message-string problem))))))))

(defun toolgate-effects--refusal (reason)
  "Return an answer that refuses for REASON."
  `((status . "refused") (reason . ,(truncate-string-to-width reason 1000))))

(defun toolgate-effects--answer (connection id answer)
  "Send ANSWER to the delegation ID of CONNECTION until it is received."
  (when (assoc id toolgate-effects--doing)
    (toolgate-http-request
     connection "POST" (concat "/delegations/" id) :body answer
     :on-success (lambda (_) (toolgate-effects--end id))
     :on-error
     (lambda (problem)
       (let ((status (plist-get problem :status))
             (done (equal (toolgate-get answer 'status) "done")))
         (cond ((and (eql status 400) done)
                (toolgate-effects--answer
                 connection id
                 (toolgate-effects--refusal
                  (format "the server rejected the answer: %s"
                          (plist-get problem :message)))))
               ((and (<= 400 status 499) (/= status 401))
                (toolgate-effects--end id))
               (t (run-at-time toolgate-effects--retry-seconds nil
                               #'toolgate-effects--answer
                               connection id answer))))))))

(defun toolgate-effects--leave (connection)
  "End the delegations of CONNECTION, which was closed."
  (toolgate-effects--end-others connection nil))

(defun toolgate-effects-setup (on)
  "Handle delegations if ON, else stop."
  (let ((change (if on #'add-hook #'remove-hook)))
    (funcall change 'toolgate-event-functions #'toolgate-effects--event)
    (funcall change 'toolgate-disconnected-functions
             #'toolgate-effects--leave)))

(provide 'toolgate-effects)
;;; toolgate-effects.el ends here
