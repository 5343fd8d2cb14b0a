;;; toolgate-call.el --- Running a tool by hand, and taking back what one did  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A tool is chosen by completion and its params are asked for by its schema.
;; It goes through the same door as any agent's call: what asks, asks.

;;; Code:

(require 'diff-mode)
(require 'toolgate-actions)
(require 'toolgate-keys)
(require 'toolgate-schema)
(require 'toolgate-faces)
(require 'toolgate-lines)
(require 'toolgate-show)

(defconst toolgate-call--wait 600
  "Seconds for which the answer of a call is waited for.")

;;;###autoload
(defun toolgate-call-tool ()
  "Run a tool: choose one, give its params, and see its result."
  (interactive)
  (let ((connection (toolgate-current-connection)))
    (toolgate-http-request
     connection "GET" "/tools"
     :on-success (lambda (answer)
                   (toolgate-call--choose connection
                                          (toolgate-get-list answer 'tools)))
     :on-error #'toolgate-call--problem)))

(defun toolgate-call--problem (problem)
  "Tell PROBLEM, with the fields that were wrong."
  (toolgate-message "%s" (toolgate-http-problem-text problem)))

(defun toolgate-call--choose (connection tools)
  "Ask which of TOOLS to run at CONNECTION, with which params, and run it."
  (let* ((named (mapcar (lambda (tool) (cons (toolgate-get tool 'name) tool))
                        tools))
         (completion-extra-properties
          (list :annotation-function
                (lambda (name)
                  (concat "  " (toolgate-get (cdr (assoc name named))
                                             'description)))))
         (name (completing-read "Tool: " named nil t))
         (tool (cdr (assoc name named))))
    (when tool
      (toolgate-call-submit connection name
                            (toolgate-schema-read-object
                             (toolgate-get tool 'input))))))

(defun toolgate-call-submit (connection tool params)
  "Run TOOL with PARAMS at CONNECTION, and show what comes of it."
  (message "%s: sent" tool)
  (toolgate-http-request
   connection "POST" "/calls"
   :query `((wait_ms . ,(* 1000 toolgate-call--wait)))
   :body `((tool . ,tool) (params . ,(or params (make-hash-table)))
           (session_id . "emacs"))
   :timeout (+ 10 toolgate-call--wait)
   :on-success #'toolgate-call-show
   :on-error #'toolgate-call--problem))

(defun toolgate-call-show (call)
  "Show what came of CALL, without going there."
  (with-current-buffer (get-buffer-create
                        (format "*Agent Result: %s*" (toolgate-get call 'tool)))
    (special-mode)
    (toolgate-lines-setup)
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert (toolgate-faces-text
               (format "%s: %s" (toolgate-get call 'tool)
                       (toolgate-get call 'status))
               'toolgate-heading)
              "\n\n"
              (toolgate-lines-break
               (or (toolgate-get call 'result 'content)
                   (toolgate-get call 'error 'message)
                   (toolgate-get call 'user_message)
                   (toolgate-get call 'reason)
                   ""))
              "\n")
      (toolgate-lines-order)
      (goto-char (point-min)))
    (setq-local toolgate-call--shown call)
    (toolgate-show-beside (current-buffer))
    (toolgate-message "%s: %s" (toolgate-get call 'tool)
                      (toolgate-get call 'status))))

(defvar-local toolgate-call--shown nil
  "The call whose result this buffer shows.")

;;;; Undo

(defvar-local toolgate-call--undo nil
  "Function that does the undo that this buffer shows.")

(defvar toolgate-undo-mode-map
  (toolgate-keys "C-c C-c" #'toolgate-undo-do
                 "C-c C-k" #'quit-window
                 "q" #'quit-window)
  "Keys of `toolgate-undo-mode', before those of `diff-mode'.")

(define-derived-mode toolgate-undo-mode diff-mode "Agent-Undo"
  "What undoing a call would do.
\\<toolgate-undo-mode-map>\\[toolgate-undo-do] does it."
  (setq buffer-read-only t
        truncate-lines t
        header-line-format " What undoing would do.  C-c C-c does it, q leaves it")
  (toolgate-lines-setup))

;;;###autoload
(defun toolgate-undo-call ()
  "Take back what a call changed in files; choose which, and look first."
  (interactive)
  (let ((connection (toolgate-current-connection)))
    (toolgate-call--look-at-undo connection
                                 (toolgate-call--read-undo connection))))

(defun toolgate-call--read-undo (connection)
  "Read which call of CONNECTION is to be undone: the latest first."
  (let ((choices (mapcar
                  (lambda (call)
                    (cons (format "%s: %s, %s ago  %s"
                                  (toolgate-get call 'tool)
                                  (or (toolgate-get call 'title) "done")
                                  (toolgate-faces-age
                                   (toolgate-get call 'finished_at))
                                  (toolgate-get call 'tool_call_id))
                          (toolgate-get call 'tool_call_id)))
                  (seq-filter (lambda (call)
                                (equal "success" (toolgate-get call 'status)))
                              (reverse (toolgate-store-calls connection))))))
    (unless choices (user-error "No call has ended that is known here"))
    (cdr (assoc (completing-read
                 "Undo (RET: the latest): "
                 (lambda (text predicate action)
                   (if (eq action 'metadata)
                       '(metadata (display-sort-function . identity))
                     (complete-with-action action choices text predicate)))
                 nil t nil nil (caar choices))
                choices))))

(defun toolgate-call--look-at-undo (connection id)
  "Show what undoing the call ID of CONNECTION would do now."
  (toolgate-undo-preview
   id :connection connection
   :callback (lambda (shown problem)
               (if problem (toolgate-call--problem problem)
                 (toolgate-call--show-undo connection id shown)))))

(defun toolgate-call--show-undo (connection id shown)
  "Show what undoing the call ID of CONNECTION would do, by SHOWN."
  (if (not (toolgate-get shown 'available))
      (message "It cannot be undone: %s" (toolgate-get shown 'reason))
    (pop-to-buffer (get-buffer-create "*Agent Undo*"))
    (toolgate-undo-mode)
    (let ((inhibit-read-only t))
      (erase-buffer)
      (dolist (file (toolgate-get-list shown 'files))
        (insert (format "# %s %s\n" (toolgate-get file 'action)
                        (toolgate-get file 'path))
                (toolgate-lines-break (or (toolgate-get file 'diff) ""))))
      (goto-char (point-min)))
    (setq toolgate-call--undo
          (lambda (confirm)
            (toolgate-undo id :digest (toolgate-get shown 'digest)
                           :confirm confirm :connection connection
                           :callback
                           (lambda (call problem)
                             (toolgate-call--undone connection id call
                                                    problem)))))))

(defun toolgate-undo-do ()
  "Do the undo that this buffer shows."
  (interactive nil toolgate-undo-mode)
  (let ((undo toolgate-call--undo))
    (quit-window)
    (funcall undo t)))

(defun toolgate-call--undone (connection id call problem)
  "Tell what came of undoing ID of CONNECTION: CALL or PROBLEM.
What would be something else by now is shown anew."
  (if (null problem)
      (toolgate-message "Undo: %s" (toolgate-get call 'status))
    (toolgate-call--problem problem)
    (when (equal (plist-get problem :code) "PREVIEW_CHANGED")
      (toolgate-call--look-at-undo connection id))))

(provide 'toolgate-call)
;;; toolgate-call.el ends here
