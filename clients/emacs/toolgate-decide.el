;;; toolgate-decide.el --- A decision on what was shown  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A decision names the digest of what the person looked at, so it is made on
;; the call as their buffer shows it, and not on what the store knows by then.
;; A call that was edited here has `edited': the digest of what it would do
;; with its other params, by the server's dry run.

;;; Code:

(require 'toolgate-actions)
(require 'toolgate-guard)
(require 'toolgate-show)

;; Loaded by all that shows a call.
(declare-function toolgate-approval-check "toolgate-approval")

(defvar-local toolgate-decide-call nil
  "The call that this buffer shows, as it shows it.")
(put 'toolgate-decide-call 'permanent-local t)

(defvar toolgate-decide--sent nil
  "Ids of calls whose decision is under way.")

(defvar toolgate-decide--approved nil
  "Pairs of the id and the title of calls that were approved here and run.")

(defvar toolgate-decide--told nil
  "Pairs of the id of a call that was the person's wish and what they were told.
The latest ones: what is asked of them is asked soon.")
(defconst toolgate-decide--told-limit 256
  "Of so many calls it is known what was told.")

(defvar toolgate-decide--notes nil
  "Pairs of the id of a call and a note on it, the newest first.
They are told together with what becomes of the call, once that is known.")

(defun toolgate-decide-here ()
  "Return the call of this buffer, once it may be decided on by a key."
  (toolgate-guard-check)
  (unless (toolgate-store-pending-p toolgate-decide-call)
    (user-error "This call is no longer waiting"))
  toolgate-decide-call)

(defun toolgate-decide-approve (call &optional always)
  "Let CALL run as it is shown, after a question where it is strict.
ALWAYS is the id of a rule to remember.  What was not displayed is not approved."
  (toolgate-approval-check call)
  (when (toolgate-decide--sure-p call)
    (toolgate-decide--approve call always)))

(defun toolgate-decide-reject (call &optional reason)
  "Refuse CALL; REASON is told to whoever sent it."
  (toolgate-decide--once
   call
   (lambda (done)
     (toolgate-reject call :reason reason :callback done))))

(defun toolgate-decide-read-reason (call)
  "Ask why CALL is rejected; return nil where nothing is said."
  (let ((reason (read-string
                 (format "Reason to reject %s (RET for none): "
                         (toolgate-decide-title call)))))
    (unless (string-blank-p reason) reason)))

(defun toolgate-decide-title (call)
  "Return on one line what CALL would do."
  (toolgate-faces-shorten
   (toolgate-faces-line (or (toolgate-get call 'approval 'preview 'title)
                            (toolgate-get call 'tool)))
   60))

(defun toolgate-decide--sure-p (call)
  "Return whether the person is sure about CALL; a strict one is asked about."
  (or (not (equal (toolgate-get call 'approval 'level) "strict"))
      (yes-or-no-p (format "Strict: %s.  Approve? "
                           (toolgate-decide-title call)))))

(defun toolgate-decide--approve (call always)
  "Approve CALL as it is shown, and remember the rule ALWAYS."
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
                       :confirm (equal (toolgate-get call 'approval 'level)
                                       "strict")
                       :callback done))))

(defun toolgate-decide--once (call send)
  "Call SEND for CALL with a function for the answer, unless that was done."
  (let ((id (toolgate-get call 'tool_call_id)))
    (if (member id toolgate-decide--sent)
        (message "Decision already sent; waiting for the server")
      (push id toolgate-decide--sent)
      (condition-case problem
          (funcall send (lambda (result problem)
                          (toolgate-decide--answered call result problem)))
        (error (setq toolgate-decide--sent (delete id toolgate-decide--sent))
               (signal (car problem) (cdr problem)))))))

(defun toolgate-decide--answered (call result problem)
  "Tell what came of the decision on CALL: RESULT or PROBLEM."
  (let* ((id (toolgate-get call 'tool_call_id))
         (title (toolgate-decide-title call))
         (known (toolgate-store-call id))
         ;; The event that it has ended may come before the answer.
         (now (if (and known (toolgate-store-ended-p known)) known result)))
    (setq toolgate-decide--sent (delete id toolgate-decide--sent))
    (if problem (toolgate-decide--not-decided id problem)
      (toolgate-decide-tell id (toolgate-decide--outcome title now))
      (unless (toolgate-store-ended-p now)
        (push (cons id title) toolgate-decide--approved)))))

(defun toolgate-decide--not-decided (id problem)
  "Tell PROBLEM, which kept a decision on ID from being taken, as far as known."
  (toolgate-message
   "%s"
   (toolgate-decide--noted
    id
    (format "%s: %s"
            (if (eql 0 (plist-get problem :status)) "Decision may not have been applied"
              "Not decided")
            (if (equal (plist-get problem :code) "PREVIEW_CHANGED")
                "the preview has changed; review it again"
              (toolgate-http-problem-text problem))))))

;;;; What became of it

(defun toolgate-decide-tell (id outcome)
  "Tell OUTCOME: what came of the call ID, which was the person's wish."
  (let ((text (toolgate-decide--noted id outcome)))
    (setq toolgate-decide--told
          (seq-take (cons (cons id text)
                          (assoc-delete-all id toolgate-decide--told))
                    toolgate-decide--told-limit))
    (toolgate-message "%s" text)))

(defun toolgate-decide-note (id note)
  "Tell NOTE together with what became of the call ID, which was decided on here.
In the echo area the one would hide the other."
  (push (cons id note) toolgate-decide--notes)
  (when-let ((told (assoc id toolgate-decide--told)))
    (toolgate-decide-tell id (cdr told))))

(defun toolgate-decide--noted (id text)
  "Return TEXT with the notes on the call ID, which are told by that."
  (let ((notes (seq-filter (lambda (note) (equal id (car note)))
                           toolgate-decide--notes)))
    (setq toolgate-decide--notes
          (assoc-delete-all id toolgate-decide--notes))
    (string-join (cons text (reverse (mapcar #'cdr notes))) "; ")))

(defconst toolgate-decide--words
  '(("queued" . "Approved") ("running" . "Approved") ("success" . "Approved")
    ("rejected" . "Rejected") ("error" . "Failed") ("expired" . "Expired")
    ("cancelled" . "Cancelled") ("interrupted" . "Interrupted"))
  "What has become of a call, by its status.")

(defun toolgate-decide--outcome (title call)
  "Return in words what has become of CALL with TITLE."
  (let* ((status (toolgate-get call 'status))
         (why (and (member status '("error" "cancelled" "interrupted"))
                   (or (toolgate-get call 'error 'message)
                       (toolgate-get call 'reason)))))
    (format "%s: %s%s" (or (cdr (assoc status toolgate-decide--words)) status)
            title (if why (format " (%s)" (toolgate-faces-line why)) ""))))

(defun toolgate-decide--event (_connection event)
  "Tell where EVENT says that a call came to nothing that was approved here."
  (when (equal (toolgate-get event 'type) "tool.result")
    (when-let ((approved (assoc (toolgate-get event 'tool_call_id)
                                toolgate-decide--approved)))
      (setq toolgate-decide--approved (delq approved toolgate-decide--approved))
      (unless (equal (toolgate-get event 'status) "success")
        (toolgate-decide-tell (car approved)
                              (toolgate-decide--outcome (cdr approved) event))))))

(add-hook 'toolgate-event-functions #'toolgate-decide--event)

(defun toolgate-decide-here-p (call)
  "Return whether CALL was decided on here, or is just now."
  (let ((id (toolgate-get call 'tool_call_id)))
    (or (member id toolgate-decide--sent) (assoc id toolgate-decide--told))))

;;;; Other params

(defun toolgate-decide-dry-run (call params on-error)
  "Ask what CALL would do with PARAMS, and wait for the answer.
Return the call as it would be shown then; or call ON-ERROR with the problem,
and return nil."
  (when-let ((found (toolgate-http-wait
                     (toolgate-store-connection call) "POST" "/calls"
                     :body `((tool . ,(toolgate-get call 'tool))
                             (params . ,(or params (make-hash-table)))
                             ,@(seq-filter
                                (lambda (field)
                                  (memq (car field)
                                        '(session_id workspace agent)))
                                call)
                             (dry_run . t))
                     :on-error on-error)))
    (if-let ((digest (toolgate-get found 'digest)))
        (toolgate-decide--edited call params found digest)
      (funcall on-error `(:message ,(toolgate-decide--refused found)))
      nil)))

(defun toolgate-decide--refused (found)
  "Return why what the dry run FOUND could not run."
  (or (toolgate-get found 'error 'message)
      (toolgate-get found 'verdict 'reason)
      "the call would fail"))

(defun toolgate-decide--edited (call params found digest)
  "Return CALL with PARAMS, of which the dry run FOUND that it has DIGEST.
The digest that binds the decision stays that of the call as it was asked."
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
