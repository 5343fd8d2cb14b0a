;;; toolgate-choose.el --- Choose an item by completion  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The choices are listed in the given order.

;;; Code:

(require 'subr-x)

(defun toolgate-choose (prompt choices &optional default)
  "Ask with PROMPT for one of CHOICES, and return its value.
CHOICES are pairs of a unique text and a value.  RET alone chooses the one
with the text DEFAULT; without DEFAULT it is an error."
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
