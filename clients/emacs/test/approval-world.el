;;; approval-world.el --- Calls that wait, for tests  -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A connection at which calls wait, a screen that is free, and a server that
;; answers as a test tells it to.

;;; Code:

(require 'ert)
(require 'cl-lib)
(require 'toolgate-appear)

(defvar approval-test--requests nil "What was sent, newest first.")
(defvar approval-test--answers nil "Pairs of a path and what it answers.")

(defun approval-test--request (_connection method path &rest keys)
  "Note METHOD, PATH and KEYS, and answer as is arranged."
  (push (list method path (plist-get keys :body)) approval-test--requests)
  (let ((answer (cdr (assoc path approval-test--answers))))
    (cond ((null answer) nil)
          ((keywordp (car answer)) (funcall (plist-get keys :on-error) answer))
          (t (funcall (plist-get keys :on-success) answer)))
    #'ignore))

(defun approval-test-call (id &rest more)
  "Return a call ID that edits a poem; MORE are pairs that come before."
  (append
   more
   (toolgate-json-decode
    (format "{\"status\":\"awaiting_approval\",\"tool_call_id\":%S,
\"tool\":\"edit_file\",\"params\":{\"path\":\"poem.txt\",\"old\":\"violets\",
\"new\":\"tulips\"},\"session_id\":\"song\",\"workspace\":\"default\",
\"client\":\"an-agent\",\"created_at\":\"2026-11-22T20:30:34.067Z\",
\"approval\":{\"level\":\"ask\",\"reason\":\"Modifies files.\",
\"matched_rules\":[{\"tier\":\"tool\",\"effect\":\"write\",
\"reason\":\"Modifies files.\"}],\"preview\":{\"title\":\"Edit poem.txt\",
\"diff\":\"--- a/poem.txt\\n+++ b/poem.txt\\n@@ -1,2 +1,2 @@\\n roses\\n-violets\\n+tulips\\n\"},
\"digest\":\"digest-of-%s\",\"expires_at\":null,
\"available_decisions\":[\"approve\",\"reject\"],\"always_options\":[
{\"id\":\"path:session\",\"label\":\"Always allow edit_file on poem.txt\",
\"scope\":\"session\",\"rule\":{\"effect\":\"allow\",\"match\":{\"tool\":
\"edit_file\",\"path\":\"poem.txt\"}}}]}}" id id))))

(defun approval-test-strict (id)
  "Return a strict call ID."
  (let ((call (approval-test-call id)))
    (setf (alist-get 'level (alist-get 'approval call)) "strict")
    call))

(defmacro approval-test-with (calls &rest body)
  "Run BODY with a connection at which CALLS wait, and the screen free."
  (declare (indent 1))
  `(let* ((connection (toolgate-connection--make
                       :url "http://127.0.0.1:9" :roots '("/nowhere/ws")))
          (toolgate-connections (list connection))
          (toolgate-decide--sent nil)
          (toolgate-notify-function #'ignore)
          (inhibit-message t)
          (approval-test--requests nil)
          (approval-test--answers nil))
     (cl-letf (((symbol-function 'toolgate-http-request)
                #'approval-test--request)
               ((symbol-function 'toolgate-show--free-p) (lambda () t)))
       (save-window-excursion
         (delete-other-windows)
         (switch-to-buffer "*scratch*")
         (unwind-protect
             (progn
               (dolist (call ,calls) (toolgate-store-pend connection call))
               ,@body)
           (dolist (buffer (buffer-list))
             (when (string-match-p "\\`\\*Agent" (buffer-name buffer))
               (with-current-buffer buffer (set-buffer-modified-p nil))
               (kill-buffer buffer))))))))

(defun approval-test-names ()
  "Return the names of buffers that ask or show what is asked."
  (sort (seq-filter (lambda (name) (string-prefix-p "*Agent" name))
                    (mapcar #'buffer-name (buffer-list)))
        #'string<))

(defun approval-test-look ()
  "Have the current buffer displayed whole, for long enough.
There is no screen in batch mode, so nothing is recorded."
  (toolgate-displayed-add (point-min) (point-max))
  (setq toolgate-guard--since 0))

(defmacro approval-test-in (call &rest body)
  "Run BODY in the selected buffer that asks about CALL, displayed, its guard over."
  (declare (indent 1))
  `(progn (select-window (display-buffer (toolgate-approval-buffer ,call)))
          (approval-test-look)
          ,@body))

(provide 'approval-world)
;;; approval-world.el ends here
