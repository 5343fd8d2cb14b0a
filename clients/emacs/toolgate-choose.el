;;; toolgate-choose.el --- Choosing one of several by completion  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What there is to choose from is listed in the order that it is given in.

;;; Code:

(require 'subr-x)

(defun toolgate-choose (prompt choices &optional default)
  "Ask with PROMPT which of CHOICES is meant, and return it.
CHOICES are pairs of a text, which tells it apart, and what is returned.  RET
alone takes the one with the text DEFAULT; without DEFAULT it is an error."
  (let ((text (completing-read
               prompt
               (lambda (text predicate action)
                 (if (eq action 'metadata)
                     '(metadata (display-sort-function . identity)
                                (cycle-sort-function . identity))
                   (complete-with-action action choices text predicate)))
               nil t nil nil default)))
    (when (string-empty-p text) (user-error "Nothing chosen"))
    (cdr (assoc text choices))))

(provide 'toolgate-choose)
;;; toolgate-choose.el ends here
