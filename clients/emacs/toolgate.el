;;; toolgate.el --- Decide on the tool calls of agents  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; URL: https://github.com/toolgate/toolgate
;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, processes
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Toolgate runs the tool calls of agents, and lets those that change something
;; wait until a person says yes or no.  With `toolgate-mode' that person can be
;; in Emacs: calls that wait appear beside what you do, never in its way; files
;; that calls change are up to date in their buffers; and agents see what you
;; have not saved yet.
;;
;;   (require 'toolgate)
;;   (toolgate-mode 1)
;;
;; `toolgate-connect' finds the server of a project, `toolgate-start' starts
;; one, `toolgate-doctor' tells what is wrong.  Connections are made by
;; themselves where `toolgate-auto-connect' says so.

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
  "Decide on the tool calls of agents."
  :group 'tools
  :prefix "toolgate-")

(defcustom toolgate-auto-connect t
  "Whether to connect to servers of visited files when they are available."
  :group 'toolgate
  :type 'boolean)

(autoload 'toolgate-approvals "toolgate-list" nil t)
(autoload 'toolgate-next-approval "toolgate-approval" nil t)
(autoload 'toolgate-call-tool "toolgate-call" nil t)
(autoload 'toolgate-undo-call "toolgate-undo" nil t)
(autoload 'toolgate-cancel "toolgate-jobs" nil t)
(autoload 'toolgate-jobs "toolgate-jobs" nil t)
(autoload 'toolgate-events "toolgate-log" nil t)
(autoload 'toolgate-menu "toolgate-menu" nil t)
(autoload 'toolgate-open-console "toolgate-menu" nil t)
(autoload 'toolgate-rules "toolgate-rules" nil t)
(autoload 'toolgate-doctor "toolgate-doctor" nil t)

;;;; The mode

(defvar toolgate-mode-line nil
  "What the mode line says: how many calls wait, modes, and what is lost.")
(put 'toolgate-mode-line 'risky-local-variable t)

;;;###autoload
(define-minor-mode toolgate-mode
  "Decide on tool calls in Emacs, everywhere.
The mode line says how many wait: \\[toolgate-approvals] lists them."
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
  "Be a front end of servers if ON, else stop."
  (when on
    (require 'toolgate-appear)
    (require 'toolgate-editor))
  (when (fboundp 'toolgate-effects-setup) (toolgate-effects-setup on)))

;;;; The mode line

(defvar toolgate-mode-line-map
  (let ((map (make-sparse-keymap)))
    (define-key map [mode-line mouse-1] #'toolgate-approvals)
    map)
  "Keys on Toolgate's part of the mode line.")

(defun toolgate--setup-mode-line (on)
  "Show how many calls wait in the mode line if ON."
  (setq global-mode-string
        (delq 'toolgate-mode-line (ensure-list global-mode-string)))
  (when on
    (setq global-mode-string
          (append (or global-mode-string '("")) '(toolgate-mode-line))))
  (funcall (if on #'add-hook #'remove-hook)
           'toolgate-state-changed-hook #'toolgate--update-mode-line)
  (toolgate--update-mode-line))

(defun toolgate--update-mode-line (&rest _)
  "Make the mode line true, if it is not."
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
  "Return what the mode line means: COUNT calls wait, a server may be LOST."
  (concat (pcase count
            (0 "Toolgate: no calls waiting")
            (1 "Toolgate: 1 call waiting")
            (_ (format "Toolgate: %d calls waiting" count)))
          (if lost "\nA server does not respond; reconnecting" "")
          "\nmouse-1: list calls"))

;;;; Connecting by itself

(defconst toolgate--look-seconds 5
  "How often to look whether servers have come.")
(defvar toolgate--look-timer nil
  "Timer that looks whether servers have come.")
(defvar toolgate--seen nil
  "What was there when it was looked for last: files of servers.")

(defun toolgate--setup-auto-connect (on)
  "Look for servers of files that are visited if ON, else stop."
  (funcall (if on #'add-hook #'remove-hook)
           'find-file-hook #'toolgate--connect-here)
  (when toolgate--look-timer (cancel-timer toolgate--look-timer))
  (setq toolgate--seen nil
        toolgate--look-timer
        (and on (run-at-time 0 toolgate--look-seconds #'toolgate--look))))

(defun toolgate--look ()
  "Connect to servers that have come since and have files that are visited."
  (when toolgate-auto-connect
    (let ((files (toolgate-discover-files)))
      (unless (equal files toolgate--seen)
        (setq toolgate--seen files)
        (let ((toolgate-discover-unasked t))
          (dolist (folder (delete-dups
                           (delq nil (mapcar #'toolgate--folder (buffer-list)))))
            (toolgate--connect-to folder)))))))

(defun toolgate--folder (buffer)
  "Return the folder of the file that BUFFER visits, if it is on this machine."
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
  "Connect to the server of FOLDER, if one is there and is not known yet."
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
