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

(defface toolgate-warning '((t :inherit warning))
  "Face of level ask, and of warnings." :group 'toolgate)
(defface toolgate-strict '((t :inherit error))
  "Face of level strict, and of errors." :group 'toolgate)
(defface toolgate-tool '((t :inherit font-lock-function-name-face))
  "Face of names of tools." :group 'toolgate)
(defface toolgate-param '((t :inherit font-lock-variable-name-face))
  "Face of names of params." :group 'toolgate)
(defface toolgate-heading '((t :inherit bold))
  "Face of headings." :group 'toolgate)
(defface toolgate-key '((t :inherit help-key-binding))
  "Face of keys." :group 'toolgate)
(defface toolgate-stale '((t :inherit warning))
  "Face of outdated information." :group 'toolgate)
(defface toolgate-muted '((t :inherit shadow))
  "Face of secondary information." :group 'toolgate)

(defun toolgate-faces-text (text face)
  "Return TEXT in FACE."
  (propertize text 'face face 'font-lock-face face))

(defun toolgate-faces-level (call)
  "Return the approval level of CALL, ask or strict, in its face."
  (let ((level (or (toolgate-get call 'approval 'level) "ask")))
    (toolgate-faces-text
     level (if (equal level "strict") 'toolgate-strict 'toolgate-warning))))

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
