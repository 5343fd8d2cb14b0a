;;; toolgate-proposal.el --- Proposed changes  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The delegated effect `editor.show_diff': the proposed content of a file,
;; which the user accepts, edits and accepts, or rejects.  No file is saved
;; here.

;;; Code:

(require 'toolgate-diff)
(require 'toolgate-keys)
(require 'toolgate-show)
(require 'toolgate-source)

(autoload 'toolgate-ediff-texts "toolgate-ediff")
(autoload 'toolgate-ediff-close "toolgate-ediff")

(defvar-local toolgate-proposal--params nil
  "Proposal of this buffer: an object with path, before, after and diff.")
(defvar-local toolgate-proposal--answer nil
  "Function called with the answer.")
;; The answer is required even if the major mode changes.
(put 'toolgate-proposal--params 'permanent-local t)
(put 'toolgate-proposal--answer 'permanent-local t)

(defvar toolgate-proposal-mode-map
  (make-composed-keymap
   (list (toolgate-keys "C-c C-c" #'toolgate-proposal-accept
                        "C-c C-k" #'toolgate-proposal-reject
                        "e" #'toolgate-proposal-edit
                        "D" #'toolgate-proposal-ediff
                        "SPC" #'toolgate-displayed-page
                        "q" #'quit-window)
         toolgate-source-map))
  "Keys of `toolgate-proposal-mode', which precede those of `diff-mode'.")

