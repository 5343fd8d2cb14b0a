;;; toolgate-show.el --- Show buffers without interruption  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A buffer that appears automatically waits until the user is idle, appears
;; beside the selected window, and never takes the focus.

;;; Code:

(require 'subr-x)
(require 'toolgate-faces)

(defcustom toolgate-approval-display 'idle
  "Display that appears automatically when a call waits for approval.
The message and the count in the mode line appear in any case."
  :type '(choice (const :tag "The prompt, when the user is idle" idle)
                 (const :tag "The list of calls, when the user is idle" list-only)
                 (const :tag "Nothing" never))
  :group 'toolgate)

(defcustom toolgate-notify-function #'toolgate-notify
  "Function called with a title and a text when a call starts to wait."
  :type 'function
  :group 'toolgate)

(defconst toolgate-show--idle-seconds 1
  "Idle seconds before anything is displayed.")

(defconst toolgate-show--action
  '((display-buffer-reuse-window
     display-buffer-pop-up-window
     display-buffer-use-some-window)
    (inhibit-same-window . t)
    (inhibit-switch-frame . t)
    (reusable-frames . visible))
  "Display action for a window that is not selected.")

(defvar toolgate-show--waiting nil
  "Functions that show a buffer when the user is idle, the newest first.")
(defvar toolgate-show--timer nil
  "Idle timer that calls `toolgate-show--waiting'.")

(defun toolgate-show-soon (show)
  "Call SHOW when the user is idle, perhaps immediately."
  (if (toolgate-show--free-p) (funcall show)
    (push show toolgate-show--waiting)
    (unless toolgate-show--timer
      (setq toolgate-show--timer
            (run-with-idle-timer toolgate-show--idle-seconds t
                                 #'toolgate-show--due)))))

(defun toolgate-show-beside (buffer)
  "Show BUFFER beside the selected window, and return its window.
The selected window does not change."
  (display-buffer buffer toolgate-show--action))

(defun toolgate-show-new-buffer (name id)
  "Return a new buffer called NAME, for the call ID.
If the name is in use, the end of ID makes it unique."
  (generate-new-buffer
   (if (get-buffer name)
       (replace-regexp-in-string
        "\\*?\\'" (concat " " (substring id (max 0 (- (length id) 4))) "\\&")
        name)
     name)))

(defun toolgate-show--free-p ()
  "Return non-nil if the user is idle and no prompt is active."
  (and (not (active-minibuffer-window))
       (not executing-kbd-macro)
       (current-idle-time)
       (>= (float-time (current-idle-time)) toolgate-show--idle-seconds)))

(defun toolgate-show--due ()
  "Call the waiting functions, unless a prompt is active."
  (unless (active-minibuffer-window)
    (cancel-timer toolgate-show--timer)
    (setq toolgate-show--timer nil)
    (let ((waiting (nreverse toolgate-show--waiting)))
      (setq toolgate-show--waiting nil)
      ;; An error in one function must not prevent the others.
      (dolist (show waiting)
        (with-demoted-errors "Toolgate: %S" (funcall show))))))

(defun toolgate-notify (title text)
  "Notify the user with TITLE and TEXT on the desktop, or else in the echo area."
  (unless (and (getenv "DBUS_SESSION_BUS_ADDRESS")
               (require 'notifications nil t)
               (fboundp 'notifications-notify)
               (ignore-errors
                 (notifications-notify :title title :body text
                                       :app-name "Toolgate")))
    (toolgate-message "%s: %s" title text)))

(defun toolgate-message (format &rest arguments)
  "Show FORMAT with ARGUMENTS in the echo area, unless a prompt is active.
In that case only log the message."
  (let ((inhibit-message (active-minibuffer-window)))
    (apply #'message format arguments)))

(provide 'toolgate-show)
;;; toolgate-show.el ends here
