;;; toolgate-displayed.el --- Track which text was displayed  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Text must be displayed before it can be approved.
;; `toolgate-displayed-setup' makes a buffer record what its windows display,
;; as the text property `toolgate-displayed'.  Redisplay records it, so a jump
;; to the end of the buffer does not count for the text in between, and keys
;; typed ahead of redisplay do not count.  Text that is invisible, or truncated
;; at the edge of a window, does not count.  `toolgate-displayed-check' signals
;; an error as long as a part was not displayed, and `toolgate-displayed-page'
;; shows the next part.

;;; Code:

(require 'toolgate-guard)

(defvar-local toolgate-displayed--end nil
  "End marker of the text that must be displayed; nil for the whole buffer.")
(defvar-local toolgate-displayed--also nil
  "Function called with START and END of displayed text, or nil.")

(defun toolgate-displayed-setup ()
  "Record the displayed text of the current buffer."
  (setq-local truncate-lines nil
              truncate-partial-width-windows nil)
  (add-hook 'window-scroll-functions #'toolgate-displayed--scrolled nil t)
  (add-hook 'window-size-change-functions #'toolgate-displayed-record nil t))

(defun toolgate-displayed-start (&optional end also)
  "Start to record the current buffer, whose text is new.
The text up to END, by default the whole buffer, must be displayed.  ALSO is
called with the start and the end of each displayed part."
  (setq toolgate-displayed--end (and end (copy-marker end))
        toolgate-displayed--also also)
  (toolgate-displayed-refresh))

(defun toolgate-displayed-refresh ()
  "Make redisplay record the current buffer again after a change of its text."
  (dolist (window (get-buffer-window-list nil nil t))
    ;; Setting a window start makes redisplay call `window-scroll-functions'.
    (set-window-start window (window-start window))))

(defun toolgate-displayed--scrolled (window _start)
  "Record the text that WINDOW displays."
  (toolgate-displayed-record window))

(defun toolgate-displayed-record (window)
  "Record the text that WINDOW displays; in batch mode there is no screen."
  (when (and (window-live-p window) (not noninteractive))
    (with-current-buffer (window-buffer window)
      (unless (or truncate-lines (> (window-hscroll window) 0))
        (toolgate-displayed-add (window-start window) (window-end window t))))))

(defun toolgate-displayed-add (start end)
  "Record that the text from START to END of the current buffer was displayed."
  (save-restriction
    (widen)
    (let ((start (max start (point-min)))
          (end (min end (point-max))))
      (while (and (< start end)
                  (setq start (text-property-not-all start end
                                                     'toolgate-displayed t)))
        (let ((next (next-single-char-property-change start 'invisible nil end)))
          (unless (invisible-p start)
            (with-silent-modifications
              (put-text-property start next 'toolgate-displayed t))
            (when toolgate-displayed--also
              (funcall toolgate-displayed--also start next)))
          (setq start next))))))

(defun toolgate-displayed--limit ()
  "Return the end of the text that must be displayed."
  (or toolgate-displayed--end (1+ (buffer-size))))

(defun toolgate-displayed-missing ()
  "Return the position of the first text that was not displayed, or nil."
  (save-restriction
    (widen)
    (text-property-not-all (point-min) (toolgate-displayed--limit)
                           'toolgate-displayed t)))

(defun toolgate-displayed--missing-lines ()
  "Return the number of lines that were not fully displayed."
  (save-excursion
    (save-restriction
      (widen)
      (let ((limit (toolgate-displayed--limit))
            (lines 0)
            (start (toolgate-displayed-missing)))
        (while (and start (< start limit))
          (goto-char start)
          (forward-line 1)
          (setq lines (1+ lines)
                start (and (< (point) limit)
                           (text-property-not-all (point) limit
                                                  'toolgate-displayed t))))
        lines))))

(defun toolgate-displayed--where ()
  "Return the file of the diff that the first text not displayed belongs to.
Return nil if that text is not part of a diff of several files."
  (save-excursion
    (save-restriction
      (widen)
      (goto-char (toolgate-displayed-missing))
      (end-of-line)
      (let ((name "^\\(?:\\+\\+\\+ b/\\|--- a/\\)\\(.*\\)\n"))
        (when (re-search-backward name nil t)
          (match-string-no-properties 1))))))

(defun toolgate-displayed-summary ()
  "Return a summary of the text that was not displayed, or nil."
  (when (toolgate-displayed-missing)
    (let ((lines (toolgate-displayed--missing-lines))
          (file (toolgate-displayed--where)))
      (format "%d line%s not displayed yet%s" lines (if (= lines 1) "" "s")
              (if file (format ", next in %s" file) "")))))

(defun toolgate-displayed-check ()
  "Signal a `user-error' unless all required text has been displayed."
  (when (toolgate-displayed-missing)
    ;; The key may be ahead of redisplay.
    (redisplay t)
    (when (toolgate-displayed-missing)
      (user-error "Not approved: %s (SPC shows the next part)"
                  (toolgate-displayed-summary)))
    (toolgate-guard-renew)
    (user-error "The key was ignored, because the last part has just been displayed")))

(defun toolgate-displayed-page ()
  "Show the next part that was not displayed; scroll if there is none."
  (interactive)
  (setq truncate-lines nil)
  (set-window-hscroll nil 0)
  (redisplay t)
  (let ((missing (toolgate-displayed-missing)))
    (if (null missing)
        (if (pos-visible-in-window-p (point-max))
            (message "Everything has been displayed")
          (scroll-up-command))
      (goto-char missing)
      ;; A line longer than the window is scrolled to its next part.
      (unless (get-text-property (line-beginning-position) 'toolgate-displayed)
        (beginning-of-line))
      (set-window-start nil (point))
      (redisplay t)
      (message "%s" (or (toolgate-displayed-summary)
                        "Everything has been displayed")))))

(provide 'toolgate-displayed)
;;; toolgate-displayed.el ends here
