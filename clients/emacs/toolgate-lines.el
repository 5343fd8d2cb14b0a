;;; toolgate-lines.el --- Display foreign text safely and fast  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Redisplay is slow for long lines and for bidirectional text, and some
;; characters hide or reorder adjacent text.  So long lines are broken, and
;; such characters are displayed as their codes.

;;; Code:

(require 'seq)
(require 'toolgate-invisible)

(defconst toolgate-lines--longest 8192
  "Maximum number of characters of a line that is not broken.")

(defun toolgate-lines--class (ranges)
  "Return the contents of a bracket expression that matches RANGES."
  (mapconcat (lambda (range) (format "%c-%c" (car range) (cdr range)))
             ranges ""))

(defconst toolgate-lines--deceptive
  (mapcan (lambda (range)
            (if (equal range '(#xfe00 . #xfe0f)) (list '(#xfe00 . #xfe0e))
              (list range)))
          (copy-sequence toolgate-invisible-ranges))
  "Ranges of characters that always render as nothing or reorder text.
U+FE0F is not included: after a pictograph it selects the emoji form.")

(defconst toolgate-lines--stray-selector
  (concat "\\(?:^\\|[^" (toolgate-lines--class toolgate-invisible-pictographs)
          "]\\)\\(\ufe0f\\)")
  "Regexp that matches U+FE0F, as group 1, unless it follows a pictograph.")

(defconst toolgate-lines-deceptive
  (concat "[" (toolgate-lines--class toolgate-lines--deceptive) "]\\|"
          toolgate-lines--stray-selector)
  "Regexp that matches a character that renders as nothing or reorders text.")

(defun toolgate-lines-break (text)
  "Return TEXT with its overlong lines broken, each break marked."
  (if (<= (length text) toolgate-lines--longest) text
    (with-temp-buffer
      (toolgate-lines-append text)
      (buffer-string))))

(defun toolgate-lines-append (text)
  "Append TEXT to the current buffer, with overlong lines broken.
Return the position where it begins."
  (goto-char (point-max))
  (let ((start (point)))
    (insert text)
    (goto-char start)
    (beginning-of-line)
    (while (not (eobp))
      (if (<= (- (line-end-position) (point)) toolgate-lines--longest)
          (forward-line 1)
        (forward-char toolgate-lines--longest)
        (insert (propertize "\\\n" 'face 'shadow 'font-lock-face 'shadow
                            'toolgate-break t))))
    start))

(defun toolgate-lines-growing (append)
  "Call APPEND, which adds to the end of the current buffer.
If point, in the buffer or in one of its windows, is at the end, keep it
there."
  (let ((inhibit-read-only t)
        (following (seq-filter (lambda (window)
                                 (= (window-point window) (point-max)))
                               (get-buffer-window-list nil nil t)))
        (at-end (eobp)))
    (save-excursion (funcall append))
    (when at-end (goto-char (point-max)))
    (dolist (window following) (set-window-point window (point-max)))))

(defun toolgate-lines-setup ()
  "Make the current buffer display foreign text safely and fast."
  (setq-local bidi-paragraph-direction 'left-to-right
              bidi-inhibit-bpa t
              glyphless-char-display (toolgate-lines--as-codes)))

(defun toolgate-lines-order ()
  "Display the current buffer in logical order, if that differs.
Arabic and Hebrew display normally unless control characters reorder them."
  (toolgate-lines--show-selectors)
  (setq bidi-display-reordering
        (not (save-excursion
               (goto-char (point-min))
               (re-search-forward toolgate-lines-deceptive nil t)))))

(defun toolgate-lines--show-selectors ()
  "Display variation selectors that do not follow a pictograph as their codes."
  (save-excursion
    (goto-char (point-min))
    (let ((inhibit-read-only t))
      (with-silent-modifications
        (while (re-search-forward toolgate-lines--stray-selector nil t)
          (put-text-property (match-beginning 1) (match-end 1)
                             'display "\\u{fe0f}"))))))

;; `set-auto-mode' would let the text select any command that ends in -mode,
;; and would inspect its beginning; only the name selects a mode that the user
;; has configured.
(defun toolgate-lines-mode (name)
  "Enable the major mode for files such as NAME, if it is a mode for text.
Mode specifications in the text are ignored."
  (let ((mode (assoc-default name auto-mode-alist #'string-match-p)))
    (when (and (symbolp mode) (fboundp mode))
      (autoload-do-load (symbol-function mode) mode)
      (when (or (provided-mode-derived-p mode 'prog-mode)
                (provided-mode-derived-p mode 'text-mode))
        (let ((enable-local-variables nil))
          (delay-mode-hooks (funcall mode)))))))

(defun toolgate-lines--as-codes ()
  "Return a display table that shows deceptive characters as their codes."
  (let ((table (copy-sequence glyphless-char-display)))
    (dolist (range toolgate-lines--deceptive table)
      (set-char-table-range table range 'hex-code))))

(provide 'toolgate-lines)
;;; toolgate-lines.el ends here
