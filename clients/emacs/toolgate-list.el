;;; toolgate-list.el --- All calls that wait, to decide on several  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The calls of all servers that wait for a decision.  Only chords decide
;; here, since hands that move in a list press single keys, and a row shows too
;; little: a call is approved from here once all of it has been displayed in its
;; prompt, which the key that approves opens until then.

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
  "The calls that wait, as this list shows them.")

(defun toolgate-list--entries ()
  "Return what is listed: all that waits."
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
  "Return how many columns the last column has in the window of this list."
  (let ((window (get-buffer-window nil t)))
    (max 20 (- (if window (window-body-width window) (frame-width))
               (+ 2 toolgate-age-width 1 7 1 18 1 12 1 16 1)))))

(defun toolgate-list--older-p (a b)
  "Return whether the call of entry A was sent before that of entry B."
  (string< (car a) (car b)))

(defun toolgate-list--buffer ()
  "Return the list as it is now."
  (with-current-buffer (get-buffer-create "*Agent Approvals*")
    (if (derived-mode-p 'toolgate-list-mode) (toolgate-list--renew)
      (toolgate-list-mode)
      (toolgate-list--renew)
      (goto-char (point-min)))
    (current-buffer)))

(defun toolgate-list--renew ()
  "List anew what waits; marks and point stay with the calls as they were shown.
Where its call has gone point is on none.  Keys that decide do nothing for a
moment then, and where the call would do something else."
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
  "Return where the call ID stands here; its end where it does not."
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
  "Show the list of what waits, without going there."
  (toolgate-show-beside (toolgate-list--buffer)))

(defun toolgate-list--changed (&rest _)
  "Let the list, where it is shown, be what waits."
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
  "Return the ids of calls that are marked."
  (let (marked)
    (save-excursion
      (goto-char (point-min))
      (while (not (eobp))
        (when (eq (char-after) ?*) (push (tabulated-list-get-id) marked))
        (forward-line 1)))
    (nreverse marked)))

(defun toolgate-list-open ()
  "Go to the buffer that asks about the call at point."
  (interactive nil toolgate-list-mode)
  (toolgate-approval-open (toolgate-list--at-point)))

(defun toolgate-list-approve ()
  "Approve the call at point, or open it where it was not displayed yet."
  (interactive nil toolgate-list-mode)
  (toolgate-guard-check)
  (toolgate-decide-approve (toolgate-list--at-point)))

(defun toolgate-list-reject ()
  "Reject the call at point, for a reason if you give one."
  (interactive nil toolgate-list-mode)
  (toolgate-guard-check)
  (let ((call (toolgate-list--at-point)))
    (toolgate-decide-reject call (toolgate-decide-read-reason call))))

(defun toolgate-list-diff ()
  "Go to the diff of the call at point."
  (interactive nil toolgate-list-mode)
  (pop-to-buffer (toolgate-diff-buffer (toolgate-list--at-point))))

(defun toolgate-list-visit ()
  "Visit the file of the call at point."
  (interactive nil toolgate-list-mode)
  (find-file-other-window
   (or (car (toolgate-place-files (toolgate-list--at-point)))
       (user-error "The call has no file in its workspace"))))

(defun toolgate-list-mark ()
  "Mark the call at point to be decided on by `toolgate-list-decide'."
  (interactive nil toolgate-list-mode)
  (toolgate-list--at-point)
  (tabulated-list-put-tag "*" t))

(defun toolgate-list-unmark ()
  "Take the mark off the call at point."
  (interactive nil toolgate-list-mode)
  (tabulated-list-put-tag " " t))

(defun toolgate-list-unmark-all ()
  "Take the marks off all calls."
  (interactive nil toolgate-list-mode)
  (tabulated-list-clear-all-tags))

(defun toolgate-list-decide ()
  "Approve or reject all marked calls, after one question.
Only those are approved that were opened and displayed whole, each by its
digest; the others stay marked, and the first of them is named.  Strict ones are
asked about one by one."
  (interactive nil toolgate-list-mode)
  (let* ((calls (delq nil (mapcar #'toolgate-list--call (toolgate-list--marked))))
         (_ (unless calls (user-error "Mark calls with m first")))
         (unseen (seq-remove #'toolgate-approval-displayed-p calls))
         (answer (car (read-multiple-choice
                       (toolgate-list--question calls unseen)
                       `((?a "approve" ,(if unseen "Approve those displayed"
                                          "Approve all of them"))
                         (?r "reject" "Reject all of them")
                         (?c "cancel" "Cancel"))))))
    (pcase answer
      (?a (mapc #'toolgate-decide-approve
                (seq-filter #'toolgate-approval-displayed-p calls))
          (when unseen
            (toolgate-message "Not approved, because not displayed yet: %d, %s"
                              (length unseen)
                              (toolgate-list--titles unseen))))
      (?r (mapc #'toolgate-decide-reject calls)))))

(defun toolgate-list--question (calls unseen)
  "Return what is asked about CALLS, of which UNSEEN were not displayed."
  (format "%d marked%s: %s.  Decide on all?" (length calls)
          (if unseen (format ", %d not displayed yet" (length unseen)) "")
          (toolgate-list--titles calls)))

(defun toolgate-list--titles (calls)
  "Return the titles of the first CALLS."
  (concat (mapconcat #'toolgate-decide-title (seq-take calls 3) "; ")
          (if (> (length calls) 3) "; …" "")))

(provide 'toolgate-list)
;;; toolgate-list.el ends here
