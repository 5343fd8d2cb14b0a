;;; toolgate-call.el --- Run a tool interactively  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The user chooses a tool by completion and enters its params as its schema
;; specifies.  The call is subject to the same approvals as a call of an agent.

;;; Code:

(require 'toolgate-connection)
(require 'toolgate-faces)
(require 'toolgate-lines)
(require 'toolgate-schema)
(require 'toolgate-show)

(defconst toolgate-call--wait 600
  "Seconds to wait for the result of a call.")

;;;###autoload
(defun toolgate-call-tool ()
  "Run a tool: choose it, enter its params, and see its result."
  (interactive)
  (let* ((connection (toolgate-current-connection))
         (tool (toolgate-call--choose (toolgate-call--tools connection))))
    (toolgate-call-submit connection (toolgate-get tool 'name)
                          (toolgate-schema-read-object
                           (toolgate-get tool 'input)))))

(defun toolgate-call--tools (connection)
  "Return the tools of the server of CONNECTION."
  (toolgate-get-list (toolgate-http-wait connection "GET" "/tools") 'tools))

(defun toolgate-call--choose (tools)
  "Ask which of TOOLS to run, and return it."
  (let* ((named (mapcar (lambda (tool) (cons (toolgate-get tool 'name) tool))
                        tools))
         (completion-extra-properties
          (list :annotation-function
                (lambda (name)
                  (concat "  " (toolgate-get (cdr (assoc name named))
                                             'description)))))
         (name (completing-read "Tool: " named nil t)))
    (or (cdr (assoc name named)) (user-error "No tool chosen"))))

(defun toolgate-call--problem (problem)
  "Display PROBLEM, with the invalid fields."
  (toolgate-message "%s" (toolgate-http-problem-text problem)))

(defun toolgate-call-submit (connection tool params)
  "Run TOOL with PARAMS at CONNECTION, and show the result."
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
  "Show the result of CALL, without selecting its window."
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
    (toolgate-show-beside (current-buffer))
    (toolgate-message "%s: %s" (toolgate-get call 'tool)
                      (toolgate-get call 'status))))

(provide 'toolgate-call)
;;; toolgate-call.el ends here
