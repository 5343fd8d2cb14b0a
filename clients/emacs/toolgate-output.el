;;; toolgate-output.el --- Output of a command  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A buffer that follows the output of a call.  Each request asks for the
;; output after the known offset, so that none is lost or repeated.  The next
;; request follows a tenth of a second after an answer, so that a large output
;; does not block Emacs.

;;; Code:

(require 'ansi-color)
(require 'comint)
(require 'toolgate-keys)
(require 'toolgate-store)
(require 'toolgate-faces)
(require 'toolgate-lines)
(require 'toolgate-show)

(defcustom toolgate-output-max-bytes (* 1024 1024)
  "Maximum size in bytes of the output in a buffer; the newest output is kept.
A button shows the complete output."
  :type 'integer
  :group 'toolgate)

(defconst toolgate-output--pause 0.1 "Seconds between two requests.")
(defconst toolgate-output--retry 2
  "Seconds after which a failed request is repeated.")
(defconst toolgate-output--wait 20
  "Maximum seconds that the server waits for more output.")

(defvar-local toolgate-output-call nil
  "Id of the call whose output this buffer shows.")
(defvar-local toolgate-output--offset 0 "Number of bytes read.")
(defvar-local toolgate-output--max nil
  "Maximum number of characters to keep, or nil for no limit.")
(defvar-local toolgate-output--cut nil "Non-nil if the beginning is omitted.")
(defvar-local toolgate-output--state "reading" "State of the output.")
(defvar-local toolgate-output--give-up nil
  "Function that cancels the request in flight.")
(defvar-local toolgate-output--timer nil "Timer for the next request.")
;; The output is also followed in another mode, such as one that highlights
;; errors.
(dolist (variable '(toolgate-output-call toolgate-output--offset
                    toolgate-output--max toolgate-output--cut
                    toolgate-output--state toolgate-output--give-up
                    toolgate-output--timer))
  (put variable 'permanent-local t))

(defvar toolgate-output-mode-map
  (toolgate-keys "k" #'toolgate-output-stop
                 "i" #'toolgate-output-input
                 "W" #'toolgate-output-whole)
  "Keys of `toolgate-output-mode'.")

(define-derived-mode toolgate-output-mode special-mode "Agent-Output"
  "Output of a command.  The buffer follows while point is at the end.

\\{toolgate-output-mode-map}"
  (setq truncate-lines t
        header-line-format '(:eval (toolgate-output--header)))
  (setq-local revert-buffer-function
              (lambda (&rest _) (toolgate-output--again)))
  (setq-local ansi-color-apply-face-function
              #'ansi-color-apply-text-property-face)
  (toolgate-lines-setup)
  (buffer-disable-undo)
  (add-hook 'kill-buffer-hook #'toolgate-output--end nil t))

(defun toolgate-output-show (id connection title)
  "Switch to the output of the call ID of CONNECTION; TITLE names the buffer."
  (let ((known (toolgate-output--find id)))
    (pop-to-buffer (or known
                       (toolgate-show-new-buffer
                        (format "*Agent Output: %s*"
                                (truncate-string-to-width
                                 (toolgate-faces-line title) 40 nil nil t))
                        id)))
    (unless known
      (toolgate-output-mode)
      (setq toolgate-output-call id
            toolgate-buffer-connection connection
            toolgate-output--max toolgate-output-max-bytes)
      (toolgate-output--read))))

(defun toolgate-output--find (id)
  "Return the buffer that shows the output of the call ID, or nil."
  (seq-find (lambda (buffer)
              (equal id (buffer-local-value 'toolgate-output-call buffer)))
            (buffer-list)))

(defun toolgate-output--header ()
  "Return the header line: the size of the output, and the keys."
  (format " %s · %s · k stop  i input  q close"
          toolgate-output--state
          (toolgate-faces-size toolgate-output--offset)))

(defun toolgate-output--read ()
  "Request the output after the known offset."
  (let ((buffer (current-buffer)))
    (setq toolgate-output--give-up
          (toolgate-http-request
           toolgate-buffer-connection "GET"
           (format "/calls/%s/output" toolgate-output-call)
           :query `((offset . ,toolgate-output--offset)
                    (wait_ms . ,(* 1000 toolgate-output--wait)))
           :timeout (+ 10 toolgate-output--wait)
           :on-success (lambda (answer)
                         (toolgate-output--in buffer #'toolgate-output--take
                                              answer))
           :on-error (lambda (problem)
                       (toolgate-output--in buffer #'toolgate-output--failed
                                            problem))))))

(defun toolgate-output--in (buffer function argument)
  "Call FUNCTION with ARGUMENT in BUFFER, if that is live."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer (funcall function argument))))

(defun toolgate-output--take (answer)
  "Append the output in ANSWER, and request more unless it has ended."
  (toolgate-output--append (or (toolgate-get answer 'text) ""))
  (setq toolgate-output--offset (or (toolgate-get answer 'next_offset)
                                    toolgate-output--offset))
  (if (and (toolgate-get answer 'ended)
           (equal (or (toolgate-get answer 'text) "") ""))
      (setq toolgate-output--state "ended")
    (setq toolgate-output--state "running")
    (toolgate-output--read-after toolgate-output--pause))
  (force-mode-line-update))

(defun toolgate-output--failed (problem)
  "Report PROBLEM; if there was no response, retry later."
  (setq toolgate-output--state (plist-get problem :message))
  (when (eql 0 (plist-get problem :status))
    (toolgate-output--read-after toolgate-output--retry))
  (force-mode-line-update))

(defun toolgate-output--read-after (seconds)
  "Request more output after SECONDS."
  (setq toolgate-output--timer
        (run-with-timer seconds nil #'toolgate-output--in (current-buffer)
                        (lambda (_) (toolgate-output--read)) nil)))

(defun toolgate-output--append (text)
  "Append TEXT; point at the end stays at the end."
  (toolgate-lines-growing
   (lambda ()
     (let ((start (copy-marker (toolgate-lines-append text))))
       (comint-carriage-motion start (point-max))
       (ansi-color-apply-on-region start (point-max)))
     (toolgate-output--cap))))

(defun toolgate-output--cap ()
  "Delete the oldest lines if there are too many."
  (let ((over (and toolgate-output--max
                   (- (buffer-size) toolgate-output--max))))
    (when (and over (> over 0))
      (goto-char (+ (point-min) over (/ toolgate-output--max 4)))
      (forward-line 1)
      (delete-region (point-min) (point))
      (goto-char (point-min))
      (insert-text-button "Earlier output is omitted; RET shows the whole output"
                          'action (lambda (_) (toolgate-output-whole)))
      (insert "\n"))))

(defun toolgate-output-whole ()
  "Show the complete output, of any length."
  (interactive nil toolgate-output-mode)
  (setq toolgate-output--max nil)
  (toolgate-output--again))

(defun toolgate-output--again ()
  "Read the output again from its beginning."
  (toolgate-output--end)
  (let ((inhibit-read-only t)) (erase-buffer))
  (setq toolgate-output--offset 0)
  (toolgate-output--read))

(defun toolgate-output--end ()
  "Stop following the output."
  (when toolgate-output--timer (cancel-timer toolgate-output--timer))
  (when (functionp toolgate-output--give-up) (funcall toolgate-output--give-up)))
(put 'toolgate-output--end 'permanent-local-hook t)

(defun toolgate-output-stop ()
  "Stop the command, after confirmation."
  (interactive nil toolgate-output-mode)
  (toolgate-output-stop-call toolgate-output-call toolgate-buffer-connection))

(defun toolgate-output-input (text)
  "Write TEXT and a newline to the command."
  (interactive "sInput: " toolgate-output-mode)
  (toolgate-output-send toolgate-output-call toolgate-buffer-connection text))

(declare-function toolgate-cancel-call "toolgate-actions")

(defun toolgate-output-stop-call (id connection)
  "Stop the call ID of CONNECTION, after confirmation."
  (require 'toolgate-actions)
  (let ((name (toolgate-faces-line
               (or (toolgate-get (gethash id (toolgate-connection-jobs connection))
                                 'command)
                   (toolgate-get (toolgate-store-call id connection) 'tool)
                   id))))
    (when (yes-or-no-p (format "Stop %s? " (truncate-string-to-width name 60)))
      (toolgate-cancel-call
       id :connection connection
       :callback (lambda (_result problem)
                   (toolgate-message "%s" (if problem
                                              (plist-get problem :message)
                                            (concat "Stopped: " name))))))))

(defun toolgate-output-send (id connection text)
  "Write TEXT and a newline to the job ID of CONNECTION."
  (toolgate-http-request
   connection "POST" (format "/calls/%s/input" id)
   :body `((text . ,(concat text "\n")))
   :on-success #'ignore
   :on-error (lambda (problem)
               (toolgate-message "The input was not sent: %s"
                                 (plist-get problem :message)))))

(provide 'toolgate-output)
;;; toolgate-output.el ends here