(define-derived-mode toolgate-proposal-mode diff-mode "Agent-Proposal"
  "Proposed content of a file.

\\{toolgate-proposal-mode-map}"
  (setq buffer-read-only t
        header-line-format '(:eval (toolgate-proposal--header)))
  (toolgate-lines-setup)
  (toolgate-displayed-setup)
  (toolgate-guard-start))

;;;###autoload
(defun toolgate-diff-show-proposal (delegation file answer)
  "Show the proposal for FILE in DELEGATION, an `editor.show_diff'.
Its params have `path', `before', `after' and `diff'.  ANSWER is called once,
with an object that has `decision', and perhaps `content' and `comment'.
Return a function that removes the proposal, for the end of the delegation."
  (let ((buffer (toolgate-proposal--buffer delegation file answer)))
    (toolgate-show-soon
     (lambda () (when (buffer-live-p buffer) (toolgate-show-beside buffer))))
    (toolgate-message "Proposed: a change to %s, in %s"
                      (toolgate-get delegation 'params 'path)
                      (buffer-name buffer))
    (lambda () (toolgate-proposal--close buffer))))

(defun toolgate-proposal--buffer (delegation file answer)
  "Return a buffer that shows the proposal in DELEGATION for FILE.
ANSWER is called with the decision."
  (let* ((params (toolgate-get delegation 'params))
         (diff (or (toolgate-get params 'diff) "")))
    (with-current-buffer (toolgate-show-new-buffer
                          (format "*Agent Proposal: %s*"
                                  (toolgate-get params 'path))
                          (or (toolgate-get delegation 'tool_call_id) ""))
      (toolgate-proposal-mode)
      (let ((inhibit-read-only t))
        (insert (toolgate-lines-break diff)))
      (goto-char (point-min))
      (setq toolgate-proposal--params params
            toolgate-proposal--answer answer)
      (toolgate-source-setup diff (lambda (_) file))
      (toolgate-lines-order)
      (toolgate-displayed-start)
      (current-buffer))))

(defun toolgate-proposal--header ()
  "Return the header line of a proposal."
  (substitute-command-keys
   (concat " Proposed  \\<toolgate-proposal-mode-map>\
\\[toolgate-proposal-accept] accept  \\[toolgate-proposal-edit] change and \
accept  \\[toolgate-proposal-reject] reject  \\[toolgate-proposal-ediff] ediff")))

(defun toolgate-proposal--close (buffer)
  "Kill the proposal BUFFER and its other displays."
  (when (buffer-live-p buffer)
    (when (featurep 'toolgate-ediff) (toolgate-ediff-close buffer))
    (dolist (window (get-buffer-window-list buffer nil t))
      (quit-restore-window window 'bury))
    (kill-buffer buffer)))

(defun toolgate-proposal--decide (buffer answer)
  "Send ANSWER for the proposal BUFFER, and close it."
  (let ((give (buffer-local-value 'toolgate-proposal--answer buffer)))
    (toolgate-proposal--close buffer)
    (funcall give answer)))

(defun toolgate-proposal-accept ()
  "Accept the proposal, after all of it has been displayed."
  (interactive nil toolgate-proposal-mode)
  (toolgate-guard-check)
  (toolgate-displayed-check)
  (toolgate-proposal--decide (current-buffer) '((decision . "accepted"))))

(defun toolgate-proposal-reject (comment)
  "Reject the proposal; COMMENT is sent to its author."
  (interactive (list (progn (toolgate-guard-check)
                            (read-string "Reason (RET for none): ")))
               toolgate-proposal-mode)
  (toolgate-proposal--decide
   (current-buffer)
   `((decision . "rejected")
     ,@(unless (string-blank-p comment) `((comment . ,comment))))))

(defun toolgate-proposal-ediff ()
  "Compare the file before and after in Ediff."
  (interactive nil toolgate-proposal-mode)
  (toolgate-ediff-texts (current-buffer)
                        (toolgate-get toolgate-proposal--params 'path)
                        (toolgate-get toolgate-proposal--params 'before)
                        (toolgate-get toolgate-proposal--params 'after)))

;;;; Edit the proposal

(defvar-local toolgate-proposal--of nil
  "Buffer of the proposal whose text this buffer contains.")
(put 'toolgate-proposal--of 'permanent-local t)

(defvar toolgate-proposal-edit-mode-map
  (toolgate-keys "C-c C-c" #'toolgate-proposal-edit-accept
                 "C-c C-k" #'toolgate-proposal-edit-abandon)
  "Keys of `toolgate-proposal-edit-mode'.")

(define-minor-mode toolgate-proposal-edit-mode
  "Edit a proposed text before accepting it."
  :lighter " Proposal"
  :keymap toolgate-proposal-edit-mode-map
  (setq header-line-format
        (substitute-command-keys
         " \\<toolgate-proposal-edit-mode-map>\\[toolgate-proposal-edit-accept] \
accept this text  \\[toolgate-proposal-edit-abandon] back to the proposal")))
(put 'toolgate-proposal-edit-mode 'permanent-local t)

(defun toolgate-proposal-edit ()
  "Edit the proposed text, to accept the edited one."
  (interactive nil toolgate-proposal-mode)
  (let ((proposal (current-buffer))
        (params toolgate-proposal--params))
    (pop-to-buffer (generate-new-buffer
                    (format "*Agent Text: %s*" (toolgate-get params 'path))))
    (insert (or (toolgate-get params 'after) ""))
    (goto-char (point-min))
    (toolgate-lines-mode (toolgate-get params 'path))
    (setq toolgate-proposal--of proposal)
    (toolgate-proposal-edit-mode)))

(defun toolgate-proposal-edit-accept ()
  "Accept the proposal with the text in this buffer.
All of the proposal must have been displayed before."
  (interactive nil toolgate-proposal-edit-mode)
  (unless (buffer-live-p toolgate-proposal--of)
    (user-error "The proposal is no longer open"))
  (with-current-buffer toolgate-proposal--of
    (when (toolgate-displayed-missing)
      (user-error "Not accepted: %s in the proposal (C-c C-k returns to the proposal)"
                  (toolgate-displayed-summary))))
  (let ((proposal toolgate-proposal--of)
        (text (buffer-substring-no-properties (point-min) (point-max))))
    (quit-window t)
    (toolgate-proposal--decide
     proposal `((decision . "accepted") (content . ,text)))))

(defun toolgate-proposal-edit-abandon ()
  "Go back to the original proposal."
  (interactive nil toolgate-proposal-edit-mode)
  (let ((proposal toolgate-proposal--of))
    (quit-window t)
    (when (buffer-live-p proposal) (pop-to-buffer proposal))))

(provide 'toolgate-proposal)
;;; toolgate-proposal.el ends here
