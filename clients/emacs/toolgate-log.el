;;; toolgate-log.el --- Event log of a server  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; One line per event.  Lines are collected and appended ten times a second;
;; the buffer is never rebuilt, and its oldest lines are deleted.

;;; Code:

(require 'json)
(require 'toolgate-comment)
(require 'toolgate-keys)
(require 'toolgate-store)
(require 'toolgate-faces)
(require 'toolgate-lines)

(defcustom toolgate-events-omit
  '("agent.state" "tool.delegate" "tool.delegation_ended" "tool.progress")
  "Types of events that the log omits.
By default events that repeat other lines, the protocol between front ends and
the server, and output of commands, which has separate buffers."
  :type '(repeat string)
  :group 'toolgate)

(defconst toolgate-log--most-lines 10000
  "Maximum number of lines of the log.")
(defconst toolgate-log--pause 0.1
  "Seconds for which lines are collected.")

(defvar-local toolgate-log--waiting nil "Events to be appended, newest first.")
(defvar-local toolgate-log--timer nil "Timer that appends them.")
(defvar-local toolgate-log--seq 0 "Number of the newest event in the log.")
;; Otherwise restoring the mode would append all events again.
(put 'toolgate-log--seq 'permanent-local t)

(defvar toolgate-log-mode-map
  (toolgate-keys "RET" #'toolgate-log-event)
  "Keys of `toolgate-log-mode'.")

(define-derived-mode toolgate-log-mode special-mode "Agent-Events"
  "Events of a server.  The log follows while point is at the end.

\\{toolgate-log-mode-map}"
  (setq truncate-lines t)
  (toolgate-lines-setup)
  (buffer-disable-undo))

;;;###autoload
(defun toolgate-events ()
  "Switch to the event log of the server of this buffer."
  (interactive)
  (let* ((connection (toolgate-current-connection))
         (name (format "*Agent Events: %s*" (toolgate-connection-name connection))))
    (pop-to-buffer (get-buffer-create name))
    (unless (derived-mode-p 'toolgate-log-mode)
      (toolgate-log-mode)
      (setq toolgate-buffer-connection connection)
      (toolgate-log--append (toolgate-store-events connection))
      (goto-char (point-max)))))

(defun toolgate-log--take (connection event)
  "Schedule EVENT of CONNECTION for the log, unless it is omitted."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (and (derived-mode-p 'toolgate-log-mode)
                 (eq connection toolgate-buffer-connection))
        (push event toolgate-log--waiting)
        (unless toolgate-log--timer
          (setq toolgate-log--timer
                (run-with-timer toolgate-log--pause nil
                                #'toolgate-log--flush buffer)))))))

(add-hook 'toolgate-event-functions #'toolgate-log--take)

(defun toolgate-log--flush (buffer)
  "Append the waiting events to BUFFER."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (let ((events (nreverse toolgate-log--waiting)))
        (setq toolgate-log--waiting nil
              toolgate-log--timer nil)
        (toolgate-log--append events)))))

(defun toolgate-log--append (events)
  "Append EVENTS that are new; point at the end stays at the end."
  (toolgate-lines-growing
   (lambda ()
     (dolist (event events)
       (let ((seq (or (toolgate-get event 'seq) 0)))
         (when (> seq toolgate-log--seq)
           (setq toolgate-log--seq seq)
           (unless (member (toolgate-get event 'type) toolgate-events-omit)
             (toolgate-lines-append (toolgate-log--line event))))))
     (toolgate-log--cap))))

(defun toolgate-log--cap ()
  "Delete the oldest quarter of the lines if there are too many."
  (when (> (line-number-at-pos (point-max)) toolgate-log--most-lines)
    (goto-char (point-min))
    (forward-line (/ toolgate-log--most-lines 4))
    (delete-region (point-min) (point))))

(defun toolgate-log--line (event)
  "Return the line for EVENT."
  (propertize
   (concat (toolgate-faces-text (toolgate-log--time event) 'toolgate-muted) " "
           (format "%-24s" (toolgate-get event 'type)) " "
           (toolgate-faces-line (toolgate-log--gist event)) "\n")
   'toolgate-event event))

(defun toolgate-log--time (event)
  "Return the local time of EVENT."
  (if-let ((time (toolgate-get event 'time)))
      (format-time-string "%T" (date-to-time time))
    "        "))

(defconst toolgate-log--gist
  '((tool) (effect) (decision) (status) (operation) (path) (delta text) (message)
    (command) (state) (approval preview title) (error message) (reason) (outcome)
    (by client) (rule_id) (name) (tool_call_id))
  "Keys of the summary of an event, as paths, in order.")

(defun toolgate-log--gist (event)
  "Return a summary of EVENT."
  (concat (mapconcat (lambda (keys)
                       (let ((value (apply #'toolgate-get event keys)))
                         (if (or (stringp value) (numberp value))
                             (format "%s  " value)
                           "")))
                     toolgate-log--gist "")
          (mapconcat #'toolgate-comment-line
                     (toolgate-get-list event 'comments) "  ")))

(defun toolgate-log-event ()
  "Show the complete event at point."
  (interactive nil toolgate-log-mode)
  (let ((event (or (get-text-property (point) 'toolgate-event)
                   (user-error "No event on this line"))))
    (with-current-buffer (get-buffer-create "*Agent Event*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (decode-coding-string (toolgate-json-encode event) 'utf-8))
        (json-pretty-print-buffer)
        (goto-char (point-min)))
      (special-mode)
      (toolgate-lines-setup)
      (display-buffer (current-buffer)))))

(provide 'toolgate-log)
;;; toolgate-log.el ends here
