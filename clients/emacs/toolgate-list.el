;;; toolgate-list.el --- List waiting calls  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The waiting calls of all servers.  Only key sequences with C-c decide here,
;; because users press single keys to move in a list, and a row does not show
;; enough: a call can be approved here only after all of it has been displayed
;; in its approval buffer, which the approve key opens until then.

;;; Code:

(require 'tabulated-list)
(require 'toolgate-age)
(require 'toolgate-appear)
(require 'toolgate-keys)
(require 'toolgate-modes)

(defvar toolgate-list-mode-map
  (toolgate-keys "RET" #'toolgate-list-open
                 "C-c C-c" #'toolgate-list-approve
                 "C-c C-k" #'toolgate-list-reject
                 "m" #'toolgate-list-mark
                 "u" #'toolgate-list-unmark
                 "U" #'toolgate-list-unmark-all
                 "x" #'toolgate-list-decide
                 "M" #'toolgate-set-session-mode
                 "d" #'toolgate-list-diff
                 "o" #'toolgate-list-visit)
  "Keys of `toolgate-list-mode'.")

(define-derived-mode toolgate-list-mode tabulated-list-mode "Agent-Approvals"
  "Calls that wait for approval.

\\{toolgate-list-mode-map}"
  (setq tabulated-list-format
        `[("Age" ,toolgate-age-width toolgate-list--older-p) ("Level" 7 t) ("Tool" 18 t)
         ("Mode" 12 t) ("Project" 16 t) ("Preview" 0 t)]
        tabulated-list-padding 2
        tabulated-list-entries #'toolgate-list--entries)
  (setq-local revert-buffer-function (lambda (&rest _) (toolgate-list--renew)))
  (toolgate-lines-setup)
  (toolgate-guard-start)
  (toolgate-age-setup (lambda (id)
                        (toolgate-get (toolgate-list--call id) 'created_at)))
  (tabulated-list-init-header))

(with-eval-after-load 'evil
  (when (fboundp 'evil-make-overriding-map)
    (evil-make-overriding-map toolgate-list-mode-map)))

(defvar-local toolgate-list--shown nil
  "Waiting calls as this list shows them.")

(defun toolgate-list--entries ()
  "Return the entries of the list: all waiting calls."
  (setq toolgate-list--shown (toolgate-store-pending))
  (mapcar
   (lambda (call)
     (list (toolgate-get call 'tool_call_id)
           (vector (toolgate-faces-age (toolgate-get call 'created_at))
                   (toolgate-faces-level call)
                   (toolgate-faces-text (toolgate-get call 'tool) 'toolgate-tool)
                   (toolgate-modes-text call)
                   (file-name-nondirectory
                    (directory-file-name
                     (toolgate-connection-name
                      (toolgate-store-connection call))))
                   (toolgate-faces-shorten
                    (toolgate-faces-line
                     (toolgate-get call 'approval 'preview 'title))
                    (toolgate-list--room)))))
   toolgate-list--shown))

(defun toolgate-list--room ()
  "Return the width of the last column in the window of this list."
  (let ((window (get-buffer-window nil t)))
    (max 20 (- (if window (window-body-width window) (frame-width))
               (+ 2 toolgate-age-width 1 7 1 18 1 12 1 16 1)))))

(defun toolgate-list--older-p (a b)
  "Return non-nil if the call of entry A was sent before that of entry B."
  (string< (car a) (car b)))

(defun toolgate-list--buffer ()
  "Return the buffer of the list, updated."
  (with-current-buffer (get-buffer-create "*Agent Approvals*")
    (if (derived-mode-p 'toolgate-list-mode) (toolgate-list--renew)
      (toolgate-list-mode)
      (toolgate-list--renew)
      (goto-char (point-min)))
    (current-buffer)))

(defun toolgate-list--renew ()
  "Update the list; marks and point stay with the calls if these are unchanged.
If the call at point is gone, point moves to a position without a call.
Decision keys are then ignored for a moment, and also if the call has changed."
  (let* ((here (tabulated-list-get-id))
         (shown (toolgate-list--digest here))
         (marked (mapcar (lambda (id) (cons id (toolgate-list--digest id)))
                         (toolgate-list--marked)))
         (windows (mapcar (lambda (window)
                            (cons window (tabulated-list-get-id
                                          (window-point window))))
                          (get-buffer-window-list nil nil t))))
    (tabulated-list-print)
    (goto-char (toolgate-list--place here))
    (pcase-dolist (`(,window . ,id) windows)
      (set-window-point window (toolgate-list--place id)))
    (unless (equal shown (toolgate-list--digest here)) (toolgate-guard-renew))
    (save-excursion
      (goto-char (point-min))
      (while (not (eobp))
        (let ((id (tabulated-list-get-id)))
          (when (member (cons id (toolgate-list--digest id)) marked)
            (tabulated-list-put-tag "*")))
        (forward-line 1)))))

(defun toolgate-list--call (id)
  "Return the call ID as this list shows it, or nil."
  (seq-find (lambda (call) (equal id (toolgate-get call 'tool_call_id)))
            toolgate-list--shown))

(defun toolgate-list--digest (id)
  "Return the digest of the call ID as this list shows it, or nil."
  (toolgate-get (toolgate-list--call id) 'approval 'digest))

(defun toolgate-list--place (id)
  "Return the position of the call ID; the end of the buffer if not listed."
  (save-excursion
    (goto-char (point-min))
    (while (not (or (eobp) (equal id (tabulated-list-get-id))))
      (forward-line 1))
    (point)))

;;;###autoload
(defun toolgate-approvals ()
  "List the calls that wait for a decision."
  (interactive)
  (pop-to-buffer (toolgate-list--buffer))
  (unless (tabulated-list-get-id)
    (goto-char (point-min))
    (toolgate-guard-renew))
  (when (null (toolgate-store-pending)) (message "No calls waiting for approval")))

;;;###autoload
(defun toolgate-list-show ()
  "Show the list of waiting calls, without selecting its window."
  (toolgate-show-beside (toolgate-list--buffer)))

(defun toolgate-list--changed (&rest _)
  "Update the list, if it is displayed."
  (when-let ((buffer (get-buffer "*Agent Approvals*")))
    (with-current-buffer buffer (toolgate-list--renew))))

(add-hook 'toolgate-approval-pending-hook #'toolgate-list--changed 90)
(add-hook 'toolgate-approval-resolved-hook #'toolgate-list--changed 90)
(add-hook 'toolgate-modes-changed-hook #'toolgate-list--changed)

;;;; Commands

(defun toolgate-list--at-point ()
  "Return the call at point."
  (or (toolgate-list--call (tabulated-list-get-id))
      (user-error "No call on this line")))

(defun toolgate-list--marked ()
  "Return the ids of the marked calls."
  (let (marked)
    (save-excursion
      (goto-char (point-min))
      (while (not (eobp))
        (when (eq (char-after) ?*) (push (tabulated-list-get-id) marked))
        (forward-line 1)))
    (nreverse marked)))

(defun toolgate-list-open ()
  "Switch to the approval buffer of the call at point."
  (interactive nil toolgate-list-mode)
  (toolgate-approval-open (toolgate-list--at-point)))

(defun toolgate-list-approve ()
  "Approve the call at point, or open it if it was not displayed yet."
  (interactive nil toolgate-list-mode)
  (toolgate-guard-check)
  (toolgate-decide-approve (toolgate-list--at-point)))

(defun toolgate-list-reject ()
  "Reject the call at point, with an optional reason."
  (interactive nil toolgate-list-mode)
  (toolgate-guard-check)
  (let ((call (toolgate-list--at-point)))
    (toolgate-decide-reject call (toolgate-decide-read-reason call))))

(defun toolgate-list-diff ()
  "Switch to the diff of the call at point."
  (interactive nil toolgate-list-mode)
  (pop-to-buffer (toolgate-diff-buffer (toolgate-list--at-point))))

(defun toolgate-list-visit ()
  "Visit the file of the call at point."
  (interactive nil toolgate-list-mode)
  (find-file-other-window
   (or (car (toolgate-place-files (toolgate-list--at-point)))
       (user-error "The call has no file in its workspace"))))

(defun toolgate-list-mark ()
  "Mark the call at point for `toolgate-list-decide'."
  (interactive nil toolgate-list-mode)
  (toolgate-list--at-point)
  (tabulated-list-put-tag "*" t))

(defun toolgate-list-unmark ()
  "Unmark the call at point."
  (interactive nil toolgate-list-mode)
  (tabulated-list-put-tag " " t))

(defun toolgate-list-unmark-all ()
  "Unmark all calls."
  (interactive nil toolgate-list-mode)
  (tabulated-list-clear-all-tags))

(defun toolgate-list-decide ()
  "Approve or reject all marked calls, after one confirmation.
Only calls that were displayed completely are approved, each by its digest;
the others stay marked, and a message names the first of them.  Strict calls
need one confirmation each."
  (interactive nil toolgate-list-mode)
  (let* ((calls (delq nil (mapcar #'toolgate-list--call (toolgate-list--marked))))
         (_ (unless calls (user-error "No calls are marked; mark calls with m first")))
         (unseen (seq-remove #'toolgate-approval-displayed-p calls))
         (answer (car (read-multiple-choice
                       (toolgate-list--question calls unseen)
                       `((?a "approve" ,(if unseen "Approve the displayed calls"
                                          "Approve all marked calls"))
                         (?r "reject" "Reject all marked calls")
                         (?c "cancel" "Cancel"))))))
    (pcase answer
      (?a (mapc #'toolgate-decide-approve
                (seq-filter #'toolgate-approval-displayed-p calls))
          (when unseen
            (toolgate-message "Not approved, because these calls were not displayed yet: %d, %s"
                              (length unseen)
                              (toolgate-list--titles unseen))))
      (?r (mapc #'toolgate-decide-reject calls)))))

(defun toolgate-list--question (calls unseen)
  "Return the question about CALLS, of which UNSEEN were not displayed."
  (format "%d marked%s: %s.  Decide on all?" (length calls)
          (if unseen (format ", %d not displayed yet" (length unseen)) "")
          (toolgate-list--titles calls)))

(defun toolgate-list--titles (calls)
  "Return the titles of the first CALLS."
  (concat (mapconcat #'toolgate-decide-title (seq-take calls 3) "; ")
          (if (> (length calls) 3) "; …" "")))

(provide 'toolgate-list)
;;; toolgate-list.el ends here
