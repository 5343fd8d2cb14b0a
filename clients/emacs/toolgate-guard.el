;;; toolgate-guard.el --- No key that was meant for something else decides  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A prompt that has just come under somebody's hands, or has just changed, may
;; get a key that was typed for what was there before.  So for a moment its
;; decision keys do nothing.  `toolgate-guard-start' begins to watch a buffer,
;; `toolgate-guard-check' stops a command that comes too early.

;;; Code:

(defcustom toolgate-key-guard-seconds 0.5
  "Seconds for which keys that decide are ignored.
Counted from when their buffer got the focus, or changed."
  :type 'number
  :group 'toolgate)

(defvar-local toolgate-guard--since nil
  "When this buffer got the focus or changed; nil where it has no focus.")

(defun toolgate-guard-start ()
  "Watch when the current buffer gets the focus."
  (add-hook 'window-selection-change-functions #'toolgate-guard--focus nil t)
  (add-hook 'window-buffer-change-functions #'toolgate-guard--focus nil t)
  (add-function :after after-focus-change-function
                #'toolgate-guard--frame-focus))

(defun toolgate-guard-renew ()
  "Begin to count anew: the current buffer has changed."
  (setq toolgate-guard--since (float-time)))

(defun toolgate-guard-check ()
  "Stop the current command if it comes too early to be meant for this buffer."
  ;; Keys can be ahead of redisplay, which is what tells of the focus.
  (unless toolgate-guard--since (toolgate-guard-renew))
  (when (< (- (float-time) toolgate-guard--since) toolgate-key-guard-seconds)
    (user-error "Ignored: this has just appeared or changed")))

(defun toolgate-guard--focus (window)
  "Note that WINDOW, which shows this buffer, was selected or left."
  (when (window-live-p window)
    (with-current-buffer (window-buffer window)
      (if (eq window (selected-window))
          (toolgate-guard-renew)
        (unless (eq (window-buffer (selected-window)) (current-buffer))
          (setq toolgate-guard--since nil))))))

(defun toolgate-guard--frame-focus ()
  "Count anew in what is selected: Emacs itself was left or entered."
  (dolist (frame (frame-list))
    (with-current-buffer (window-buffer (frame-selected-window frame))
      (when toolgate-guard--since (toolgate-guard-renew)))))

(provide 'toolgate-guard)
;;; toolgate-guard.el ends here
