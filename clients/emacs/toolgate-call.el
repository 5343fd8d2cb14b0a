;;; toolgate-call.el --- Run a tool interactively  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The user chooses a tool by completion and enters its params as its schema
;; specifies.  The call is subject to the same approvals as a call of an agent.
;; Programs use `toolgate-call'.

;;; Code:

(require 'cl-lib)
(require 'subr-x)
(require 'toolgate-connection)
(require 'toolgate-faces)
(require 'toolgate-lines)
(require 'toolgate-schema)
(require 'toolgate-show)

(autoload 'toolgate-comment-line "toolgate-comment")

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
  (toolgate-call tool params
                 (lambda (call problem)
                   (if problem (toolgate-call--problem problem)
                     (toolgate-call-show call)))
                 :connection connection))

;;; Calls from Lisp

(defconst toolgate-call--step 60
  "Seconds that one request waits for the end of a call.")

(defconst toolgate-call--retries 5
  "Number of times that a lost connection is tried again.")

;;;###autoload
(cl-defun toolgate-call (tool params callback
                              &key connection session agent context)
  "Call TOOL with PARAMS, and return without waiting for the result.
PARAMS is an alist of symbols and values, in the format of
`toolgate-json-decode'.  When the call has ended, CALLBACK is called with the
call, an alist with `status', and `result', `error' or `reason'; and with nil.
If the call could not be sent, CALLBACK is called with nil and a plist with
:code and :message.  While the call waits for approval, nothing is called.
CONNECTION is the server, by default that of the current buffer.  SESSION
groups calls of one conversation, AGENT names the agent that calls, and CONTEXT
is the purpose, for approvers.  Return the id of the call, for
`toolgate-call-cancel'."
  (let ((connection (or connection (toolgate-current-connection)))
        (id (toolgate-call--make-id)))
    (toolgate-call--send
     connection "POST" "/calls"
     `((tool_call_id . ,id) (tool . ,tool)
       (params . ,(or params (make-hash-table)))
       (session_id . ,(or session "emacs"))
       ,@(and agent `((agent . ,agent)))
       ,@(and context `((context . ,context))))
     id callback toolgate-call--retries)
    id))

(defun toolgate-call-cancel (id &optional connection)
  "Cancel the call ID of CONNECTION, whether it waits or runs."
  (toolgate-http-request
   (or connection (toolgate-current-connection))
   "POST" (format "/calls/%s/cancel" id)))

(defun toolgate-call--send (connection method path body id callback retries)
  "Request METHOD PATH with BODY at CONNECTION until the call ID has ended.
Then call CALLBACK.  RETRIES lost connections are tried again: a request with
the same id never runs a call twice."
  (toolgate-http-request
   connection method path
   :query `((wait_ms . ,(* 1000 toolgate-call--step)))
   :body body
   :timeout (+ 10 toolgate-call--step)
   :on-success
   (lambda (call)
     (if (member (toolgate-get call 'status)
                 '("awaiting_approval" "queued" "running"))
         (toolgate-call--send connection "GET" (concat "/calls/" id) nil
                              id callback toolgate-call--retries)
       (funcall callback call nil)))
   :on-error
   (lambda (problem)
     (if (and (equal (plist-get problem :code) "NO_ANSWER") (> retries 0))
         (run-at-time 1 nil #'toolgate-call--send connection method path body
                      id callback (1- retries))
       (funcall callback nil problem)))))

(defun toolgate-call--make-id ()
  "Return a new id of a call: a ULID, which begins with the time."
  (let ((digits "0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        (time (floor (* 1000 (float-time)))) (text ""))
    (dotimes (_ 10)
      (setq text (concat (string (aref digits (mod time 32))) text)
            time (/ time 32)))
    (dotimes (_ 16)
      (setq text (concat text (string (aref digits (random 32))))))
    (concat "tc_" text)))

(defun toolgate-call-text (call problem)
  "Return the text of CALL or PROBLEM for a model."
  (cond
   (problem (format "%s: %s" (plist-get problem :code)
                    (plist-get problem :message)))
   ((toolgate-get call 'result 'content))
   ((toolgate-get call 'error)
    (format "%s: %s" (toolgate-get call 'error 'code)
            (toolgate-get call 'error 'message)))
   (t (string-join
       (cons (string-join (delq nil (list (concat "The call was "
                                                  (toolgate-get call 'status)
                                                  ".")
                                          (toolgate-get call 'reason)
                                          (toolgate-get call 'user_message)))
                          " ")
             (mapcar #'toolgate-comment-line
                     (toolgate-get-list call 'comments)))
       "\n"))))

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
              (toolgate-lines-break (toolgate-call-text call nil))
              "\n")
      (toolgate-lines-order)
      (goto-char (point-min)))
    (toolgate-show-beside (current-buffer))
    (toolgate-message "%s: %s" (toolgate-get call 'tool)
                      (toolgate-get call 'status))))

(provide 'toolgate-call)
;;; toolgate-call.el ends here
