;;; toolgate-gptel.el --- Tools of Toolgate for gptel  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `toolgate-gptel-enable' makes the tools of the server available to gptel.
;; The tools run asynchronously: while a call waits for approval, Emacs and the
;; conversation stay usable.  A rejection reaches the model with its reason.

;;; Code:

(require 'toolgate-call)

(declare-function gptel-make-tool "ext:gptel-request" (&rest slots))
(defvar gptel-tools)

(defcustom toolgate-gptel-agent nil
  "Name of the agent in calls of gptel, or nil.
It selects the tools, rules and permissions of that agent."
  :type '(choice (const nil) string)
  :group 'toolgate)

;;;###autoload
(defun toolgate-gptel-enable ()
  "Let gptel use the tools of the server of this buffer, and no other tools.
In a buffer of gptel, this applies to that buffer only."
  (interactive)
  (unless (require 'gptel nil t) (user-error "The package gptel is missing"))
  (let ((tools (toolgate-gptel-tools)))
    (if (bound-and-true-p gptel-mode)
        (setq-local gptel-tools tools)
      (setq gptel-tools tools))
    (message "gptel can use %d tools of Toolgate" (length tools))))

(defun toolgate-gptel-tools (&optional connection)
  "Return the tools of the server of CONNECTION as gptel tools."
  (let ((connection (or connection (toolgate-current-connection))))
    (mapcar (lambda (tool) (toolgate-gptel--make connection tool))
            (toolgate-get-list
             (toolgate-http-wait
              connection "GET" "/tools"
              :query `((format . "openai")
                       ,@(and toolgate-gptel-agent
                              `((agent . ,toolgate-gptel-agent)))))
             'tools))))

(defun toolgate-gptel--make (connection tool)
  "Return the gptel tool for TOOL of the server of CONNECTION."
  (let* ((name (toolgate-get tool 'function 'name))
         (schema (toolgate-get tool 'function 'parameters))
         (required (append (toolgate-get schema 'required) nil))
         (properties (toolgate-get schema 'properties))
         (names (mapcar #'car properties)))
    (gptel-make-tool
     :name name
     :description (toolgate-get tool 'function 'description)
     :category "toolgate"
     :async t
     :args (mapcar (lambda (property)
                     (toolgate-gptel--argument property required))
                   properties)
     :function
     (lambda (callback &rest values)
       (toolgate-call
        name
        (seq-filter #'cdr (cl-mapcar (lambda (name value)
                                       (cons name (toolgate-gptel--value value)))
                                     names values))
        (lambda (call problem)
          (funcall callback (toolgate-call-text call problem)))
        :connection connection
        :session (concat "gptel " (buffer-name))
        :agent toolgate-gptel-agent)))))

(defun toolgate-gptel--argument (property required)
  "Return PROPERTY of a schema as an argument of gptel.
REQUIRED is the list of the names of required properties."
  (let ((name (symbol-name (car property))))
    (append (list :name name)
            (toolgate-gptel--plist (cdr property))
            (unless (member name required) (list :optional t)))))

(defun toolgate-gptel--plist (schema)
  "Return SCHEMA, a decoded JSON value, with plists as objects."
  (cond ((vectorp schema) (vconcat (mapcar #'toolgate-gptel--plist schema)))
        ((and (consp schema) (consp (car schema)))
         (mapcan (lambda (field)
                   (list (intern (format ":%s" (car field)))
                         (toolgate-gptel--plist (cdr field))))
                 schema))
        ((eq schema :false) :json-false)
        (t schema)))

(defun toolgate-gptel--value (value)
  "Return VALUE of gptel in the format of `toolgate-json-decode'.
A missing value is nil."
  (cond ((eq value :json-false) :false)
        ((vectorp value) (vconcat (mapcar #'toolgate-gptel--value value)))
        ((and (consp value) (keywordp (car value)))
         (cl-loop for (key inner) on value by #'cddr
                  collect (cons (intern (substring (symbol-name key) 1))
                                (toolgate-gptel--value inner))))
        (t value)))

(provide 'toolgate-gptel)
;;; toolgate-gptel.el ends here
