;;; toolgate-decide.el --- Approve or reject a displayed call  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A decision includes the digest of the preview that the user saw.  So it
;; applies to the call as the buffer shows it, not to the newer state in the
;; store.  A call that was edited here has `edited': the digest of its effect
;; with the edited params, from a dry run of the server.

;;; Code:

(require 'toolgate-actions)
(require 'toolgate-guard)
(require 'toolgate-show)

;; Loaded by all files that show a call.
(declare-function toolgate-approval-check "toolgate-approval")
;; Loads this file.
(autoload 'toolgate-comment-check "toolgate-comment")
(autoload 'toolgate-comment-count "toolgate-comment")
(autoload 'toolgate-comment-objects "toolgate-comment")

(defvar-local toolgate-decide-call nil
  "The call that this buffer shows, as displayed.")
(put 'toolgate-decide-call 'permanent-local t)

(defvar toolgate-decide--sent nil
  "Ids of calls whose decision is in flight.")

(defvar toolgate-decide--approved nil
  "Pairs of id and title of calls that were approved here and are running.")

(defvar toolgate-decide--told nil
  "Pairs of the id of a call that was decided here and its reported outcome.
Only the latest are kept: older ones are no longer looked up.")
(defconst toolgate-decide--told-limit 256
  "Maximum number of reported outcomes to keep.")

(defvar toolgate-decide--notes nil
  "Pairs of the id of a call and a note on it, the newest first.
The notes are shown together with the outcome of the call.")

(defun toolgate-decide-here ()
  "Return the call of this buffer, or signal an error if no key may decide it."
  (toolgate-guard-check)
  (unless (toolgate-store-pending-p toolgate-decide-call)
    (user-error "This call no longer waits"))
  toolgate-decide-call)

(defun toolgate-decide-approve (call &optional always limits)
  "Approve CALL as displayed; ask for confirmation if it is strict.
ALWAYS is the id of a rule to save, and LIMITS its end.  Signal an error if
CALL was not displayed, or has comments."
  (toolgate-approval-check call)
  (toolgate-comment-check call)
  (when (toolgate-decide--sure-p call)
    (toolgate-decide--approve call always limits)))

(defun toolgate-decide-reject (call &optional reason)
  "Reject CALL; send REASON and the comments to its caller."
  (toolgate-decide--once
   call
   (lambda (done)
     (toolgate-reject call :reason reason
                      :comments (toolgate-comment-objects call)
                      :callback done))))

(defun toolgate-decide-read-reason (call)
  "Ask for a reason to reject CALL; return nil if the answer is blank."
  (let ((reason (read-string
                 (format "Reason to reject %s%s (RET for none): "
                         (toolgate-decide-title call)
                         (if-let ((count (toolgate-comment-count call)))
                             (concat " with " count)
                           "")))))
    (unless (string-blank-p reason) reason)))

(defun toolgate-decide-title (call)
  "Return a one-line description of the effect of CALL."
  (toolgate-faces-shorten
   (toolgate-faces-line (or (toolgate-get call 'approval 'preview 'title)
                            (toolgate-get call 'tool)))
   60))

(defun toolgate-decide--sure-p (call)
  "Return non-nil unless CALL is strict and the user does not confirm it."
  (or (not (equal (toolgate-get call 'approval 'level) "strict"))
      (yes-or-no-p (format "Strict: %s.  Approve? "
                           (toolgate-decide-title call)))))

(defun toolgate-decide--approve (call always limits)
  "Approve CALL as displayed, and save the rule ALWAYS with LIMITS."
  (toolgate-decide--once
   call
   (lambda (done)
     (toolgate-approve call
                       :digest (toolgate-get call 'approval 'digest)
                       :whole-digest (toolgate-get call 'approval 'whole_digest)
                       :params (and (toolgate-get call 'edited)
                                    (or (toolgate-get call 'params)
                                        (make-hash-table)))
                       :params-digest (toolgate-get call 'edited)
                       :always always
                       :always-limits limits
                       :confirm (equal (toolgate-get call 'approval 'level)
                                       "strict")
                       :callback done))))

(defun toolgate-decide--once (call send)
  "Call SEND with a callback for the answer, unless a decision on CALL was sent."
  (let ((id (toolgate-get call 'tool_call_id)))
    (if (member id toolgate-decide--sent)
        (message "The decision was already sent; waiting for the server")
      (push id toolgate-decide--sent)
      (condition-case problem
          (funcall send (lambda (result problem)
                          (toolgate-decide--answered call result problem)))
        (error (setq toolgate-decide--sent (delete id toolgate-decide--sent))
               (signal (car problem) (cdr problem)))))))

(defun toolgate-decide--answered (call result problem)
  "Report the outcome of the decision on CALL: RESULT or PROBLEM."
  (let* ((id (toolgate-get call 'tool_call_id))
         (title (toolgate-decide-title call))
         (known (toolgate-store-call id))
         ;; The result event may arrive before the answer.
         (now (if (and known (toolgate-store-ended-p known)) known result)))
    (setq toolgate-decide--sent (delete id toolgate-decide--sent))
    (if problem (toolgate-decide--not-decided id problem)
      (toolgate-decide-tell id (toolgate-decide--outcome title now))
      (unless (toolgate-store-ended-p now)
        (push (cons id title) toolgate-decide--approved)))))

(defun toolgate-decide--not-decided (id problem)
  "Report PROBLEM, which prevented a decision on the call ID."
  (toolgate-message
   "%s"
   (toolgate-decide--noted
    id
    (format "%s: %s"
            (if (eql 0 (plist-get problem :status)) "The decision may not have been applied"
              "Not decided")
            (if (equal (plist-get problem :code) "PREVIEW_CHANGED")
                "the preview has changed; review it again"
              (toolgate-http-problem-text problem))))))

;;;; Outcome

(defun toolgate-decide-tell (id outcome)
  "Report OUTCOME of the call ID, which the user requested."
  (let ((text (toolgate-decide--noted id outcome)))
    (setq toolgate-decide--told
          (seq-take (cons (cons id text)
                          (assoc-delete-all id toolgate-decide--told))
                    toolgate-decide--told-limit))
    (toolgate-message "%s" text)))

(defun toolgate-decide-note (id note)
  "Show NOTE together with the outcome of the call ID, which was decided here.
Two separate messages would replace each other in the echo area."
  (push (cons id note) toolgate-decide--notes)
  (when-let ((told (assoc id toolgate-decide--told)))
    (toolgate-decide-tell id (cdr told))))

(defun toolgate-decide--noted (id text)
  "Return TEXT followed by the notes on the call ID, and clear these notes."
  (let ((notes (seq-filter (lambda (note) (equal id (car note)))
                           toolgate-decide--notes)))
    (setq toolgate-decide--notes
          (assoc-delete-all id toolgate-decide--notes))
    (string-join (cons text (reverse (mapcar #'cdr notes))) "; ")))

(defconst toolgate-decide--words
  '(("awaiting_approval" . "Approved, but another person must approve it too")
    ("queued" . "Approved") ("running" . "Approved") ("success" . "Approved")
    ("rejected" . "Rejected") ("error" . "Failed") ("expired" . "Expired")
    ("cancelled" . "Cancelled") ("interrupted" . "Interrupted"))
  "Words for the outcome of a call, by its status.")

(defun toolgate-decide--outcome (title call)
  "Return a message about the outcome of CALL with TITLE."
  (let* ((status (toolgate-get call 'status))
         (why (and (member status '("error" "cancelled" "interrupted"))
                   (or (toolgate-get call 'error 'message)
                       (toolgate-get call 'reason)))))
    (format "%s: %s%s" (or (cdr (assoc status toolgate-decide--words)) status)
            title (if why (format " (%s)" (toolgate-faces-line why)) ""))))

(defun toolgate-decide--event (_connection event)
  "Report if EVENT says that a call that was approved here has failed."
  (when (equal (toolgate-get event 'type) "tool.result")
    (when-let ((approved (assoc (toolgate-get event 'tool_call_id)
                                toolgate-decide--approved)))
      (setq toolgate-decide--approved (delq approved toolgate-decide--approved))
      (unless (equal (toolgate-get event 'status) "success")
        (toolgate-decide-tell (car approved)
                              (toolgate-decide--outcome (cdr approved) event))))))

(add-hook 'toolgate-event-functions #'toolgate-decide--event)

(defun toolgate-decide-here-p (call)
  "Return non-nil if CALL was decided here, or its decision is in flight."
  (let ((id (toolgate-get call 'tool_call_id)))
    (or (member id toolgate-decide--sent) (assoc id toolgate-decide--told))))

;;;; Edited params

(defun toolgate-decide-dry-run (call params on-error)
  "Dry-run CALL with PARAMS, and wait for the answer.
Return the call with its new preview; or call ON-ERROR with the problem, and
return nil."
  (when-let ((found (toolgate-http-wait
                     (toolgate-store-connection call) "POST" "/calls"
                     :body `((tool . ,(toolgate-get call 'tool))
                             (params . ,(or params (make-hash-table)))
                             ,@(seq-filter
                                (lambda (field)
                                  (memq (car field)
                                        '(session_id workspace agent
                                               executor)))
                                call)
                             (dry_run . t))
                     :on-error on-error)))
    (if-let ((digest (toolgate-get found 'digest)))
        (toolgate-decide--edited call params found digest)
      (funcall on-error `(:message ,(toolgate-decide--refused found)))
      nil)))

(defun toolgate-decide--refused (found)
  "Return the reason why the call cannot run, from the dry run FOUND."
  (or (toolgate-get found 'error 'message)
      (toolgate-get found 'verdict 'reason)
      "the call would fail"))

(defun toolgate-decide--edited (call params found digest)
  "Return CALL with PARAMS, and the preview and DIGEST of the dry run FOUND.
The digest that binds the decision remains that of the requested call."
  (let ((verdict (toolgate-get found 'verdict))
        (approval (toolgate-get call 'approval)))
    `((edited . ,digest)
      (params . ,params)
      (approval
       (level . ,(if (equal (toolgate-get verdict 'decision) "strict")
                     "strict" (toolgate-get approval 'level)))
       (reason . ,(toolgate-get verdict 'reason))
       (matched_rules . ,(toolgate-get verdict 'matched_rules))
       (preview . ,(toolgate-get found 'preview))
       (digest . ,(toolgate-get approval 'digest))
       (expires_at . ,(toolgate-get approval 'expires_at))
       (always_options . []))
      ,@(seq-remove (lambda (field) (memq (car field) '(params approval edited)))
                    call))))

(provide 'toolgate-decide)
;;; toolgate-decide.el ends here
