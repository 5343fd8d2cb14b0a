;;; toolgate-keys.el --- Define keymaps  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A replacement for `defvar-keymap', which requires Emacs 29.1.

;;; Code:

(defun toolgate-keys (&rest keys)
  "Return a keymap of KEYS: each in `kbd' syntax, followed by its command."
  (let ((map (make-sparse-keymap)))
    (while keys
      (define-key map (kbd (pop keys)) (pop keys)))
    map))

(provide 'toolgate-keys)
;;; toolgate-keys.el ends here
