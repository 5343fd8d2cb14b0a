;;; toolgate-schema.el --- Read values that a schema describes  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A param of a tool is read in the minibuffer as its JSON schema specifies:
;; enums and booleans by completion, numbers within their bounds, other types
;; as JSON.  The server validates the params again.

;;; Code:

(require 'subr-x)
(require 'toolgate-json)

(defun toolgate-schema-read-object (schema)
  "Read an object that SCHEMA describes, and return it.
Ask first for the required params, then for the optional ones that the user
chooses."
  (let* ((properties (toolgate-get schema 'properties))
         (needed (toolgate-get-list schema 'required))
         (object nil)
         (rest nil))
    (dolist (property properties)
      (if (member (symbol-name (car property)) needed)
          (push (cons (car property)
                      (toolgate-schema-read (car property) (cdr property)))
                object)
        (push property rest)))
    (setq rest (nreverse rest))
    (let (chosen)
      (while (and rest (setq chosen (toolgate-schema--choose rest)))
        (push (cons (car chosen)
                    (toolgate-schema-read (car chosen) (cdr chosen)))
              object)
        (setq rest (delq chosen rest))))
    (nreverse object)))

(defun toolgate-schema--choose (properties)
  "Ask which of the optional PROPERTIES to add, and return it; nil for none."
  (let* ((names (mapcar (lambda (property) (symbol-name (car property)))
                        properties))
         (completion-extra-properties
          (list :annotation-function
                (lambda (name)
                  (concat "  " (or (toolgate-get
                                    (alist-get (intern name) properties)
                                    'description)
                                   "")))))
         (name (completing-read "Another param (RET for none): " names nil t)))
    (assq (intern name) properties)))

(defun toolgate-schema-read (name schema)
  "Read a value of the param NAME that SCHEMA describes, until it is valid."
  (let ((value (toolgate-schema--read-once name schema)) wrong)
    (while (setq wrong (toolgate-schema-wrong value schema))
      (message "%s %s" name wrong)
      (sit-for 1)
      (setq value (toolgate-schema--read-once name schema)))
    value))

(defun toolgate-schema--read-once (name schema)
  "Read a value of the param NAME that SCHEMA describes, once."
  (let* ((default (toolgate-get schema 'default))
         (prompt (format "%s%s%s: " name
                         (if-let ((about (toolgate-get schema 'description)))
                             (concat " (" (string-trim-right about "\\.") ")")
                           "")
                         (if default (format " [%s]" default) "")))
         (type (toolgate-get schema 'type)))
    (cond ((toolgate-get schema 'enum)
           (completing-read prompt (toolgate-get-list schema 'enum) nil t nil nil
                            default))
          ((equal type "boolean")
           (if (equal "true" (completing-read prompt '("true" "false") nil t nil
                                              nil "true"))
               t :false))
          ((member type '("integer" "number"))
           (read-number (format "%s: " (string-remove-suffix ": " prompt))
                        default))
          ((equal type "string") (read-string prompt nil nil default))
          (t (toolgate-schema--read-json prompt)))))

(defun toolgate-schema--read-json (prompt)
  "Read JSON with PROMPT until it is valid; plain text is a string."
  (let ((text (read-string (concat prompt "as JSON: "))))
    (condition-case nil (toolgate-json-decode text)
      (error text))))

(defun toolgate-schema-wrong (value schema)
  "Return a description of the error in VALUE according to SCHEMA, or nil.
Only frequent errors are checked."
  (let ((least (toolgate-get schema 'minimum))
        (most (toolgate-get schema 'maximum))
        (shortest (toolgate-get schema 'minLength))
        (longest (toolgate-get schema 'maxLength)))
    (cond ((and (equal "integer" (toolgate-get schema 'type))
                (not (integerp value)))
           "must be a whole number")
          ((and least (numberp value) (< value least))
           (format "must be at least %s" least))
          ((and most (numberp value) (> value most))
           (format "must be at most %s" most))
          ((and shortest (stringp value) (< (length value) shortest))
           (if (= shortest 1) "must not be empty"
             (format "must have at least %s characters" shortest)))
          ((and longest (stringp value) (> (length value) longest))
           (format "must have at most %s characters" longest)))))

(provide 'toolgate-schema)
;;; toolgate-schema.el ends here
