;;; toolgate-guard.el --- Ignore keys typed for another buffer  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A buffer that has just appeared or changed may receive a key that was meant
;; for what was there before.  So its decision keys are ignored for a short
;; time.  `toolgate-guard-start' starts to watch a buffer,
;; `toolgate-guard-check' stops a command that comes too early.

;;; Code:

(defcustom toolgate-key-guard-seconds 0.5
  "Seconds for which keys that decide are ignored.
The period starts when their buffer gets the focus, or changes."
  :type 'number
  :group 'toolgate)

(defvar-local toolgate-guard--since nil
  "Time when this buffer got the focus or changed; nil if it has no focus.")

(defun toolgate-guard-start ()
  "Watch when the current buffer gets the focus."
  (add-hook 'window-selection-change-functions #'toolgate-guard--focus nil t)
  (add-hook 'window-buffer-change-functions #'toolgate-guard--focus nil t)
  (add-function :after after-focus-change-function
                #'toolgate-guard--frame-focus))

(defun toolgate-guard-renew ()
  "Restart the period, because the current buffer has changed."
  (setq toolgate-guard--since (float-time)))

(defun toolgate-guard-check ()
  "Signal a `user-error' if the current command was likely typed too early."
  ;; Keys may be ahead of redisplay, which runs the hooks for the focus.
  (unless toolgate-guard--since (toolgate-guard-renew))
  (when (< (- (float-time) toolgate-guard--since) toolgate-key-guard-seconds)
    (user-error "The key was ignored, because this text has just appeared or changed")))

(defun toolgate-guard--focus (window)
  "Record that WINDOW, which shows this buffer, was selected or deselected."
  (when (window-live-p window)
    (with-current-buffer (window-buffer window)
      (if (eq window (selected-window))
          (toolgate-guard-renew)
        (unless (eq (window-buffer (selected-window)) (current-buffer))
          (setq toolgate-guard--since nil))))))

(defun toolgate-guard--frame-focus ()
  "Restart the period in the selected window: Emacs gained or lost the focus."
  (dolist (frame (frame-list))
    (with-current-buffer (window-buffer (frame-selected-window frame))
      (when toolgate-guard--since (toolgate-guard-renew)))))

(provide 'toolgate-guard)
;;; toolgate-guard.el ends here
