;;; toolgate-patch.el --- Which files a diff is about, and where  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A diff is read as the server reads it: by what its hunks count.  So a line
;; of a text that looks like the name of a file is a line of a text, and names
;; with blanks, tabs or quotes in them are what they are.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(cl-defstruct (toolgate-patch-section (:copier nil))
  "What a diff says of one file.
FIRST is the line of the diff that it begins with, counted from 0; BEFORE and
AFTER are the paths of the file, nil where there is none; NAMED tells whether
lines of their own have told these.  HUNKS, the last one first, are lists of the
line of a hunk's header, the line of the text before that it begins at, and its
lines."
  first before after named hunks)

(defconst toolgate-patch--hunk
  "\\`@@ -\\([0-9]+\\)\\(?:,\\([0-9]+\\)\\)? \\+[0-9]+\\(?:,\\([0-9]+\\)\\)? @@"
  "Matches the header of a hunk.")

(defun toolgate-patch-sections (diff)
  "Return the sections of DIFF, in their order."
  (let ((lines (split-string diff "\n")) (at 0) sections)
    (while lines
      (let ((line (car lines)))
        (cond ((toolgate-patch--begins-p line (cadr lines) (car sections))
               (push (make-toolgate-patch-section :first at) sections)
               (toolgate-patch--name (car sections) line))
              ((null sections))
              ((string-match toolgate-patch--hunk line)
               (let* ((counts (toolgate-patch--counts line))
                      (body (toolgate-patch--body (cdr lines) counts)))
                 (push (list at (car counts) body)
                       (toolgate-patch-section-hunks (car sections)))
                 (setq lines (nthcdr (length body) lines)
                       at (+ at (length body)))))
              (t (toolgate-patch--name (car sections) line))))
      (setq lines (cdr lines) at (1+ at)))
    (nreverse sections)))

(defun toolgate-patch--begins-p (line next section)
  "Return whether LINE, with NEXT behind it, begins a section after SECTION."
  (or (string-prefix-p "diff --git " line)
      (and (string-prefix-p "--- " line)
           (string-prefix-p "+++ " (or next ""))
           ;; What git writes has these two lines within its header.
           (or (null section) (toolgate-patch-section-hunks section)
               (toolgate-patch-section-named section)))))

(defun toolgate-patch--name (section line)
  "Take what LINE of the header of SECTION says of the names of its file."
  (cl-flet ((before (path) (setf (toolgate-patch-section-before section) path))
            (after (path) (setf (toolgate-patch-section-after section) path)))
    (cond ((string-prefix-p "diff --git " line)
           (let ((path (toolgate-patch--both (substring line 11))))
             (before path)
             (after path)))
          ((string-prefix-p "new file mode " line) (before nil))
          ((string-prefix-p "deleted file mode " line) (after nil))
          ((string-match "\\`\\(?:rename\\|copy\\) from \\(.*\\)" line)
           (before (toolgate-patch--plain (match-string 1 line))))
          ((string-match "\\`\\(?:rename\\|copy\\) to \\(.*\\)" line)
           (after (toolgate-patch--plain (match-string 1 line))))
          ((string-prefix-p "--- " line)
           (setf (toolgate-patch-section-named section) t)
           (before (toolgate-patch--path (substring line 4))))
          ((string-prefix-p "+++ " line)
           (after (toolgate-patch--path (substring line 4)))))))

(defun toolgate-patch--both (names)
  "Return the path that both of NAMES mean, those of a git header, or nil.
Names that differ are told by other lines."
  (let ((half (/ (length names) 2)))
    (and (> half 0)
         (equal (toolgate-patch--path (substring names 0 half))
                (toolgate-patch--path (substring names (1+ half))))
         (toolgate-patch--path (substring names 0 half)))))

(defun toolgate-patch--path (name)
  "Return the path that NAME means, which has a/ or b/ before it, or nil."
  (let ((path (toolgate-patch--plain name)))
    (when (string-match "\\`[ab]/" path) (substring path 2))))

(defun toolgate-patch--plain (name)
  "Return what NAME of a header means, which may be in quotes as git writes it."
  (if (string-prefix-p "\"" name)
      ;; Lisp writes strings so, too; octal numbers are bytes.  What is no such
      ;; string is a name as it stands: a diff may say what it likes.
      (condition-case nil
          (decode-coding-string
           (encode-coding-string (car (read-from-string name)) 'utf-8) 'utf-8)
        (error name))
    ;; A tab ends a name that has blanks in it.
    (string-remove-suffix "\t" name)))

(defun toolgate-patch--counts (header)
  "Return where the hunk of HEADER begins, and its counts before and after.
HEADER was matched by `toolgate-patch--hunk' just now."
  (cl-flet ((count (group) (string-to-number (or (match-string group header) "1"))))
    (list (string-to-number (match-string 1 header)) (count 2) (count 3))))

(defun toolgate-patch--body (lines counts)
  "Return those of LINES that a hunk of COUNTS has."
  (pcase-let ((`(,_ ,before ,after) counts) (body nil))
    (while (and lines (or (> before 0) (> after 0)
                          (string-prefix-p "\\" (car lines))))
      (let ((line (pop lines)))
        (pcase (and (not (string-empty-p line)) (aref line 0))
          (?- (cl-decf before))
          (?+ (cl-decf after))
          (?\\)
          (_ (cl-decf before) (cl-decf after)))
        (push line body)))
    (nreverse body)))

(defun toolgate-patch-files (diff)
  "Return the paths of the files that DIFF is about, each one once."
  (delete-dups (mapcan #'toolgate-patch--paths (toolgate-patch-sections diff))))

(defun toolgate-patch-place (diff line &optional named)
  "Return which file LINE of DIFF, counted from 0, is about, and its line there.
As a list of the line of the text before and of the file's paths, which are one
or two; nil where no file is meant.  NAMED are the paths of each section, a list
of lists, as whoever made DIFF tells them; if there are as many as sections."
  (let* ((sections (toolgate-patch-sections diff))
         (index (1- (seq-count (lambda (section)
                                 (<= (toolgate-patch-section-first section) line))
                               sections))))
    (when (>= index 0)
      (let ((section (nth index sections)))
        (cons (toolgate-patch--line-before section line)
              (if (= (length named) (length sections)) (nth index named)
                (toolgate-patch--paths section)))))))

(defun toolgate-patch--paths (section)
  "Return the paths of the file that SECTION is about, one or two."
  (delete-dups (delq nil (list (toolgate-patch-section-before section)
                               (toolgate-patch-section-after section)))))

(defun toolgate-patch--line-before (section line)
  "Return the line of the text before that LINE of the diff in SECTION is at."
  (pcase (seq-find (lambda (hunk) (<= (car hunk) line))
                   (toolgate-patch-section-hunks section))
    ('nil 1)
    (`(,header ,start ,body)
     ;; What begins at line 0 is before the first one.
     (max 1 (+ start (seq-count (lambda (text)
                                  (not (string-match-p "\\`[+\\\\]" text)))
                                (seq-take body (max 0 (- line header 1)))))))))

(provide 'toolgate-patch)
;;; toolgate-patch.el ends here
