;;; toolgate-edit.el --- Edit the params of a waiting call  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Edit the params of a call as JSON.  \\`C-c C-c' makes the server check them
;; against the schema of the tool and preview their effect; the approval buffer
;; then shows the new preview, where the call is approved as usual.

;;; Code:

(require 'json)
(require 'toolgate-approval)
(require 'toolgate-keys)

(defvar toolgate-edit-mode-map
  (toolgate-keys "C-c C-c" #'toolgate-edit-done
                 "C-c C-k" #'toolgate-edit-abandon)
  "Keys of `toolgate-edit-mode'.")

(define-minor-mode toolgate-edit-mode
  "Edit the params of a waiting call.
\\<toolgate-edit-mode-map>\\[toolgate-edit-done] checks them and previews their \
effect, \\[toolgate-edit-abandon] leaves the call unchanged."
  :lighter " Params"
  :keymap toolgate-edit-mode-map
  (setq header-line-format
        (substitute-command-keys
         "Params as JSON.  \\<toolgate-edit-mode-map>\\[toolgate-edit-done] \
check and preview their effect, \\[toolgate-edit-abandon] discard the changes")))
;; The state is kept if the user switches to another mode for JSON.
(put 'toolgate-edit-mode 'permanent-local t)

;;;###autoload
(defun toolgate-edit ()
  "Edit the params of the call that this buffer shows."
  (interactive)
  (let ((call toolgate-decide-call)
        (buffer (get-buffer-create
                 (format "*Agent Params: %s*"
                         (toolgate-get toolgate-decide-call 'tool_call_id)))))
    (pop-to-buffer buffer)
    (unless toolgate-edit-mode
      (insert (decode-coding-string
               (toolgate-json-encode (toolgate-get call 'params)) 'utf-8))
      (json-pretty-print-buffer)
      (goto-char (point-min))
      (js-mode)
      (setq toolgate-decide-call call)
      (toolgate-lines-setup)
      (toolgate-edit-mode)
      (set-buffer-modified-p nil))))

(defun toolgate-edit-done ()
  "Check the params, and preview their effect."
  (interactive nil toolgate-edit-mode)
  (let ((buffer (current-buffer))
        (call toolgate-decide-call)
        (params (toolgate-edit--params)))
    (unless (toolgate-store-pending-p call)
      (user-error "This call no longer waits"))
    (when-let ((edited (toolgate-decide-dry-run
                        call params
                        (lambda (problem)
                          (toolgate-edit--refused buffer problem)))))
      (toolgate-edit--checked buffer edited))))

(defun toolgate-edit--params ()
  "Return the params in this buffer; go to a JSON error and report it, if any."
  (goto-char (point-min))
  (let ((params (condition-case problem
                    (prog1 (json-parse-buffer :object-type 'alist
                                              :null-object :null
                                              :false-object :false)
                      (skip-chars-forward " \t\r\n")
                      (unless (eobp) (user-error "There is text after the JSON object")))
                  (json-error
                   (condition-case nil
                       ;; It accepts what the native parser rejects.
                       (toolgate-json-decode (buffer-string))
                     (error
                      (goto-char (min (point-max) (or (nth 4 problem) (point))))
                      (user-error "Not JSON: %s" (cadr problem))))))))
    (unless (listp params) (user-error "Params must be a JSON object"))
    params))

(defun toolgate-edit--checked (buffer edited)
  "Show EDITED, the call of BUFFER with its new params, for a decision."
  (when (toolgate-store-pending-p edited)
    (toolgate-approval--show-changed edited)
    (when (buffer-live-p buffer)
      (with-current-buffer buffer (set-buffer-modified-p nil))
      (let ((asked (toolgate-approval-buffer edited)))
        (if-let ((window (get-buffer-window buffer)))
            (progn (quit-restore-window window 'kill)
                   (if-let ((shown (get-buffer-window asked)))
                       (select-window shown)
                     (pop-to-buffer asked)))
          (kill-buffer buffer))))
    (toolgate-message "This is the new preview; decide in this buffer")))

(defun toolgate-edit--refused (buffer problem)
  "Display PROBLEM with the params in BUFFER, and go to the first invalid field."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (when-let* ((pointer (toolgate-get (elt (append (plist-get problem :errors)
                                                      '(nil))
                                              0)
                                         'pointer))
                  (name (car (last (split-string pointer "/" t))))
                  (place (save-excursion
                           (goto-char (point-min))
                           (re-search-forward
                            (format "\"%s\"[ \t]*:[ \t]*" (regexp-quote name)) nil t))))
        (goto-char place))))
  (toolgate-message "Invalid: %s" (toolgate-http-problem-text problem)))

(defun toolgate-edit-abandon ()
  "Discard the changes to the params."
  (interactive nil toolgate-edit-mode)
  (set-buffer-modified-p nil)
  (quit-window t))

(defun toolgate-edit--resolved (_connection call _decision)
  "Close the params of CALL, which no longer waits."
  (when-let ((buffer (get-buffer (format "*Agent Params: %s*"
                                         (toolgate-get call 'tool_call_id)))))
    (with-current-buffer buffer
      (if (buffer-modified-p)
          (setq header-line-format "The call was decided in another front end; this buffer has your edits")
        (dolist (window (get-buffer-window-list buffer nil t))
          (quit-restore-window window 'bury))
        (kill-buffer buffer)))))

(add-hook 'toolgate-approval-resolved-hook #'toolgate-edit--resolved)

(provide 'toolgate-edit)
;;; toolgate-edit.el ends here
