;;; toolgate-patch.el --- Parse diffs  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A diff is parsed as the server parses it: by the line counts of its hunks.
;; So a line of text that looks like a file header remains text, and file names
;; may contain blanks, tabs and quotes.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(cl-defstruct (toolgate-patch-section (:copier nil))
  "The section of a diff about one file.
FIRST is its first line in the diff, counted from 0; BEFORE and AFTER are the
paths of the file, nil if it does not exist; NAMED is non-nil if --- and +++
lines contain these paths.  HUNKS, the last one first, are lists of the line
of a hunk's header, the lines of the old and of the new text that it begins at,
and its lines."
  first before after named hunks)

(defconst toolgate-patch--hunk
  "\\`@@ -\\([0-9]+\\)\\(?:,\\([0-9]+\\)\\)? \\+\\([0-9]+\\)\\(?:,\\([0-9]+\\)\\)? @@"
  "Regexp that matches the header of a hunk.")

(defun toolgate-patch-sections (diff)
  "Return the sections of DIFF, in order."
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
                 (push (list at (nth 0 counts) (nth 2 counts) body)
                       (toolgate-patch-section-hunks (car sections)))
                 (setq lines (nthcdr (length body) lines)
                       at (+ at (length body)))))
              (t (toolgate-patch--name (car sections) line))))
      (setq lines (cdr lines) at (1+ at)))
    (nreverse sections)))

(defun toolgate-patch--begins-p (line next section)
  "Return non-nil if LINE, followed by NEXT, begins a section after SECTION."
  (or (string-prefix-p "diff --git " line)
      (and (string-prefix-p "--- " line)
           (string-prefix-p "+++ " (or next ""))
           ;; In the output of git these two lines are within its header.
           (or (null section) (toolgate-patch-section-hunks section)
               (toolgate-patch-section-named section)))))

(defun toolgate-patch--name (section line)
  "Take the paths of the file from LINE of the header of SECTION."
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
  "Return the path that both of NAMES, from a git header, mean, or nil.
Other lines of the header contain names that differ."
  (let ((half (/ (length names) 2)))
    (and (> half 0)
         (equal (toolgate-patch--path (substring names 0 half))
                (toolgate-patch--path (substring names (1+ half))))
         (toolgate-patch--path (substring names 0 half)))))

(defun toolgate-patch--path (name)
  "Return the path of NAME, which has the prefix a/ or b/, or nil."
  (let ((path (toolgate-patch--plain name)))
    (when (string-match "\\`[ab]/" path) (substring path 2))))

(defun toolgate-patch--plain (name)
  "Return the path of NAME in a header; git may have quoted it."
  (if (string-prefix-p "\"" name)
      ;; Lisp strings have the same syntax; octal numbers are bytes.  A name
      ;; that is not such a string is used unchanged: a diff may contain
      ;; anything.
      (condition-case nil
          (decode-coding-string
           (encode-coding-string (car (read-from-string name)) 'utf-8) 'utf-8)
        (error name))
    ;; A tab ends a name that contains blanks.
    (string-remove-suffix "\t" name)))

(defun toolgate-patch--counts (header)
  "Return the start and the line count of the old and of the new text of HEADER.
HEADER must have been matched by `toolgate-patch--hunk' just before."
  (cl-flet ((count (group) (string-to-number (or (match-string group header) "1"))))
    (list (count 1) (count 2) (count 3) (count 4))))

(defun toolgate-patch--body (lines counts)
  "Return the lines at the start of LINES that a hunk with COUNTS contains."
  (pcase-let ((`(,_ ,before ,_ ,after) counts) (body nil))
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
  "Return the paths of the files in DIFF, without duplicates."
  (delete-dups (mapcan #'toolgate-patch--paths (toolgate-patch-sections diff))))

(defun toolgate-patch-place (diff line &optional named)
  "Return the file that LINE of DIFF, counted from 0, belongs to, and its line.
The value is a list of the line of the old text and of the file's paths, which
are one or two; nil if there is no file.  NAMED is a list of lists, the paths
of each section as the producer of DIFF reports them; it is used if its length
is the number of sections."
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
  "Return the paths of the file of SECTION, one or two."
  (delete-dups (delq nil (list (toolgate-patch-section-before section)
                               (toolgate-patch-section-after section)))))

(defun toolgate-patch--line-before (section line)
  "Return the line of the old text for LINE of the diff in SECTION."
  (pcase (seq-find (lambda (hunk) (<= (car hunk) line))
                   (toolgate-patch-section-hunks section))
    ('nil 1)
    (`(,header ,start ,_ ,body)
     ;; A hunk that begins at line 0 is before the first line.
     (max 1 (+ start (seq-count (lambda (text)
                                  (not (string-match-p "\\`[+\\\\]" text)))
                                (seq-take body (max 0 (- line header 1)))))))))

(defun toolgate-patch-targets (diff &optional named)
  "Return an alist of lines of DIFF, counted from 0, and lines of files.
A line of a file is a list of its path, `old' or `new', and its number in that
text.  A removed line is one of the old text.  NAMED is as for
`toolgate-patch-place'."
  (let* ((sections (toolgate-patch-sections diff))
         (paths (if (= (length named) (length sections)) named
                  (mapcar #'toolgate-patch--paths sections))))
    (apply #'append
           (cl-mapcar (lambda (section names)
                        (when-let ((path (car (last names))))
                          (mapcan (lambda (hunk)
                                    (toolgate-patch--hunk-targets path hunk))
                                  (reverse
                                   (toolgate-patch-section-hunks section)))))
                      sections paths))))

(defun toolgate-patch--hunk-targets (path hunk)
  "Return the part of `toolgate-patch-targets' for HUNK of the file PATH."
  (pcase-let ((`(,at ,old ,new ,body) hunk) (targets nil))
    (dolist (line body (nreverse targets))
      (cl-incf at)
      (pcase (and (not (string-empty-p line)) (aref line 0))
        (?\\)
        (?- (push (list at path 'old old) targets)
            (cl-incf old))
        (kind (push (list at path 'new new) targets)
              (cl-incf new)
              (unless (eq kind ?+) (cl-incf old)))))))

(provide 'toolgate-patch)
;;; toolgate-patch.el ends here
