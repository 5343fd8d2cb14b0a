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

(defconst toolgate-lines--longest 8192
  "How many characters a line may have before it is broken.")

(defconst toolgate-lines--deceptive
  '((#xad . #xad) (#x34f . #x34f) (#x600 . #x605) (#x61c . #x61c)
    (#x6dd . #x6dd) (#x70f . #x70f) (#x890 . #x891) (#x8e2 . #x8e2)
    (#x115f . #x1160) (#x17b4 . #x17b5) (#x180b . #x180f) (#x200b . #x200f)
    (#x2028 . #x202e) (#x2060 . #x206f) (#x3164 . #x3164) (#xfe00 . #xfe0d)
    (#xfeff . #xfeff) (#xffa0 . #xffa0) (#xfff9 . #xfffb)
    (#x110bd . #x110bd) (#x110cd . #x110cd) (#x13430 . #x1343f)
    (#x1bca0 . #x1bca3) (#x1d173 . #x1d17a) (#xe0000 . #xe0fff))
  "Ranges of characters that cannot be seen, or reorder what stands beside them.
All that Unicode has for formatting, its fillers and its variation selectors but
the two that choose between a letter and a picture.")

(defconst toolgate-lines-deceptive
  (concat "["
          (mapconcat (lambda (range) (format "%c-%c" (car range) (cdr range)))
                     toolgate-lines--deceptive "")
          "]")
  "Matches a character that cannot be seen, or reorders what stands beside it.")

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
  (setq bidi-display-reordering
        (not (save-excursion
               (goto-char (point-min))
               (re-search-forward toolgate-lines-deceptive nil t)))))

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
