;;; toolgate-ediff.el --- Compare the files of a waiting call in Ediff  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The server provides the complete texts before and after; both are shown in
;; Ediff, and the window configuration is restored when the session ends.
;; Changes made there have no effect: edit the params of the call instead.

;;; Code:

(require 'ediff)
(require 'toolgate-approval)

(defvar toolgate-ediff--sessions nil
  "Pairs of a call id or proposal buffer, and a function that ends its session.")

;;;###autoload
(defun toolgate-ediff ()
  "Compare the files of this call before and after in Ediff."
  (interactive)
  (let ((call toolgate-decide-call))
    (when (toolgate-get call 'edited)
      (user-error "For edited params, only the diff is available; press d to show it"))
    (toolgate-ediff--choose
     call
     (toolgate-http-wait
      (toolgate-store-connection call) "GET"
      (format "/calls/%s/preview" (toolgate-get call 'tool_call_id))
      :query `((digest . ,(toolgate-get call 'approval 'digest)))))))

(defun toolgate-ediff--choose (call answer)
  "Compare one of the files of CALL in ANSWER; ask which if there are several."
  (let* ((files (toolgate-get-list answer 'files))
         (names (mapcar (lambda (file) (toolgate-get file 'path)) files))
         (name (if (cdr names) (completing-read "File: " names nil t)
                 (car names)))
         (file (seq-find (lambda (file) (equal name (toolgate-get file 'path)))
                         files)))
    (cond ((null file) (message "The call changes no text files"))
          ((toolgate-get file 'withheld)
           (message "The files cannot be shown: %s" (toolgate-get file 'withheld)))
          ((toolgate-store-pending-p call)
           (toolgate-ediff-texts (toolgate-get call 'tool_call_id) name
                                 (toolgate-get file 'before)
                                 (toolgate-get file 'after))))))

(defun toolgate-ediff-texts (id name before after)
  "Compare the texts BEFORE and AFTER of the file NAME in a session for ID.
ID is the id of a call or a proposal buffer.  Either text may be nil, if there
is no such file."
  (toolgate-ediff-close id)
  (let* ((windows (current-window-configuration))
         (one (toolgate-ediff--buffer id name "before" before))
         (two (toolgate-ediff--buffer id name "after" after))
         (control (ediff-buffers one two)))
    (push (cons id (lambda () (toolgate-ediff--end control)))
          toolgate-ediff--sessions)
    (with-current-buffer control
      (add-hook 'ediff-quit-hook
                (lambda ()
                  (toolgate-ediff--forget id)
                  (mapc #'kill-buffer
                        (seq-filter #'buffer-live-p (list one two)))
                  (set-window-configuration windows))
                90 t))))

(defun toolgate-ediff--buffer (id name which text)
  "Return a buffer with TEXT in the mode of the file NAME, for session ID.
WHICH says if it is the text before or after."
  (with-current-buffer (toolgate-show-new-buffer
                        (format "%s (%s)" name which)
                        (if (stringp id) id ""))
    (insert (or text ""))
    (toolgate-lines-mode name)
    (toolgate-lines-setup)
    (toolgate-lines-order)
    (set-buffer-modified-p nil)
    (setq buffer-read-only t)
    (current-buffer)))

(defun toolgate-ediff--end (control)
  "End the session of CONTROL without confirmation."
  (when (buffer-live-p control)
    (with-current-buffer control (ediff-really-quit nil))))

(defun toolgate-ediff--forget (id)
  "Remove the session for ID from the list."
  (setq toolgate-ediff--sessions
        (seq-remove (lambda (session) (equal id (car session)))
                    toolgate-ediff--sessions)))

(defun toolgate-ediff-close (id)
  "End the session for ID, if there is one."
  (when-let ((end (alist-get id toolgate-ediff--sessions nil nil #'equal)))
    (toolgate-ediff--forget id)
    (funcall end)))

(defun toolgate-ediff--resolved (_connection call _decision)
  "End the session of CALL, which no longer waits."
  (toolgate-ediff-close (toolgate-get call 'tool_call_id)))

;; Runs before the approval buffer is killed, which needs the restored windows.
(add-hook 'toolgate-approval-resolved-hook #'toolgate-ediff--resolved -50)

(provide 'toolgate-ediff)
;;; toolgate-ediff.el ends here
