;;; toolgate-diff.el --- Full diff of a waiting call  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; One diff buffer per waiting call; it is reused, and killed once the call is
;; decided, here or elsewhere.  The keys are those of `diff-mode'; only key
;; sequences with C-c decide the call.

;;; Code:

(require 'diff-mode)
(require 'toolgate-comment)
(require 'toolgate-decide)
(require 'toolgate-displayed)
(require 'toolgate-keys)
(require 'toolgate-lines)
(require 'toolgate-place)
(require 'toolgate-source)

(autoload 'toolgate-diff-show-proposal "toolgate-proposal")
;; Loads this file.
(declare-function toolgate-approval-buffer "toolgate-approval")
(declare-function toolgate-approval-displayed "toolgate-approval")

(defconst toolgate-diff--refine-lines 400
  "Maximum number of lines of a diff with word-level highlighting.")

(defvar toolgate-diff-mode-map
  (make-composed-keymap
   (list (toolgate-keys "C-c C-c" #'toolgate-diff-approve
                        "C-c C-k" #'toolgate-diff-reject
                        "c" #'toolgate-comment
                        "SPC" #'toolgate-displayed-page
                        "q" #'quit-window)
         toolgate-source-map))
  "Keys of `toolgate-diff-mode', which precede those of `diff-mode'.")

(define-derived-mode toolgate-diff-mode diff-mode "Agent-Diff"
  "Changes of a waiting call.
\\<toolgate-diff-mode-map>\\[toolgate-diff-approve] approves, \
\\[toolgate-diff-reject] rejects, \\[toolgate-comment] comments on the line, \
\\[toolgate-source-visit] goes to the source."
  (setq buffer-read-only t)
  (toolgate-lines-setup)
  (toolgate-displayed-setup)
  (toolgate-guard-start)
  (setq header-line-format
        '(:eval (toolgate-diff--header))))

(defun toolgate-diff-text (diff)
  "Return DIFF with the faces of `diff-mode'."
  (with-temp-buffer
    (insert (toolgate-lines-break diff))
    (delay-mode-hooks (diff-mode))
    (setq-local diff-refine
                (and (< (count-lines (point-min) (point-max))
                        toolgate-diff--refine-lines)
                     'font-lock))
    (font-lock-ensure)
    (toolgate-diff--refinements-to-text)
    (buffer-string)))

(defun toolgate-diff--refinements-to-text ()
  "Convert the overlays of refined hunks to text properties, which are copied."
  (dolist (overlay (overlays-in (point-min) (point-max)))
    (when-let ((face (overlay-get overlay 'face)))
      (add-face-text-property (overlay-start overlay) (overlay-end overlay)
                              face))))

(defun toolgate-diff-buffer (call)
  "Return the diff buffer of CALL, updated to CALL; create it if needed."
  (let ((diff (or (toolgate-get call 'approval 'preview 'diff)
                  (user-error "The call changes no text files")))
        (buffer (or (toolgate-diff--find call)
                    (toolgate-show-new-buffer
                     (format "*Agent Diff: %s*" (toolgate-decide-title call))
                     (toolgate-get call 'tool_call_id)))))
    (with-current-buffer buffer
      (unless (derived-mode-p 'toolgate-diff-mode) (toolgate-diff-mode))
      (unless (equal call toolgate-decide-call)
        (let ((inhibit-read-only t))
          (erase-buffer)
          (insert (toolgate-lines-break diff)))
        (set-buffer-modified-p nil)
        (goto-char (point-min))
        (setq toolgate-decide-call call
              toolgate-buffer-connection (toolgate-store-connection call))
        (toolgate-lines-order)
        (toolgate-comment-show)
        (toolgate-source-setup
         diff (lambda (path)
                (toolgate-connection-file toolgate-buffer-connection call path))
         (toolgate-place-named call))
        ;; Text displayed here also counts as displayed in the approval buffer.
        (toolgate-approval-buffer call)
        (toolgate-displayed-start
         nil (lambda (start end) (toolgate-approval-displayed call start end)))
        (toolgate-guard-renew))
      buffer)))

(defun toolgate-diff--find (call)
  "Return the diff buffer of CALL, or nil."
  (let ((id (toolgate-get call 'tool_call_id)))
    (seq-find (lambda (buffer)
                (with-current-buffer buffer
                  (and (derived-mode-p 'toolgate-diff-mode)
                       (equal (toolgate-get toolgate-decide-call 'tool_call_id)
                              id))))
              (buffer-list))))

(defun toolgate-diff-renew (call)
  "Update the diff buffer of CALL, if there is one."
  (when (toolgate-diff--find call)
    (if (toolgate-get call 'approval 'preview 'diff) (toolgate-diff-buffer call)
      (toolgate-diff-close call))))

(defun toolgate-diff-close (call)
  "Kill the diff buffer of CALL, and delete its windows."
  (when-let ((buffer (toolgate-diff--find call)))
    (dolist (window (get-buffer-window-list buffer nil t))
      (quit-restore-window window 'bury))
    (kill-buffer buffer)))

(defun toolgate-diff--header ()
  "Return the header line of a diff buffer."
  (concat
   (string-replace "%" "%%" (toolgate-decide-title toolgate-decide-call))
   (substitute-command-keys
    "  \\<toolgate-diff-mode-map>\\[toolgate-diff-approve] approve  \
\\[toolgate-diff-reject] reject  \\[toolgate-displayed-page] next part  \
\\[toolgate-source-visit] source  \\[quit-window] close, undecided")))

(defun toolgate-diff-approve ()
  "Approve the call of this diff."
  (interactive)
  (toolgate-decide-approve (toolgate-decide-here)))

(defun toolgate-diff-reject ()
  "Reject the call of this diff, with an optional reason."
  (interactive)
  (let ((call (toolgate-decide-here)))
    (toolgate-decide-reject call (toolgate-decide-read-reason call))))

(provide 'toolgate-diff)
;;; toolgate-diff.el ends here
