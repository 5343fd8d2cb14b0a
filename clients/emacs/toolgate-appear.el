;;; toolgate-appear.el --- When a call is asked about, and when no more  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A call that waits appears by itself once nobody types, and does not take the
;; focus; it goes when it is decided, whoever decides.  Where a file that it is
;; about changes meanwhile, that is told before anybody decides.

;;; Code:

(require 'seq)
(require 'toolgate-approval)
(require 'toolgate-outcome)

(autoload 'toolgate-list-show "toolgate-list")

(defun toolgate-appear--pending (_connection call)
  "CALL begins to wait for a decision, or would do something else now."
  (if (toolgate-approval--find call)
      (progn (toolgate-approval--show-changed `((renewed . t) ,@call))
             (toolgate-message "Changed, review again: %s"
                               (toolgate-decide-title call)))
    (funcall toolgate-notify-function "Approval needed"
             (toolgate-decide-title call))
    (toolgate-appear-offer call)))

(defun toolgate-appear-offer (call)
  "Show CALL once nobody types, in the way that the person likes."
  (pcase toolgate-approval-display
    ('idle (toolgate-show-soon (lambda () (toolgate-appear--show call))))
    ('list-only (toolgate-show-soon #'toolgate-list-show))))

(defun toolgate-appear--show (call)
  "Show CALL if it waits still and nothing else is asked."
  (when (and (toolgate-store-pending-p call)
             (not (toolgate-approval--window)))
    (let ((buffer (toolgate-approval-buffer
                   (toolgate-store-call (toolgate-get call 'tool_call_id))))
          (outcome (get-buffer-window toolgate-outcome--name 'visible)))
      ;; An outcome that is read stays until a key goes on.
      (cond ((null outcome) (toolgate-show-beside buffer))
            ((not (eq outcome (selected-window)))
             (toolgate-approval--replace outcome buffer))))))

(defun toolgate-appear--resolved (connection call decision)
  "CALL of CONNECTION waits no more, by DECISION: what was shown for it goes.
Where it was approved here its outcome takes the place, else the next call."
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
  "Return the buffer to show after CALL of CONNECTION, by DECISION, or nil."
  (if (and (equal (toolgate-get decision 'decision) "approved")
           (toolgate-decide-here-p call))
      (toolgate-outcome-buffer connection call)
    (when-let ((next (toolgate-appear--next-unseen)))
      (toolgate-approval-buffer next))))

(defun toolgate-appear--next-unseen ()
  "Return the oldest call that waits and that no window shows."
  (seq-find (lambda (call)
              (let ((buffer (toolgate-approval--find call)))
                (not (and buffer (get-buffer-window buffer t)))))
            (toolgate-store-pending)))

(defconst toolgate-appear--words
  '(("approved" . "Approved") ("rejected" . "Rejected") ("expired" . "Expired")
    ("cancelled" . "Cancelled") ("error" . "Failed before it ran")
    ("unknown" . "Decided elsewhere"))
  "How it is told that a call waits no more, by its decision.")

(defun toolgate-appear--tell-elsewhere (call decision)
  "Tell of DECISION on CALL, unless it was made here."
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
  "Tell of calls that wait where EVENT of CONNECTION changes what they are about."
  (when (and (equal (toolgate-get event 'type) "file.changed")
             (> (toolgate-get event 'seq) (toolgate-connection-head connection)))
    (dolist (call (toolgate-store-pending connection))
      (when (equal (toolgate-get call 'workspace) (toolgate-get event 'workspace))
        (dolist (file (delq nil (list (toolgate-get event 'path)
                                      (toolgate-get event 'from))))
          (toolgate-appear--overtaken connection call file))))))

(defun toolgate-appear--overtaken (connection call file)
  "Tell that FILE has changed, if CALL of CONNECTION is about it."
  (let ((known (toolgate-get call 'overtaken)))
    (when (and (not (member file known))
               (member file (toolgate-place-names call)))
      (let ((id (toolgate-get call 'tool_call_id)))
        (toolgate-store-note connection id 'overtaken (cons file known))
        (toolgate-approval--show-overtaken id file)))))

(add-hook 'toolgate-event-functions #'toolgate-appear--event)

(defvar toolgate-appear--clock nil
  "Timer that keeps the time left true in header lines.")

(defun toolgate-appear--tick ()
  "Let header lines that can be seen tell the time that is left."
  (when-let ((window (toolgate-approval--window)))
    (with-current-buffer (window-buffer window) (force-mode-line-update))))

(unless toolgate-appear--clock
  (setq toolgate-appear--clock
        (run-with-timer 1 1 #'toolgate-appear--tick)))

(defun toolgate-appear-preview (call-id answer)
  "Show what the call CALL-ID would change, as a delegated `preview.open' asks.
It goes by itself once the call is decided.  ANSWER is called with no argument
if the person closes it before that, which decides nothing.
Return a function that lets go of it."
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
