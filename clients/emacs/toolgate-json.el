;;; toolgate-json.el --- JSON as Toolgate speaks it  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Objects are alists with symbols for keys, arrays are vectors, null is
;; :null and false is :false.  What was read can so be written again without
;; loss.  `toolgate-get' reads it the way Lisp wants it.

;;; Code:

(require 'json)
(require 'seq)
(require 'subr-x)

(defun toolgate-json-decode (text)
  "Return what the JSON in TEXT says.
TEXT may be unibyte, in UTF-8.  Signal `json-error' if it is no JSON."
  (condition-case nil
      (json-parse-string text :object-type 'alist
                         :null-object :null :false-object :false)
    ;; The native reader takes no NUL, no half of a surrogate pair and no
    ;; large integer, and some Emacs have none: the slow one takes all.
    (error (toolgate-json--decode-slowly text))))

(defun toolgate-json--decode-slowly (text)
  "Return what the JSON in TEXT says, read by Lisp."
  (with-temp-buffer
    (insert (if (multibyte-string-p text) text
              (decode-coding-string text 'utf-8)))
    (goto-char (point-min))
    (let* ((json-object-type 'alist) (json-array-type 'vector)
           (json-key-type 'symbol) (json-null :null) (json-false :false)
           (value (json-read)))
      (json-skip-whitespace)
      (if (eobp) value (signal 'json-readtable-error (list (char-after)))))))

(defun toolgate-json-encode (value)
  "Return VALUE as JSON, a unibyte string in UTF-8.
VALUE is built as `toolgate-json-decode' gives it; nil is an empty object."
  ;; The native writer takes no large integer and no half of a surrogate pair,
  ;; and writes 1.1 as 1.1000000000000001.
  (let ((text (condition-case nil
                  (if (toolgate-json--holds-float-p value)
                      (toolgate-json--encode-slowly value)
                    (json-serialize value
                                    :null-object :null :false-object :false))
                (error (toolgate-json--encode-slowly value)))))
    ;; Emacs before 30 gives letters, later ones bytes.
    (if (multibyte-string-p text) (encode-coding-string text 'utf-8) text)))

(defun toolgate-json--holds-float-p (value)
  "Return whether VALUE is a number with a fraction, or holds one."
  (cond ((floatp value))
        ((hash-table-p value)
         (seq-some #'toolgate-json--holds-float-p (hash-table-values value)))
        ((vectorp value) (seq-some #'toolgate-json--holds-float-p value))
        ((consp value)
         (seq-some (lambda (field) (toolgate-json--holds-float-p (cdr field)))
                   value))))

(defun toolgate-json--encode-slowly (value)
  "Return VALUE as JSON, written by Lisp."
  (let ((json-null :null) (json-false :false))
    (replace-regexp-in-string
     "[\xd800-\xdfff]"
     (lambda (half) (format "\\u%04x" (aref half 0)))
     (json-encode (or value (make-hash-table))) t t)))

(defun toolgate-get (object &rest keys)
  "Return what is in OBJECT under KEYS, one within the other.
A key is a symbol, or an index into an array.  Null, false and what is not
there are nil."
  (while (and keys object)
    (let ((key (pop keys)))
      (setq object (cond ((symbolp key) (and (listp object)
                                             (alist-get key object)))
                         ((and (vectorp object) (< -1 key (length object)))
                          (aref object key))))))
  (if (memq object '(:null :false)) nil object))

(defun toolgate-get-list (object &rest keys)
  "Return the array that is in OBJECT under KEYS as a list."
  (append (apply #'toolgate-get object keys) nil))

(provide 'toolgate-json)
;;; toolgate-json.el ends here
