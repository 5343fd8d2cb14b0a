;;; toolgate-show.el --- Showing without being in the way  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What comes by itself waits until nobody types, appears beside what the
;; person does, and never takes the focus.

;;; Code:

(require 'subr-x)
(require 'toolgate-faces)

(defcustom toolgate-approval-display 'idle
  "What is displayed automatically when a call waits for approval.
The message and the count in the mode line come in any case."
  :type '(choice (const :tag "The prompt, when the user is idle" idle)
                 (const :tag "The list of calls, when the user is idle" list-only)
                 (const :tag "Nothing" never))
  :group 'toolgate)

(defcustom toolgate-notify-function #'toolgate-notify
  "Function called with a title and a text when a call begins to wait."
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
  "Display action: a window that is not selected.")

(defvar toolgate-show--waiting nil
  "Functions that show something once nobody types, the newest first.")
(defvar toolgate-show--timer nil
  "The idle timer that calls them.")

(defun toolgate-show-soon (show)
  "Call SHOW once nobody types, which may be now."
  (if (toolgate-show--free-p) (funcall show)
    (push show toolgate-show--waiting)
    (unless toolgate-show--timer
      (setq toolgate-show--timer
            (run-with-idle-timer toolgate-show--idle-seconds t
                                 #'toolgate-show--due)))))

(defun toolgate-show-beside (buffer)
  "Show BUFFER beside the selected window, and return its window.
The selected window stays what it is."
  (display-buffer buffer toolgate-show--action))

(defun toolgate-show-new-buffer (name id)
  "Return a new buffer called NAME, of what has the ID of a call.
Where there is one of that name the end of ID tells them apart."
  (generate-new-buffer
   (if (get-buffer name)
       (replace-regexp-in-string
        "\\*?\\'" (concat " " (substring id (max 0 (- (length id) 4))) "\\&")
        name)
     name)))

(defun toolgate-show--free-p ()
  "Return whether nobody types, and nothing waits for an answer."
  (and (not (active-minibuffer-window))
       (not executing-kbd-macro)
       (current-idle-time)
       (>= (float-time (current-idle-time)) toolgate-show--idle-seconds)))

(defun toolgate-show--due ()
  "Show what waits, unless a question is being answered."
  (unless (active-minibuffer-window)
    (cancel-timer toolgate-show--timer)
    (setq toolgate-show--timer nil)
    (let ((waiting (nreverse toolgate-show--waiting)))
      (setq toolgate-show--waiting nil)
      ;; One that fails must not keep the others from being shown.
      (dolist (show waiting)
        (with-demoted-errors "Toolgate: %S" (funcall show))))))

(defun toolgate-notify (title text)
  "Tell of TITLE and TEXT by the desktop where there is one, else here."
  (unless (and (getenv "DBUS_SESSION_BUS_ADDRESS")
               (require 'notifications nil t)
               (fboundp 'notifications-notify)
               (ignore-errors
                 (notifications-notify :title title :body text
                                       :app-name "Toolgate")))
    (toolgate-message "%s: %s" title text)))

(defun toolgate-message (format &rest arguments)
  "Show FORMAT with ARGUMENTS, unless a question is being answered.
Then it goes to the log of messages alone."
  (let ((inhibit-message (active-minibuffer-window)))
    (apply #'message format arguments)))

(provide 'toolgate-show)
;;; toolgate-show.el ends here
