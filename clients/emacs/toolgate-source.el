;;; toolgate-source.el --- From a diff to its files  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `diff-mode' looks in the text around point for what could be the name of a
;; file, wherever that leads.  A diff that is shown to a person for a decision
;; may hold such text on purpose, so here a file is one that the diff is about,
;; in the workspace, or none; and keys of `diff-mode' that change its text, such
;; as the one that turns it around, do nothing.

;;; Code:

(require 'toolgate-keys)
(require 'toolgate-patch)

(defvar-local toolgate-source--diff nil "The diff that this buffer shows.")
(defvar-local toolgate-source--named nil
  "The paths of each section of the diff, where they are told besides it.")
(defvar-local toolgate-source--file nil
  "Function of a path of the diff that gives the whole name, or nil.")

(defvar toolgate-source-map
  (let ((map (toolgate-keys
              "RET" #'toolgate-source-visit
              "<remap> <diff-goto-source>" #'toolgate-source-visit)))
    (dolist (command '(diff-apply-hunk
                       diff-test-hunk diff-ediff-patch diff-reverse-direction
                       diff-hunk-kill diff-file-kill diff-split-hunk
                       diff-refresh-hunk diff-ignore-whitespace-hunk
                       diff-unified->context diff-context->unified))
      (define-key map `[remap ,command] #'toolgate-source-change-nothing))
    map)
  "Keys of diffs that are shown for a decision.")

(defun toolgate-source-setup (diff file &optional named)
  "Let the keys here go to the files of DIFF, which this buffer shows.
FILE is called with a path and returns the whole name of the file, or nil.
NAMED is as for `toolgate-patch-place'."
  (setq toolgate-source--diff diff
        toolgate-source--file file
        toolgate-source--named named))

(defun toolgate-source-visit (&optional event)
  "Visit the file that the diff at point, or at EVENT, is about."
  (interactive (list last-input-event))
  (when (mouse-event-p event) (mouse-set-point event))
  (pcase-let* ((`(,line . ,paths)
                (toolgate-patch-place toolgate-source--diff
                                      (toolgate-source--line)
                                      toolgate-source--named))
               (names (delq nil (mapcar toolgate-source--file paths))))
    (find-file-other-window
     (or (seq-find #'file-exists-p names)
         (if names (user-error "%s does not exist yet" (car paths))
           (user-error "The diff is not for a file of the workspace"))))
    (goto-char (point-min))
    (forward-line (1- line))))

(defun toolgate-source--line ()
  "Return which line of the diff point is on, counted from 0.
Where an overlong line was broken, that is the same line still."
  (let ((end (line-beginning-position)) (count 0))
    (save-excursion
      (save-restriction
        (widen)
        (goto-char (point-min))
        (while (search-forward "\n" end t)
          (unless (get-text-property (1- (point)) 'toolgate-break)
            (setq count (1+ count))))))
    count))

(defun toolgate-source-change-nothing ()
  "Say that what is shown stays so, and files are changed by a decision alone."
  (interactive)
  (user-error "This preview cannot be edited; approve or reject the call"))

(provide 'toolgate-source)
;;; toolgate-source.el ends here
