;;; toolgate-appear.el --- Automatic display of waiting calls  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A waiting call appears automatically when the user is idle, and does not
;; take the focus.  It disappears when it is decided, by this user or by
;; another client.  If a file that it affects changes in the meantime, the
;; buffer shows that before the user decides.

;;; Code:

(require 'seq)
(require 'toolgate-approval)
(require 'toolgate-comment)
(require 'toolgate-outcome)

(autoload 'toolgate-list-show "toolgate-list")

(defun toolgate-appear--pending (_connection call)
  "Announce CALL, which now waits for a decision or has a new preview."
  (let ((dropped (toolgate-comment-keep call)))
    (if (toolgate-approval--find call)
        (progn (toolgate-approval--show-changed `((renewed . t) ,@call))
               (toolgate-message "Changed, review again: %s%s"
                                 (toolgate-decide-title call)
                                 (if dropped (format " (%s)" dropped) "")))
      (funcall toolgate-notify-function "Approval needed"
               (toolgate-decide-title call))
      (toolgate-appear-offer call))))

(defun toolgate-appear-offer (call)
  "Show CALL when the user is idle, as `toolgate-approval-display' specifies."
  (pcase toolgate-approval-display
    ('idle (toolgate-show-soon (lambda () (toolgate-appear--show call))))
    ('list-only (toolgate-show-soon #'toolgate-list-show))))

(defun toolgate-appear--show (call)
  "Show CALL if it is still waiting and no other approval is displayed."
  (when (and (toolgate-store-pending-p call)
             (not (toolgate-approval--window)))
    (let ((buffer (toolgate-approval-buffer
                   (toolgate-store-call (toolgate-get call 'tool_call_id))))
          (outcome (get-buffer-window toolgate-outcome--name 'visible)))
      ;; An outcome in the selected window stays until the user presses a key.
      (cond ((null outcome) (toolgate-show-beside buffer))
            ((not (eq outcome (selected-window)))
             (toolgate-approval--replace outcome buffer))))))

(defun toolgate-appear--resolved (connection call decision)
  "Remove the displays of CALL of CONNECTION, which DECISION has resolved.
If the call was approved here, show its outcome instead, else the next call."
  (toolgate-diff-close call)
  (when-let ((buffer (toolgate-approval--find call)))
    (toolgate-appear--tell-elsewhere call decision)
    (let ((windows (get-buffer-window-list buffer nil t)))
      (when-let ((next (and windows
                            (toolgate-appear--successor connection call decision))))
        (toolgate-approval--replace (pop windows) next))
      (dolist (window windows) (quit-restore-window window 'bury)))
    (kill-buffer buffer)))

(defun toolgate-appear--successor (connection call decision)
  "Return the buffer to show after DECISION on CALL of CONNECTION, or nil."
  (if (and (equal (toolgate-get decision 'decision) "approved")
           (toolgate-decide-here-p call))
      (toolgate-outcome-buffer connection call)
    (when-let ((next (toolgate-appear--next-unseen)))
      (toolgate-approval-buffer next))))

(defun toolgate-appear--next-unseen ()
  "Return the oldest waiting call that no window shows."
  (seq-find (lambda (call)
              (let ((buffer (toolgate-approval--find call)))
                (not (and buffer (get-buffer-window buffer t)))))
            (toolgate-store-pending)))

(defconst toolgate-appear--words
  '(("approved" . "Approved") ("rejected" . "Rejected") ("expired" . "Expired")
    ("cancelled" . "Cancelled") ("error" . "Failed before it ran")
    ("unknown" . "Decided in another front end"))
  "Words for the decision that resolved a call, for messages.")

(defun toolgate-appear--tell-elsewhere (call decision)
  "Report DECISION on CALL, unless it was made in this Emacs."
  (unless (toolgate-decide-here-p call)
    (toolgate-message "%s%s: %s"
                      (alist-get (toolgate-get decision 'decision)
                                 toolgate-appear--words "Decided" nil #'equal)
                      (if-let ((who (or (toolgate-get decision 'by 'client)
                                        (toolgate-get decision 'by 'source))))
                          (concat " by " who)
                        "")
                      (toolgate-decide-title call))))

(add-hook 'toolgate-approval-pending-hook #'toolgate-appear--pending)
(add-hook 'toolgate-approval-resolved-hook #'toolgate-appear--resolved)

(defun toolgate-appear--event (connection event)
  "Mark waiting calls if EVENT of CONNECTION changes a file that they affect."
  (when (and (equal (toolgate-get event 'type) "file.changed")
             (> (toolgate-get event 'seq) (toolgate-connection-head connection)))
    (dolist (call (toolgate-store-pending connection))
      (when (equal (toolgate-get call 'workspace) (toolgate-get event 'workspace))
        (dolist (file (delq nil (list (toolgate-get event 'path)
                                      (toolgate-get event 'from))))
          (toolgate-appear--overtaken connection call file))))))

(defun toolgate-appear--overtaken (connection call file)
  "Show that FILE has changed, if CALL of CONNECTION affects it."
  (let ((known (toolgate-get call 'overtaken)))
    (when (and (not (member file known))
               (member file (toolgate-place-names call)))
      (let ((id (toolgate-get call 'tool_call_id)))
        (toolgate-store-note connection id 'overtaken (cons file known))
        (toolgate-approval--show-overtaken id file)))))

(add-hook 'toolgate-event-functions #'toolgate-appear--event)

(defvar toolgate-appear--clock nil
  "Timer that updates the remaining time in header lines.")

(defun toolgate-appear--tick ()
  "Update the remaining time in displayed header lines."
  (when-let ((window (toolgate-approval--window)))
    (with-current-buffer (window-buffer window) (force-mode-line-update))))

(unless toolgate-appear--clock
  (setq toolgate-appear--clock
        (run-with-timer 1 1 #'toolgate-appear--tick)))

(defun toolgate-appear-preview (call-id answer)
  "Preview what the call CALL-ID changes, for the effect `preview.open'.
The preview disappears once the call is decided.  Call ANSWER without
arguments if the user closes the preview before that, which does not decide
the call.  Return a function that ends the preview."
  (let ((over nil))
    (when-let ((call (toolgate-store-call call-id)))
      (toolgate-show-soon
       (lambda ()
         (unless (or over (eq toolgate-approval-display 'never)
                     (not (toolgate-store-pending-p call)))
           (with-current-buffer (toolgate-approval-buffer call)
             (add-hook 'kill-buffer-hook
                       (lambda ()
                         (unless (or over (not (toolgate-store-pending-p call)))
                           (setq over t)
                           (funcall answer)))
                       nil t))
           (toolgate-appear--show call)))))
    (lambda () (setq over t))))

(provide 'toolgate-appear)
;;; toolgate-appear.el ends here
