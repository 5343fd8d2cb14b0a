;;; toolgate.el --- Approve or reject the tool calls of agents  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; URL: https://github.com/toolgate/toolgate
;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, processes
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Toolgate runs the tool calls of agents; calls that change something wait for
;; the approval of the user.  With `toolgate-mode' users approve calls in
;; Emacs: a waiting call appears beside the selected window and does not
;; interrupt; buffers of files that calls change are reverted; and agents see
;; unsaved changes.
;;
;;   (require 'toolgate)
;;   (toolgate-mode 1)
;;
;; `toolgate-connect' finds the server of a project, `toolgate-start' starts
;; one, `toolgate-doctor' checks the installation.  With
;; `toolgate-auto-connect' Emacs connects automatically.

;;; Code:

(require 'subr-x)
(require 'toolgate-actions)
(require 'toolgate-buffers)
(require 'toolgate-connect)
(require 'toolgate-files)
(require 'toolgate-modes)
(require 'toolgate-server)
(require 'toolgate-store)

(defgroup toolgate nil
  "Approve or reject the tool calls of agents."
  :group 'tools
  :prefix "toolgate-")

(defcustom toolgate-auto-connect t
  "Non-nil means connect to servers of visited files when they are available."
  :group 'toolgate
  :type 'boolean)

(autoload 'toolgate-approvals "toolgate-list" nil t)
(autoload 'toolgate-next-approval "toolgate-approval" nil t)
(autoload 'toolgate-call-tool "toolgate-call" nil t)
(autoload 'toolgate-undo-call "toolgate-undo" nil t)
(autoload 'toolgate-session-changes "toolgate-changes" nil t)
(autoload 'toolgate-cancel "toolgate-jobs" nil t)
(autoload 'toolgate-jobs "toolgate-jobs" nil t)
(autoload 'toolgate-events "toolgate-log" nil t)
(autoload 'toolgate-menu "toolgate-menu" nil t)
(autoload 'toolgate-open-console "toolgate-menu" nil t)
(autoload 'toolgate-rules "toolgate-rules" nil t)
(autoload 'toolgate-doctor "toolgate-doctor" nil t)

;;;; The mode

(defvar toolgate-mode-line nil
  "Text in the mode line: number of waiting calls, modes, and lost connections.")
(put 'toolgate-mode-line 'risky-local-variable t)

;;;###autoload
(define-minor-mode toolgate-mode
  "Global minor mode to approve or reject tool calls in Emacs.
The mode line shows the number of waiting calls: \\[toolgate-approvals] lists
them."
  :group 'toolgate
  :global t
  (toolgate-files-setup toolgate-mode)
  (toolgate-buffers-setup toolgate-mode)
  (toolgate--setup-front-end toolgate-mode)
  (toolgate--setup-mode-line toolgate-mode)
  (toolgate--setup-auto-connect toolgate-mode)
  (unless toolgate-mode
    (mapc #'toolgate-disconnect (copy-sequence toolgate-connections))))

(defun toolgate--setup-front-end (on)
  "Enable the functions of a front end if ON, else disable them."
  (when on
    (require 'toolgate-appear)
    (require 'toolgate-editor))
  (when (fboundp 'toolgate-effects-setup) (toolgate-effects-setup on)))

;;;; The mode line

(defvar toolgate-mode-line-map
  (let ((map (make-sparse-keymap)))
    (define-key map [mode-line mouse-1] #'toolgate-approvals)
    map)
  "Keymap of Toolgate's part of the mode line.")

(defun toolgate--setup-mode-line (on)
  "Show the number of waiting calls in the mode line if ON."
  (setq global-mode-string
        (delq 'toolgate-mode-line (ensure-list global-mode-string)))
  (when on
    (setq global-mode-string
          (append (or global-mode-string '("")) '(toolgate-mode-line))))
  (funcall (if on #'add-hook #'remove-hook)
           'toolgate-state-changed-hook #'toolgate--update-mode-line)
  (toolgate--update-mode-line))

(defun toolgate--update-mode-line (&rest _)
  "Update the mode line, if its text has changed."
  (let* ((count (toolgate-store-pending-count))
         (lost (seq-some (lambda (connection)
                           (eq (toolgate-connection-status connection) 'lost))
                         toolgate-connections))
         (modes (toolgate-modes-brief))
         (text (concat (cond ((> count 0) (format " TG:%d" count))
                             ((or modes lost) " TG")
                             (t ""))
                       (if lost "?" "")
                       (if modes (concat " " modes) ""))))
    (unless (equal text (or toolgate-mode-line ""))
      (setq toolgate-mode-line
            (propertize text
                        'face (if (or (> count 0) modes) 'warning 'shadow)
                        'mouse-face 'mode-line-highlight
                        'help-echo (toolgate--mode-line-help count lost)
                        'local-map toolgate-mode-line-map))
      (force-mode-line-update t))))

(defun toolgate--mode-line-help (count lost)
  "Return the tooltip of the mode line: COUNT calls wait, a server may be LOST."
  (concat (pcase count
            (0 "Toolgate: no calls waiting")
            (1 "Toolgate: 1 call waiting")
            (_ (format "Toolgate: %d calls waiting" count)))
          (if lost "\nA server does not respond; reconnecting" "")
          "\nmouse-1: list calls"))

;;;; Automatic connections

(defconst toolgate--look-seconds 5
  "Seconds between searches for new servers.")
(defvar toolgate--look-timer nil
  "Timer that searches for new servers.")
(defvar toolgate--seen nil
  "Discovery files found by the last search.")

(defun toolgate--setup-auto-connect (on)
  "Search for servers of visited files if ON, else stop."
  (funcall (if on #'add-hook #'remove-hook)
           'find-file-hook #'toolgate--connect-here)
  (when toolgate--look-timer (cancel-timer toolgate--look-timer))
  (setq toolgate--seen nil
        toolgate--look-timer
        (and on (run-at-time 0 toolgate--look-seconds #'toolgate--look))))

(defun toolgate--look ()
  "Connect to new servers that serve visited files."
  (when toolgate-auto-connect
    (let ((files (toolgate-discover-files)))
      (unless (equal files toolgate--seen)
        (setq toolgate--seen files)
        (let ((toolgate-discover-unasked t))
          (dolist (folder (delete-dups
                           (delq nil (mapcar #'toolgate--folder (buffer-list)))))
            (toolgate--connect-to folder)))))))

(defun toolgate--folder (buffer)
  "Return the folder of the file that BUFFER visits, if it is local."
  (with-current-buffer buffer
    (and buffer-file-name
         (not (file-remote-p default-directory))
         default-directory)))

(defun toolgate--connect-here ()
  "Connect to the server of the current buffer, if there is one."
  (when-let ((folder (and toolgate-auto-connect
                          (toolgate--folder (current-buffer)))))
    (toolgate--connect-to folder)))

(defun toolgate--connect-to (folder)
  "Connect to the server of FOLDER, if there is one that is not connected yet."
  (unless (toolgate-connection-for folder)
    (with-demoted-errors "Toolgate: %s"
      (when (toolgate-discover-likely-p folder)
        (toolgate-discover
         folder
         (lambda (record)
           (when (and record (not (toolgate-connect-left-p record)))
             (or (toolgate-connect-known record)
                 (toolgate-connect-by record folder)))))))))

(provide 'toolgate)
;;; toolgate.el ends here
