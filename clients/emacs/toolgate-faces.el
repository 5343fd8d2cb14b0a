;;; toolgate-faces.el --- Faces and formats  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Faces, all of them inherited, so that they fit every theme; and times,
;; durations and sizes in readable formats.

;;; Code:

(require 'subr-x)
(require 'toolgate-json)

(defface toolgate-warning '((t :inherit warning))
  "Face for the level ask, and for warnings." :group 'toolgate)
(defface toolgate-strict '((t :inherit error))
  "Face for the level strict, and for errors." :group 'toolgate)
(defface toolgate-tool '((t :inherit font-lock-function-name-face))
  "Face for names of tools." :group 'toolgate)
(defface toolgate-param '((t :inherit font-lock-variable-name-face))
  "Face for names of params." :group 'toolgate)
(defface toolgate-heading '((t :inherit bold))
  "Face for headings." :group 'toolgate)
(defface toolgate-key '((t :inherit help-key-binding))
  "Face for keys." :group 'toolgate)
(defface toolgate-stale '((t :inherit warning))
  "Face for outdated information." :group 'toolgate)
(defface toolgate-comment '((t :inherit font-lock-doc-face))
  "Face for comments on lines of a diff." :group 'toolgate)
(defface toolgate-muted '((t :inherit shadow))
  "Face for secondary information." :group 'toolgate)

(defun toolgate-faces-text (text face)
  "Return TEXT with FACE."
  (propertize text 'face face 'font-lock-face face))

(defun toolgate-faces-level (call)
  "Return the approval level of CALL, ask or strict, with its face."
  (let ((level (or (toolgate-get call 'approval 'level) "ask")))
    (toolgate-faces-text
     level (if (equal level "strict") 'toolgate-strict 'toolgate-warning))))

(defun toolgate-faces-duration (seconds)
  "Return SECONDS in a readable format: 9 s, 4:12, 3 h 5 min, 2 days."
  (let ((whole (max 0 (floor seconds))))
    (cond ((< whole 60) (format "%d s" whole))
          ((< whole 3600) (format "%d:%02d" (/ whole 60) (% whole 60)))
          ((< whole 86400)
           (format "%d h %d min" (/ whole 3600) (/ (% whole 3600) 60)))
          ((< whole 172800) "1 day")
          (t (format "%d days" (/ whole 86400))))))

(defun toolgate-faces-seconds-since (time)
  "Return the number of seconds since TIME, a string, or nil if it is nil."
  (and (stringp time) (- (float-time) (float-time (date-to-time time)))))

(defun toolgate-faces-age (time)
  "Return the age of TIME in a readable format."
  (if-let ((seconds (toolgate-faces-seconds-since time)))
      (toolgate-faces-duration seconds)
    ""))

(defun toolgate-faces-size (bytes)
  "Return BYTES in a readable format."
  (cond ((< bytes 1024) (format "%d bytes" bytes))
        ((< bytes 1048576) (format "%.1f KiB" (/ bytes 1024.0)))
        (t (format "%.1f MiB" (/ bytes 1048576.0)))))

(defun toolgate-faces-line (text)
  "Return TEXT on one line."
  (string-trim (replace-regexp-in-string "[ \t\n\r]+" " " (or text ""))))

(defun toolgate-faces-shorten (line width)
  "Return LINE in WIDTH columns, shortened in the middle if it is longer.
The end of the line, such as (+2 lines), is kept."
  (if (<= (string-width line) width) line
    (let* ((end (/ (1- width) 3))
           (from (length line)))
      (while (<= (string-width (substring line (1- from))) end)
        (setq from (1- from)))
      (concat (truncate-string-to-width line (- width 1 end)) "…"
              (substring line from)))))

(provide 'toolgate-faces)
;;; toolgate-faces.el ends here
