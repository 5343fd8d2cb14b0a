;;; toolgate-outcome.el --- Outcome of a call that was approved here  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Replaces the approval buffer in its window: the status of the call, the
;; first lines of its output, the files that it changed, and how to undo that.
;; A single key shows the next waiting call.

;;; Code:

(require 'toolgate-decide)
(require 'toolgate-faces)
(require 'toolgate-keys)
(require 'toolgate-lines)

(autoload 'toolgate-undo-open "toolgate-undo")
;; Loads this file.
(declare-function toolgate-approval-buffer "toolgate-approval")
(declare-function toolgate-approval--replace "toolgate-approval")

(defconst toolgate-outcome--max-lines 20
  "Maximum number of output lines shown.")

(defconst toolgate-outcome--name "*Agent Outcome*"
  "Name of the buffer that shows an outcome.")

(defvar-local toolgate-outcome--call nil
  "Call whose outcome this buffer shows, as far as it is known.")

(defvar toolgate-outcome-mode-map
  (toolgate-keys "SPC" #'toolgate-outcome-next
                 "RET" #'toolgate-outcome-next
                 "M-n" #'toolgate-outcome-next
                 "u" #'toolgate-outcome-undo
                 "q" #'quit-window)
  "Keys of `toolgate-outcome-mode'.")

(define-derived-mode toolgate-outcome-mode special-mode "Agent-Outcome"
  "The outcome of a call that was approved here.

\\{toolgate-outcome-mode-map}"
  (setq truncate-lines nil
        header-line-format '(:eval (toolgate-outcome--header)))
  (toolgate-lines-setup))

(with-eval-after-load 'evil
  (when (fboundp 'evil-make-overriding-map)
    (evil-make-overriding-map toolgate-outcome-mode-map)))

(defun toolgate-outcome--header ()
  "Return the header line: the number of waiting calls, and the keys."
  (format " %d pending · SPC %s · u undo · q close"
          (toolgate-store-pending-count)
          (if (toolgate-store-pending) "next call" "close")))

(defun toolgate-outcome-buffer (connection call)
  "Return the buffer that shows the outcome of CALL of CONNECTION."
  (with-current-buffer (get-buffer-create toolgate-outcome--name)
    (toolgate-outcome-mode)
    (setq toolgate-buffer-connection connection)
    (toolgate-outcome--render `((status . "running") ,@call))
    (toolgate-outcome--read connection (toolgate-get call 'tool_call_id))
    (current-buffer)))

(defun toolgate-outcome--showing-p (id)
  "Return non-nil if the outcome of the call ID is displayed."
  (when-let ((buffer (get-buffer toolgate-outcome--name)))
    (equal id (toolgate-get (buffer-local-value 'toolgate-outcome--call buffer)
                            'tool_call_id))))

(defun toolgate-outcome--read (connection id)
  "Request the call ID from CONNECTION, and show its state."
  (toolgate-http-request
   connection "GET" (format "/calls/%s" id)
   :on-success (lambda (call)
                 (when (toolgate-outcome--showing-p id)
                   (with-current-buffer toolgate-outcome--name
                     (toolgate-outcome--render call))))
   :on-error #'ignore))

(defun toolgate-outcome--event (connection event)
  "Show the outcome of a displayed call of CONNECTION if it ended by EVENT."
  (let ((id (toolgate-get event 'tool_call_id)))
    (when (and (equal (toolgate-get event 'type) "tool.result")
               (toolgate-outcome--showing-p id))
      (toolgate-outcome--read connection id))))

(add-hook 'toolgate-event-functions #'toolgate-outcome--event)

(defun toolgate-outcome--render (call)
  "Render the outcome of CALL in the current buffer."
  (let ((inhibit-read-only t))
    (setq toolgate-outcome--call call)
    (erase-buffer)
    (insert (toolgate-faces-text
             (toolgate-faces-line (or (toolgate-get call 'approval 'preview 'title)
                                      (toolgate-get call 'result 'title)
                                      (toolgate-get call 'tool)))
             'toolgate-heading)
            "\n\n")
    (toolgate-outcome--field "status" (toolgate-get call 'status))
    (toolgate-outcome--field "exit code"
                             (toolgate-get call 'result 'data 'exit_code))
    (toolgate-outcome--field "error" (toolgate-get call 'error 'message))
    (toolgate-outcome--field "reason" (toolgate-get call 'reason))
    (let ((changes (toolgate-get-list call 'changes)))
      (dolist (change changes)
        (toolgate-outcome--field (toolgate-get change 'operation)
                                 (toolgate-get change 'path)))
      (when changes (insert "\nTo preview the undo of this call, press u.\n")))
    (toolgate-outcome--output call)
    (toolgate-lines-order)
    (goto-char (point-min))
    (dolist (window (get-buffer-window-list nil nil t))
      (set-window-point window (point-min)))))

(defun toolgate-outcome--field (name value)
  "Insert VALUE under NAME, if it is non-nil."
  (when value
    (insert (toolgate-faces-text (format "%-10s " name) 'toolgate-muted)
            (toolgate-faces-line (format "%s" value)) "\n")))

(defun toolgate-outcome--output (call)
  "Insert the first lines of the output of CALL."
  (let* ((text (string-trim-right (or (toolgate-get call 'result 'content) "")))
         (lines (split-string text "\n"))
         (more (- (length lines) toolgate-outcome--max-lines)))
    (unless (string-empty-p text)
      (insert "\n"
              (propertize
               (concat (toolgate-lines-break
                        (string-join (seq-take lines toolgate-outcome--max-lines)
                                     "\n"))
                       "\n")
               'line-prefix "  │ " 'wrap-prefix "  │ "))
      (when (> more 0)
        (insert (toolgate-faces-text
                 (format "… %d more lines: toolgate show %s\n" more
                         (toolgate-get call 'tool_call_id))
                 'toolgate-muted))))))

(defun toolgate-outcome-next ()
  "Show the call that has waited longest in this window, or close the window."
  (interactive nil toolgate-outcome-mode)
  (if-let ((next (car (toolgate-store-pending))))
      (toolgate-approval--replace (selected-window)
                                  (toolgate-approval-buffer next))
    (quit-window)))

(defun toolgate-outcome-undo ()
  "Preview the undo of this call."
  (interactive nil toolgate-outcome-mode)
  (unless (toolgate-get-list toolgate-outcome--call 'changes)
    (user-error "The call has changed no files"))
  (toolgate-undo-open toolgate-buffer-connection toolgate-outcome--call))

(provide 'toolgate-outcome)
;;; toolgate-outcome.el ends here
