;;; toolgate-age.el --- Ages in lists, as they grow  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A list that tells ages is true for a second.  While it can be seen, its
;; column of ages is written anew each second, and nothing else of it.

;;; Code:

(require 'tabulated-list)
(require 'toolgate-faces)

(defconst toolgate-age-width 12
  "Width of the column for ages.")

(defconst toolgate-age--seconds 1
  "Seconds between updates of ages.")

(defvar-local toolgate-age--time-of nil
  "Function of the id of an entry that returns when it began, a string.")
(defvar-local toolgate-age--timer nil
  "Timer that writes the ages of this list anew.")

(defun toolgate-age-setup (time-of)
  "Let the column Age of this list tell how long ago TIME-OF was, of each entry.
TIME-OF is called with the id of an entry."
  (setq toolgate-age--time-of time-of
        toolgate-age--timer (run-with-timer toolgate-age--seconds
                                            toolgate-age--seconds
                                            #'toolgate-age--tick
                                            (current-buffer)))
  (dolist (hook '(kill-buffer-hook change-major-mode-hook))
    (add-hook hook #'toolgate-age--stop nil t)))

(defun toolgate-age--stop ()
  "Let the ages of this list stay as they are."
  (cancel-timer toolgate-age--timer))

(defun toolgate-age--tick (buffer)
  "Write the ages of the list in BUFFER anew, if it can be seen."
  (when (get-buffer-window buffer 'visible)
    (with-current-buffer buffer
      ;; A cell stays as long as it was, so places can be told by numbers.
      (let ((here (point))
            (places (mapcar (lambda (window) (cons window (window-point window)))
                            (get-buffer-window-list nil nil t))))
        (with-silent-modifications (toolgate-age--write))
        (goto-char here)
        (pcase-dolist (`(,window . ,place) places)
          (set-window-point window place))))))

(defun toolgate-age--write ()
  "Write ages that have changed."
  (let ((column (tabulated-list--column-number "Age")))
    (goto-char (point-min))
    (while (not (eobp))
      (when-let ((entry (tabulated-list-get-entry)))
        (let ((age (toolgate-faces-age
                    (funcall toolgate-age--time-of (tabulated-list-get-id)))))
          (unless (equal age (aref entry column))
            (tabulated-list-set-col column age t))))
      (forward-line 1))))

(provide 'toolgate-age)
;;; toolgate-age.el ends here
