;;; toolgate-undo.el --- Undo the changes of a call  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The user chooses an ended call, and sees a preview of its undo; a key
;; sequence with C-c applies it after all of it has been displayed.

;;; Code:

(require 'diff-mode)
(require 'toolgate-actions)
(require 'toolgate-choose)
(require 'toolgate-decide)
(require 'toolgate-displayed)
(require 'toolgate-faces)
(require 'toolgate-guard)
(require 'toolgate-keys)
(require 'toolgate-lines)
(require 'toolgate-show)
(require 'toolgate-source)

(defvar-local toolgate-undo--do nil
  "Function that applies the undo in this buffer.")
(defvar-local toolgate-undo--shown nil
  "Answer of the server with the preview of the undo.")
(defvar-local toolgate-undo--sent nil
  "Non-nil if the undo was sent and has no answer yet.")

(defvar toolgate-undo-mode-map
  (make-composed-keymap
   (list (toolgate-keys "C-c C-c" #'toolgate-undo-do
                        "C-c C-k" #'quit-window
                        "SPC" #'toolgate-displayed-page
                        "q" #'quit-window)
         toolgate-source-map))
  "Keys of `toolgate-undo-mode', which precede those of `diff-mode'.")

(define-derived-mode toolgate-undo-mode diff-mode "Agent-Undo"
  "Preview of an undo.
\\<toolgate-undo-mode-map>\\[toolgate-undo-do] applies it, once all of it \
has been displayed; \\[toolgate-displayed-page] shows the next part."
  (setq buffer-read-only t
        header-line-format " Preview of the undo.  C-c C-c undo, \
SPC next part, q close")
  (toolgate-guard-start)
  (toolgate-lines-setup)
  (toolgate-displayed-setup))

(defconst toolgate-undo--name "*Agent Undo*"
  "Name of the buffer that shows an undo.")

;;;###autoload
(defun toolgate-undo-call ()
  "Undo the file changes of a call, after a preview."
  (interactive)
  (let ((connection (toolgate-current-connection)))
    (toolgate-undo-open connection (toolgate-undo--choose connection))))

(defun toolgate-undo-open (connection call)
  "Preview the undo of CALL of CONNECTION."
  (let ((shown (toolgate-http-wait
                connection "GET"
                (format "/calls/%s/undo" (toolgate-get call 'tool_call_id))
                :pages 'files)))
    (unless (toolgate-get shown 'available)
      (user-error "%s" (toolgate-undo--unavailable shown)))
    (pop-to-buffer (toolgate-undo--buffer connection call shown))))

(defconst toolgate-undo--most 50
  "Maximum number of recent ended calls to offer.")

(defun toolgate-undo--choose (connection)
  "Ask which call of CONNECTION to undo, and return it.
Only calls that changed files are offered."
  (let ((choices
         (mapcar #'toolgate-undo--choice
                 (seq-filter (lambda (call) (toolgate-get-list call 'changes))
                             (toolgate-get-list
                              (toolgate-http-wait
                               connection "GET" "/calls"
                               :query `((status . success)
                                        (limit . ,toolgate-undo--most)))
                              'calls)))))
    (unless choices
      (user-error "No recent call of %s has changed a file"
                  (toolgate-connection-name connection)))
    (toolgate-choose (format "Undo (default %s): " (caar choices))
                     choices (caar choices))))

(defun toolgate-undo--choice (call)
  "Return a description of CALL, and CALL."
  (cons (format "%s, %s ago  %s" (toolgate-undo--title call)
                (toolgate-faces-age (toolgate-get call 'finished_at))
                (toolgate-get call 'tool_call_id))
        call))

(defun toolgate-undo--title (call)
  "Return on one line the tool and the target of CALL."
  (string-join (delq nil (list (toolgate-get call 'tool)
                               (when-let ((title (toolgate-get call 'result 'title)))
                                 (truncate-string-to-width
                                  (toolgate-faces-line title) 60 nil nil t))))
               " "))

(defun toolgate-undo--unavailable (shown)
  "Return a text about why the undo in SHOWN is unavailable, with all obstacles."
  (string-join
   (cons (format "Cannot be undone: %s" (toolgate-get shown 'reason))
         (mapcan #'toolgate-undo--obstacles (toolgate-get-list shown 'files)))
   "\n"))

(defun toolgate-undo--obstacles (file)
  "Return a line for each obstacle to the undo of FILE."
  (mapcar (lambda (conflict)
            (format "%s: %s" (toolgate-faces-line (toolgate-get file 'path))
                    (toolgate-faces-line (toolgate-get conflict 'message))))
          (toolgate-get-list file 'conflicts)))

(defun toolgate-undo--buffer (connection call shown)
  "Return a buffer with the preview SHOWN of the undo of CALL of CONNECTION."
  (let ((text (mapconcat #'toolgate-undo--file (toolgate-get-list shown 'files) "")))
    (with-current-buffer (get-buffer-create toolgate-undo--name)
      (toolgate-undo-mode)
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (toolgate-lines-break text)))
      (toolgate-lines-order)
      (goto-char (point-min))
      (toolgate-source-setup
       text (lambda (path) (toolgate-connection-file connection call path)))
      (setq toolgate-undo--shown shown
            toolgate-undo--do
            (lambda () (toolgate-undo--send connection call shown)))
      (toolgate-displayed-start)
      (current-buffer))))

(defun toolgate-undo--file (file)
  "Return the change of FILE by the undo, as text."
  (format "# %s %s\n%s" (toolgate-get file 'action)
          (toolgate-faces-line (toolgate-get file 'path))
          (or (toolgate-get file 'diff) "")))

(defun toolgate-undo-do ()
  "Apply the undo in this buffer."
  (interactive nil toolgate-undo-mode)
  (toolgate-guard-check)
  (toolgate-displayed-check)
  (when toolgate-undo--sent
    (user-error "The decision was already sent; waiting for the server"))
  (setq toolgate-undo--sent t)
  (condition-case problem (funcall toolgate-undo--do)
    (error (setq toolgate-undo--sent nil)
           (signal (car problem) (cdr problem)))))

(defun toolgate-undo--send (connection call shown)
  "Undo CALL of CONNECTION as SHOWN, and report the outcome."
  (toolgate-undo
   call :digest (toolgate-get shown 'digest) :confirm t :connection connection
   :callback
   (lambda (undo problem)
     (toolgate-undo--answered shown undo)
     (if problem (toolgate-message "%s" (toolgate-http-problem-text problem))
       (toolgate-undo--tell call undo))
     (when (equal (plist-get problem :code) "PREVIEW_CHANGED")
       (toolgate-undo--show-anew connection call shown)))))

(defun toolgate-undo--answered (shown undo)
  "Close the preview SHOWN if UNDO has succeeded; else allow another attempt."
  (when-let ((buffer (toolgate-undo--showing shown)))
    (with-current-buffer buffer (setq toolgate-undo--sent nil))
    (when (equal (toolgate-get undo 'status) "success")
      (dolist (window (get-buffer-window-list buffer nil t))
        (quit-restore-window window 'bury)))))

(defun toolgate-undo--showing (shown)
  "Return the undo buffer if it still shows SHOWN, or nil."
  (when-let ((buffer (get-buffer toolgate-undo--name)))
    (and (eq shown (buffer-local-value 'toolgate-undo--shown buffer))
         buffer)))

(defconst toolgate-undo--words
  '(("success" . "Undone") ("queued" . "Undo in progress")
    ("running" . "Undo in progress") ("awaiting_approval" . "Undo waiting for approval"))
  "Words for the outcome of an undo, by its status.")

(defun toolgate-undo--tell (call undo)
  "Report the outcome of UNDO, which was to undo CALL."
  (let ((why (or (toolgate-get undo 'error 'message)
                 (toolgate-get undo 'reason))))
    (toolgate-decide-tell
     (toolgate-get undo 'tool_call_id)
     (format "%s: %s%s"
             (alist-get (toolgate-get undo 'status) toolgate-undo--words
                        "Not undone" nil #'equal)
             (toolgate-undo--title call)
             (if why (format " (%s)" (toolgate-faces-line why)) "")))))

(defun toolgate-undo--show-anew (connection call shown)
  "Replace the preview SHOWN of the undo of CALL of CONNECTION by a new one.
If it is no longer available, keep the old one, and report the reason."
  (toolgate-undo-preview
   call :connection connection
   :callback
   (lambda (now problem)
     (cond (problem
            (toolgate-message "%s" (toolgate-http-problem-text problem)))
           ((not (toolgate-get now 'available))
            (toolgate-message "%s" (toolgate-undo--unavailable now)))
           ((toolgate-undo--showing shown)
            (let ((buffer (toolgate-undo--buffer connection call now)))
              (with-current-buffer buffer (toolgate-guard-renew))
              (unless (get-buffer-window buffer 'visible)
                (toolgate-show-beside buffer))))))))

(provide 'toolgate-undo)
;;; toolgate-undo.el ends here
