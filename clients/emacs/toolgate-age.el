;;; toolgate-age.el --- Live ages in lists  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; An age in a list is correct for one second.  While the list is displayed,
;; its column of ages is updated every second; the other columns are not.

;;; Code:

(require 'tabulated-list)
(require 'toolgate-faces)

(defconst toolgate-age-width 12
  "Width of the column for ages.")

(defconst toolgate-age--seconds 1
  "Seconds between updates of ages.")

(defvar-local toolgate-age--time-of nil
  "Function that takes the id of an entry and returns its start time, a string.")
(defvar-local toolgate-age--timer nil
  "Timer that updates the ages of this list.")

(defun toolgate-age-setup (time-of)
  "Show the time since TIME-OF in the column Age of each entry of this list.
TIME-OF is called with the id of an entry and returns its start time."
  (setq toolgate-age--time-of time-of
        toolgate-age--timer (run-with-timer toolgate-age--seconds
                                            toolgate-age--seconds
                                            #'toolgate-age--tick
                                            (current-buffer)))
  (dolist (hook '(kill-buffer-hook change-major-mode-hook))
    (add-hook hook #'toolgate-age--stop nil t)))

(defun toolgate-age--stop ()
  "Stop updating the ages of this list."
  (cancel-timer toolgate-age--timer))

(defun toolgate-age--tick (buffer)
  "Update the ages of the list in BUFFER, if it is displayed."
  (when (get-buffer-window buffer 'visible)
    (with-current-buffer buffer
      ;; The width of a cell does not change, so positions can be saved as
      ;; numbers.
      (let ((here (point))
            (places (mapcar (lambda (window) (cons window (window-point window)))
                            (get-buffer-window-list nil nil t))))
        (with-silent-modifications (toolgate-age--write))
        (goto-char here)
        (pcase-dolist (`(,window . ,place) places)
          (set-window-point window place))))))

(defun toolgate-age--write ()
  "Update the ages that have changed."
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
