;;; toolgate-source.el --- Visit the files of a diff  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `diff-mode' searches the text around point for a file name, in any location.
;; A diff that is shown for a decision may contain such text on purpose.  So
;; here a file must be part of the diff and in the workspace; and keys of
;; `diff-mode' that change its text, such as the one that reverses it, are
;; disabled.

;;; Code:

(require 'toolgate-keys)
(require 'toolgate-patch)

(defvar-local toolgate-source--diff nil "Diff that this buffer shows.")
(defvar-local toolgate-source--named nil
  "Paths of each section of the diff, if reported separately.")
(defvar-local toolgate-source--file nil
  "Function that returns the absolute name of a path of the diff, or nil.")

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
  "Keymap of diffs that are shown for a decision.")

(defun toolgate-source-setup (diff file &optional named)
  "Make the keys here visit the files of DIFF, which this buffer shows.
FILE is called with a path and returns the absolute name of the file, or nil.
NAMED is as for `toolgate-patch-place'."
  (setq toolgate-source--diff diff
        toolgate-source--file file
        toolgate-source--named named))

(defun toolgate-source-visit (&optional event)
  "Visit the file of the diff at point, or at EVENT."
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
           (user-error "The diff does not belong to a file in the workspace"))))
    (goto-char (point-min))
    (forward-line (1- line))))

(defun toolgate-source--line ()
  "Return the number of the diff line at point, counted from 0.
The parts of a broken overlong line have the same number."
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
  "Signal an error: the preview is read-only, and only a decision changes files."
  (interactive)
  (user-error "This preview cannot be edited; approve or reject the call"))

(provide 'toolgate-source)
;;; toolgate-source.el ends here
