;;; toolgate-ediff.el --- Files of a waiting call, before and after  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The server knows the whole texts before and after; both are shown in ediff,
;; and the windows are as they were once it ends, whoever ends it.  What is
;; changed there changes nothing: other params are edited as such.

;;; Code:

(require 'ediff)
(require 'toolgate-approval)

(defvar toolgate-ediff--sessions nil
  "Pairs of what a session is for, and a function that ends it.")

;;;###autoload
(defun toolgate-ediff ()
  "Compare the files of this call before and after in Ediff."
  (interactive)
  (let ((call toolgate-decide-call))
    (when (toolgate-get call 'edited)
      (user-error "For edited params only the diff is available; d shows it"))
    (toolgate-ediff--choose
     call
     (toolgate-http-wait
      (toolgate-store-connection call) "GET"
      (format "/calls/%s/preview" (toolgate-get call 'tool_call_id))
      :query `((digest . ,(toolgate-get call 'approval 'digest)))))))

(defun toolgate-ediff--choose (call answer)
  "Compare one of the files of CALL that ANSWER has; ask which of several."
  (let* ((files (toolgate-get-list answer 'files))
         (names (mapcar (lambda (file) (toolgate-get file 'path)) files))
         (name (if (cdr names) (completing-read "File: " names nil t)
                 (car names)))
         (file (seq-find (lambda (file) (equal name (toolgate-get file 'path)))
                         files)))
    (cond ((null file) (message "The call changes no text files"))
          ((toolgate-get file 'withheld)
           (message "Not shown: %s" (toolgate-get file 'withheld)))
          ((toolgate-store-pending-p call)
           (toolgate-ediff-texts (toolgate-get call 'tool_call_id) name
                                 (toolgate-get file 'before)
                                 (toolgate-get file 'after))))))

(defun toolgate-ediff-texts (id name before after)
  "Compare the texts BEFORE and AFTER of the file NAME, for what has the ID.
Either may be nil, where there is no such file."
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
  "Return a buffer with TEXT in the mode of the file NAME, for what has the ID.
WHICH tells whether it is the text before or after."
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
  "End the session of CONTROL without asking."
  (when (buffer-live-p control)
    (with-current-buffer control (ediff-really-quit nil))))

(defun toolgate-ediff--forget (id)
  "Forget the session for ID."
  (setq toolgate-ediff--sessions
        (seq-remove (lambda (session) (equal id (car session)))
                    toolgate-ediff--sessions)))

(defun toolgate-ediff-close (id)
  "End the session for ID, if there is one."
  (when-let ((end (alist-get id toolgate-ediff--sessions nil nil #'equal)))
    (toolgate-ediff--forget id)
    (funcall end)))

(defun toolgate-ediff--resolved (_connection call _decision)
  "CALL waits no more: its session ends."
  (toolgate-ediff-close (toolgate-get call 'tool_call_id)))

;; Before the prompt goes: that knows the windows as they will be then.
(add-hook 'toolgate-approval-resolved-hook #'toolgate-ediff--resolved -50)

(provide 'toolgate-ediff)
;;; toolgate-ediff.el ends here
