;;; toolgate-faces.el --- How what Toolgate shows looks and reads  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Faces, all by inheritance, so that every theme fits; and times, durations
;; and sizes as people read them.

;;; Code:

(require 'subr-x)
(require 'toolgate-json)

(defface toolgate-risk-low '((t :inherit success))
  "Face of what can do little harm." :group 'toolgate)
(defface toolgate-risk-medium '((t :inherit warning))
  "Face of what changes something." :group 'toolgate)
(defface toolgate-risk-high '((t :inherit error))
  "Face of what cannot be taken back." :group 'toolgate)
(defface toolgate-tool '((t :inherit font-lock-function-name-face))
  "Face of names of tools." :group 'toolgate)
(defface toolgate-param '((t :inherit font-lock-variable-name-face))
  "Face of names of params." :group 'toolgate)
(defface toolgate-heading '((t :inherit bold))
  "Face of headings." :group 'toolgate)
(defface toolgate-key '((t :inherit help-key-binding))
  "Face of keys." :group 'toolgate)
(defface toolgate-stale '((t :inherit warning))
  "Face of what is no longer as it is shown." :group 'toolgate)
(defface toolgate-muted '((t :inherit shadow))
  "Face of what matters less." :group 'toolgate)

(defun toolgate-faces-text (text face)
  "Return TEXT in FACE."
  (propertize text 'face face 'font-lock-face face))

(defconst toolgate-faces--risks
  '(("read" . low) ("create" . low)
    ("write" . medium) ("execute" . medium) ("network" . medium)
    ("destructive" . high))
  "How much is at risk, by a call's effect.")

(defun toolgate-faces-risk (call)
  "Return how risky CALL is: low, medium or high, a symbol."
  (if (equal (toolgate-get call 'approval 'level) "strict") 'high
    (alist-get (toolgate-get call 'approval 'matched_rules 0 'effect)
               toolgate-faces--risks 'medium nil #'equal)))

(defun toolgate-faces-risk-text (call)
  "Return the word for the risk of CALL in its face."
  (let ((risk (toolgate-faces-risk call)))
    (toolgate-faces-text (symbol-name risk)
                         (intern (format "toolgate-risk-%s" risk)))))

(defun toolgate-faces-duration (seconds)
  "Return SECONDS as people read them: 9 s, 4:12, 3 h 5 min, 2 days."
  (let ((whole (max 0 (floor seconds))))
    (cond ((< whole 60) (format "%d s" whole))
          ((< whole 3600) (format "%d:%02d" (/ whole 60) (% whole 60)))
          ((< whole 86400)
           (format "%d h %d min" (/ whole 3600) (/ (% whole 3600) 60)))
          ((< whole 172800) "1 day")
          (t (format "%d days" (/ whole 86400))))))

(defun toolgate-faces-seconds-since (time)
  "Return how many seconds ago TIME was, a string, or nil where there is none."
  (and (stringp time) (- (float-time) (float-time (date-to-time time)))))

(defun toolgate-faces-age (time)
  "Return how long ago TIME was, for people."
  (if-let ((seconds (toolgate-faces-seconds-since time)))
      (toolgate-faces-duration seconds)
    ""))

(defun toolgate-faces-size (bytes)
  "Return BYTES as people read them."
  (cond ((< bytes 1024) (format "%d bytes" bytes))
        ((< bytes 1048576) (format "%.1f KiB" (/ bytes 1024.0)))
        (t (format "%.1f MiB" (/ bytes 1048576.0)))))

(defun toolgate-faces-line (text)
  "Return TEXT on one line."
  (string-trim (replace-regexp-in-string "[ \t\n\r]+" " " (or text ""))))

(defun toolgate-faces-shorten (line width)
  "Return LINE in WIDTH columns, cut in the middle where it is longer.
How it ends, such as (+2 lines), is kept."
  (if (<= (string-width line) width) line
    (let* ((end (/ (1- width) 3))
           (from (length line)))
      (while (<= (string-width (substring line (1- from))) end)
        (setq from (1- from)))
      (concat (truncate-string-to-width line (- width 1 end)) "…"
              (substring line from)))))

(provide 'toolgate-faces)
;;; toolgate-faces.el ends here
