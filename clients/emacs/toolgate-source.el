;;; toolgate-source.el --- From a diff to its files  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `diff-mode' looks in the text around point for what could be the name of a
;; file, wherever that leads.  A diff that is shown to a person for a decision
;; may hold such text on purpose, so here a file is one that the diff is about,
;; in the workspace, or none.

;;; Code:

(require 'toolgate-keys)
(require 'toolgate-patch)

(defvar-local toolgate-source--diff nil "The diff that this buffer shows.")
(defvar-local toolgate-source--file nil
  "Function of a path of the diff that gives the whole name, or nil.")

(defvar toolgate-source-map
  (toolgate-keys "RET" #'toolgate-source-visit
                 "<remap> <diff-goto-source>" #'toolgate-source-visit
                 "<remap> <diff-apply-hunk>" #'toolgate-source-change-nothing
                 "<remap> <diff-test-hunk>" #'toolgate-source-change-nothing
                 "<remap> <diff-ediff-patch>" #'toolgate-source-change-nothing)
  "Keys of diffs that are shown for a decision.")

(defun toolgate-source-setup (diff file)
  "Let the keys here go to the files of DIFF, which this buffer shows.
FILE is called with a path and returns the whole name of the file, or nil."
  (setq toolgate-source--diff diff
        toolgate-source--file file))

(defun toolgate-source-visit (&optional event)
  "Visit the file that the diff at point, or at EVENT, is about."
  (interactive (list last-input-event))
  (when (mouse-event-p event) (mouse-set-point event))
  (pcase-let* ((`(,before ,after ,line)
                (toolgate-patch-place toolgate-source--diff
                                      (toolgate-source--line)))
               (names (delq nil (mapcar toolgate-source--file
                                        (delq nil (list before after))))))
    (find-file-other-window
     (or (seq-find #'file-exists-p names)
         (if names (user-error "%s is not there yet" (or after before))
           (user-error "This is about no file of the workspace"))))
    (goto-char (point-min))
    (forward-line (1- line))))

(defun toolgate-source--line ()
  "Return which line of the diff point is on, counted from 0.
Where an overlong line was broken, that is the same line still."
  (let ((end (line-beginning-position)) (count 0))
    (save-excursion
      (goto-char (point-min))
      (while (search-forward "\n" end t)
        (unless (get-text-property (1- (point)) 'toolgate-break)
          (setq count (1+ count)))))
    count))

(defun toolgate-source-change-nothing ()
  "Say that files are changed by a decision alone."
  (interactive)
  (user-error "Files are changed by approving, not from here"))

(provide 'toolgate-source)
;;; toolgate-source.el ends here
