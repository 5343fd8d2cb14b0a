;;; toolgate-lines.el --- Text of others, shown quickly and as it is  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Redisplay takes long over long lines and over text of both directions, and
;; some characters hide or reorder what stands beside them.  Here lines are
;; broken, and such characters are shown for what they are.

;;; Code:

(require 'seq)
(require 'toolgate-invisible)

(defconst toolgate-lines--longest 8192
  "How many characters a line may have before it is broken.")

(defun toolgate-lines--class (ranges)
  "Return the inside of a character alternative that matches RANGES."
  (mapconcat (lambda (range) (format "%c-%c" (car range) (cdr range)))
             ranges ""))

(defconst toolgate-lines--deceptive
  (mapcan (lambda (range)
            (if (equal range '(#xfe00 . #xfe0f)) (list '(#xfe00 . #xfe0e))
              (list range)))
          (copy-sequence toolgate-invisible-ranges))
  "Ranges of characters that render as nothing or reorder text, wherever they are.
U+FE0F is visible after a character that it turns into a picture.")

(defconst toolgate-lines--stray-selector
  (concat "\\(?:^\\|[^" (toolgate-lines--class toolgate-invisible-pictographs)
          "]\\)\\(\ufe0f\\)")
  "Matches U+FE0F, as group 1, that turns nothing into a picture.")

(defconst toolgate-lines-deceptive
  (concat "[" (toolgate-lines--class toolgate-lines--deceptive) "]\\|"
          toolgate-lines--stray-selector)
  "Matches a character that renders as nothing or reorders text.")

(defun toolgate-lines-break (text)
  "Return TEXT with its overlong lines broken, each place marked."
  (if (<= (length text) toolgate-lines--longest) text
    (with-temp-buffer
      (toolgate-lines-append text)
      (buffer-string))))

(defun toolgate-lines-append (text)
  "Append TEXT to the current buffer, with overlong lines broken.
Return where it begins."
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
Whoever is at the end, in the buffer or in a window on it, stays at the end."
  (let ((inhibit-read-only t)
        (following (seq-filter (lambda (window)
                                 (= (window-point window) (point-max)))
                               (get-buffer-window-list nil nil t)))
        (at-end (eobp)))
    (save-excursion (funcall append))
    (when at-end (goto-char (point-max)))
    (dolist (window following) (set-window-point window (point-max)))))

(defun toolgate-lines-setup ()
  "Make the current buffer show text of others quickly and as it is."
  (setq-local bidi-paragraph-direction 'left-to-right
              bidi-inhibit-bpa t
              glyphless-char-display (toolgate-lines--as-codes)))

(defun toolgate-lines-order ()
  "Show the current buffer in the order in which it is written, if that differs.
Arabic and Hebrew read as they should unless something reorders them on purpose."
  (toolgate-lines--show-selectors)
  (setq bidi-display-reordering
        (not (save-excursion
               (goto-char (point-min))
               (re-search-forward toolgate-lines-deceptive nil t)))))

(defun toolgate-lines--show-selectors ()
  "Show by their code the selectors that turn nothing into a picture."
  (save-excursion
    (goto-char (point-min))
    (let ((inhibit-read-only t))
      (with-silent-modifications
        (while (re-search-forward toolgate-lines--stray-selector nil t)
          (put-text-property (match-beginning 1) (match-end 1)
                             'display "\\u{fe0f}"))))))

;; `set-auto-mode' would let the text itself name any command that ends in
;; -mode, and would look at its beginning; names of files lead to what the
;; person has set up.
(defun toolgate-lines-mode (name)
  "Put the current buffer in the mode of files such as NAME, if it is for text.
What the text says about its mode counts for nothing."
  (let ((mode (assoc-default name auto-mode-alist #'string-match-p)))
    (when (and (symbolp mode) (fboundp mode))
      (autoload-do-load (symbol-function mode) mode)
      (when (provided-mode-derived-p mode 'prog-mode 'text-mode)
        (let ((enable-local-variables nil))
          (delay-mode-hooks (funcall mode)))))))

(defun toolgate-lines--as-codes ()
  "Return a table that shows deceptive characters by their codes."
  (let ((table (copy-sequence glyphless-char-display)))
    (dolist (range toolgate-lines--deceptive table)
      (set-char-table-range table range 'hex-code))))

(provide 'toolgate-lines)
;;; toolgate-lines.el ends here
