;;; toolgate-json.el --- JSON encoding and decoding  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Objects are alists with symbols as keys, arrays are vectors, null is :null
;; and false is :false.  So decoded values can be encoded again without loss.
;; `toolgate-get' reads them with Lisp conventions.

;;; Code:

(require 'json)
(require 'seq)
(require 'subr-x)

(defun toolgate-json-decode (text)
  "Return the decoded JSON value in TEXT.
TEXT may be unibyte, in UTF-8.  Signal `json-error' if it is not JSON."
  (condition-case nil
      (json-parse-string text :object-type 'alist
                         :null-object :null :false-object :false)
    ;; The native parser rejects NUL, unpaired surrogates and large integers,
    ;; and some Emacs builds lack it: the slow one accepts all.
    (error (toolgate-json--decode-slowly text))))

(defun toolgate-json--decode-slowly (text)
  "Return the JSON value in TEXT, decoded in Lisp."
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
VALUE has the format of `toolgate-json-decode'; nil is an empty object."
  ;; The native encoder rejects large integers and unpaired surrogates, and
  ;; encodes 1.1 as 1.1000000000000001.
  (let ((text (condition-case nil
                  (if (toolgate-json--holds-float-p value)
                      (toolgate-json--encode-slowly value)
                    (json-serialize value
                                    :null-object :null :false-object :false))
                (error (toolgate-json--encode-slowly value)))))
    ;; Emacs before 30 returns characters, later versions return bytes.
    (if (multibyte-string-p text) (encode-coding-string text 'utf-8) text)))

(defun toolgate-json--holds-float-p (value)
  "Return non-nil if VALUE is a float, or contains one."
  (cond ((floatp value))
        ((hash-table-p value)
         (seq-some #'toolgate-json--holds-float-p (hash-table-values value)))
        ((vectorp value) (seq-some #'toolgate-json--holds-float-p value))
        ((consp value)
         (seq-some (lambda (field) (toolgate-json--holds-float-p (cdr field)))
                   value))))

(defun toolgate-json--encode-slowly (value)
  "Return VALUE as JSON, encoded in Lisp."
  (let ((json-null :null) (json-false :false))
    (replace-regexp-in-string
     "[\xd800-\xdfff]"
     (lambda (half) (format "\\u%04x" (aref half 0)))
     (json-encode (or value (make-hash-table))) t t)))

(defun toolgate-get (object &rest keys)
  "Return the value at the path KEYS in OBJECT.
A key is a symbol, or an index into an array.  Null, false and missing values
are returned as nil."
  (while (and keys object)
    (let ((key (pop keys)))
      (setq object (cond ((symbolp key) (and (listp object)
                                             (alist-get key object)))
                         ((and (vectorp object) (< -1 key (length object)))
                          (aref object key))))))
  (if (memq object '(:null :false)) nil object))

(defun toolgate-get-list (object &rest keys)
  "Return the array at the path KEYS in OBJECT as a list."
  (append (apply #'toolgate-get object keys) nil))

(provide 'toolgate-json)
;;; toolgate-json.el ends here
