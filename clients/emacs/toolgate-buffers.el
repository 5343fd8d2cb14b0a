;;; toolgate-buffers.el --- Telling a Toolgate server of unsaved buffers  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A buffer with unsaved changes is told to the server of its file, so that
;; who reads the file there reads what the person sees, and nobody writes
;; beneath the editor unseen.  It is told some moments after it was changed, one
;; request after the other, and taken back once it is saved or gone.  What was
;; told is a lease that has to be renewed: should this Emacs die, it runs out.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'toolgate-connection)
(require 'toolgate-files)
(require 'toolgate-http)
(require 'toolgate-json)

(defcustom toolgate-share-buffers t
  "Whether buffers with unsaved changes are reported to servers."
  :group 'toolgate
  :type 'boolean)

(defcustom toolgate-share-buffers-max-size (* 1024 1024)
  "Maximum size in characters of a reported buffer."
  :group 'toolgate
  :type 'integer)

(defconst toolgate-buffers--quiet-seconds 0.5
  "Seconds without a change after which a buffer is reported.")
(defconst toolgate-buffers--longest-seconds 3
  "Maximum seconds until a changing buffer is reported.")
(defconst toolgate-buffers--lease-seconds 90
  "How long what was told holds.")
(defconst toolgate-buffers--renew-seconds 30
  "How often the lease is renewed.")

(cl-defstruct (toolgate-buffers--held (:copier nil))
  "A buffer that a server was told of."
  connection file workspace path tick)

(defvar-local toolgate-buffers--held nil
  "What was told of this buffer, or nil.")
(defvar-local toolgate-buffers--refused nil
  "Whether this buffer is not taken by the server, until it is saved.")
(defvar-local toolgate-buffers--since nil
  "When this buffer was changed first since it was told.")
(defvar-local toolgate-buffers--changed nil
  "When this buffer was changed last.")
;; A server knows of a text, not of a mode; and reverting changes the mode.
(dolist (variable '(toolgate-buffers--held toolgate-buffers--refused
                    toolgate-buffers--since toolgate-buffers--changed))
  (put variable 'permanent-local t))

(defvar toolgate-buffers--timer nil
  "Timer that tells of buffers in a moment.")
(defvar toolgate-buffers--renewing nil
  "Timer that renews the lease.")
(defvar toolgate-buffers--asking nil
  "Whether a request is under way; the next waits for its answer.")

;;;; Noticing

(defun toolgate-buffers--first-change ()
  "The current buffer is about to have unsaved changes: watch it."
  (when (and buffer-file-name toolgate-connections)
    (add-hook 'after-change-functions #'toolgate-buffers--note nil t)))

(defun toolgate-buffers--note (&rest _)
  "The current buffer was changed."
  (let ((now (float-time)))
    (setq toolgate-buffers--changed now)
    (unless toolgate-buffers--since (setq toolgate-buffers--since now)))
  (toolgate-buffers--soon))
(put 'toolgate-buffers--note 'permanent-local-hook t)

(defun toolgate-buffers--soon ()
  "Tell of buffers in a moment."
  (unless toolgate-buffers--timer
    (setq toolgate-buffers--timer
          (run-at-time toolgate-buffers--quiet-seconds nil
                       #'toolgate-buffers--tell))))

(defun toolgate-buffers--look ()
  "Look whether the current buffer still has unsaved changes."
  (setq toolgate-buffers--refused nil)
  (when toolgate-buffers--held (toolgate-buffers--soon)))

(defun toolgate-buffers--cloned ()
  "The current buffer shares its text with another, which alone is told."
  (kill-local-variable 'toolgate-buffers--held))

(defun toolgate-buffers--killed ()
  "The current buffer goes: take back what was told of it."
  (when toolgate-buffers--held
    (toolgate-buffers--drop)))

;;;; Telling

(defun toolgate-buffers--tell ()
  "Tell of the next buffer that has changed, or take it back."
  (setq toolgate-buffers--timer nil)
  (unless toolgate-buffers--asking
    (let ((now (float-time)) later next)
      (dolist (buffer (buffer-list))
        (with-current-buffer buffer
          (cond ((not (toolgate-buffers--due-p)))
                ((toolgate-buffers--quiet-p now)
                 (unless next (setq next buffer)))
                (t (setq later t)))))
      (cond (next (with-current-buffer next
                    (if (and (toolgate-buffers--wanted-p)
                             (not (toolgate-buffers--renamed-p)))
                        (toolgate-buffers--put)
                      (toolgate-buffers--drop))))
            (later (toolgate-buffers--soon))))))

(defun toolgate-buffers--due-p ()
  "Return whether the server knows something else of the current buffer.
While there is no connection to it, nothing is due."
  (cond ((or (not (toolgate-buffers--wanted-p)) (toolgate-buffers--renamed-p))
         toolgate-buffers--held)
        ((toolgate-buffers--connection)
         (add-hook 'after-change-functions #'toolgate-buffers--note nil t)
         (not (and toolgate-buffers--held
                   (eql (buffer-chars-modified-tick)
                        (toolgate-buffers--held-tick
                         toolgate-buffers--held)))))))

(defun toolgate-buffers--renamed-p ()
  "Return whether the current buffer was told of under another name."
  (and toolgate-buffers--held
       (not (equal (toolgate-buffers--held-file toolgate-buffers--held)
                   (toolgate-files-name)))))

(defun toolgate-buffers--quiet-p (now)
  "Return whether the current buffer is at rest NOW, or never is."
  (or (null toolgate-buffers--changed)
      (>= (- now toolgate-buffers--changed)
          (- toolgate-buffers--quiet-seconds 0.01))
      (>= (- now (or toolgate-buffers--since now))
          toolgate-buffers--longest-seconds)))

(defun toolgate-buffers--wanted-p ()
  "Return whether a server is to know the text of the current buffer."
  (and toolgate-share-buffers
       toolgate-connections
       buffer-file-name
       (buffer-modified-p)
       (not toolgate-buffers--refused)
       (<= (buffer-size) toolgate-share-buffers-max-size)
       ;; Remote files, and those that are packed or encrypted on the disk.
       (not (find-file-name-handler buffer-file-name 'insert-file-contents))
       (not (toolgate-buffers--raw-p))))

(defun toolgate-buffers--raw-p ()
  "Return whether the current buffer holds bytes that are no letters.
They can't be said in JSON."
  (or (not enable-multibyte-characters)
      (save-excursion
        (save-restriction
          (widen)
          (goto-char (point-min))
          (skip-chars-forward "^\x3fff80-\x3fffff\xd800-\xdfff")
          (not (eobp))))))

(defun toolgate-buffers--connection ()
  "Return the connection that the file of the current buffer belongs to."
  (when-let ((file (toolgate-files-name)))
    (seq-find (lambda (connection)
                (and (eq (toolgate-connection-status connection) 'live)
                     (toolgate-connection-place connection file)))
              toolgate-connections)))

(defun toolgate-buffers-tell-now ()
  "Tell of the current buffer without waiting for it to be at rest."
  (setq toolgate-buffers--changed nil)
  (unless toolgate-buffers--asking
    (when toolgate-buffers--timer (cancel-timer toolgate-buffers--timer))
    (toolgate-buffers--tell)))

(defun toolgate-buffers--put ()
  "Tell the text of the current buffer."
  (let* ((buffer (current-buffer))
         (connection (toolgate-buffers--connection))
         (place (toolgate-connection-place connection (toolgate-files-name)))
         (tick (buffer-chars-modified-tick))
         (held (make-toolgate-buffers--held
                :connection connection :file (toolgate-files-name)
                :workspace (car place)
                :path (cdr place) :tick tick)))
    (setq toolgate-buffers--since nil)
    (toolgate-buffers--request
     connection "PUT"
     :body `((buffers . [((path . ,(cdr place))
                          (content . ,(toolgate-buffers-text))
                          (version . ,tick))])
             (client_id . ,(toolgate-connection-client-id connection))
             (lease_ms . ,(* 1000 toolgate-buffers--lease-seconds))
             ,@(and (car place) `((workspace . ,(car place)))))
     :on-success (lambda (_)
                   (when (buffer-live-p buffer)
                     (with-current-buffer buffer
                       (setq toolgate-buffers--held held))))
     :on-error (lambda (problem)
                 (when (and (buffer-live-p buffer)
                            (<= 400 (plist-get problem :status) 499))
                   (with-current-buffer buffer
                     (setq toolgate-buffers--refused t)))))))

(defun toolgate-buffers-text ()
  "Return the whole text of the current buffer."
  (save-restriction
    (widen)
    (buffer-substring-no-properties (point-min) (point-max))))

(defun toolgate-buffers--drop ()
  "Take back what was told of the current buffer."
  (let* ((held toolgate-buffers--held)
         (connection (toolgate-buffers--held-connection held)))
    (setq toolgate-buffers--held nil
          toolgate-buffers--since nil)
    (when (memq connection toolgate-connections)
      (toolgate-buffers--request
       connection "DELETE"
       :query `((path . ,(toolgate-buffers--held-path held))
                (workspace . ,(toolgate-buffers--held-workspace held))
                (client_id . ,(toolgate-connection-client-id connection)))))))

(cl-defun toolgate-buffers--request
    (connection method &key body query on-success on-error)
  "Request METHOD of the buffers of CONNECTION with BODY and QUERY.
Call ON-SUCCESS or ON-ERROR once answered, and tell of what else there is."
  (let ((after (lambda (function)
                 (lambda (answer)
                   (setq toolgate-buffers--asking nil)
                   (when function (funcall function answer))
                   (toolgate-buffers--soon)))))
    (setq toolgate-buffers--asking t)
    (toolgate-http-request connection method "/buffers"
                           :body body :query query
                           :on-success (funcall after on-success)
                           :on-error (funcall after on-error))))

;;;; The lease

(defun toolgate-buffers--renew ()
  "Renew the lease on all that was told.
What the server does not know any more is told again."
  (dolist (connection toolgate-connections)
    (dolist (workspace (toolgate-buffers--workspaces connection))
      (toolgate-http-request
       connection "PUT" "/buffers"
       :body `((buffers . [])
               (client_id . ,(toolgate-connection-client-id connection))
               (lease_ms . ,(* 1000 toolgate-buffers--lease-seconds))
               ,@(and workspace `((workspace . ,workspace))))
       :on-success
       (lambda (answer)
         (let ((paths (mapcar (lambda (buffer) (toolgate-get buffer 'path))
                              (toolgate-get-list answer 'buffers))))
           (toolgate-buffers--forget
            (lambda (held)
              (and (eq connection (toolgate-buffers--held-connection held))
                   (equal workspace (toolgate-buffers--held-workspace held))
                   (not (member (toolgate-buffers--held-path held)
                                paths)))))))))))

(defun toolgate-buffers--workspaces (connection)
  "Return the names of workspaces of CONNECTION of which something was told."
  (let (names)
    (dolist (buffer (buffer-list) names)
      (when-let ((held (buffer-local-value 'toolgate-buffers--held buffer)))
        (when (eq connection (toolgate-buffers--held-connection held))
          (cl-pushnew (toolgate-buffers--held-workspace held) names
                      :test #'equal))))))

(defun toolgate-buffers--forget (forgotten-p)
  "What was told and fits FORGOTTEN-P is not known by the server any more."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (and toolgate-buffers--held
                 (funcall forgotten-p toolgate-buffers--held))
        (setq toolgate-buffers--held nil))))
  (toolgate-buffers--soon))

(defun toolgate-buffers--resync (connection)
  "CONNECTION is one to a fresh server, which knows of no buffers."
  (toolgate-buffers--forget
   (lambda (held) (eq connection (toolgate-buffers--held-connection held)))))

(defun toolgate-buffers--event (_ event)
  "Look for what to tell when EVENT says that a connection was made."
  (when (equal (toolgate-get event 'type) "stream.snapshot")
    (toolgate-buffers--soon)))

(defun toolgate-buffers-setup (on)
  "Tell servers of unsaved buffers if ON, else take back what was told."
  (let ((change (if on #'add-hook #'remove-hook)))
    (funcall change 'first-change-hook #'toolgate-buffers--first-change)
    (dolist (hook '(after-save-hook after-revert-hook
                    after-set-visited-file-name-hook))
      (funcall change hook #'toolgate-buffers--look))
    (funcall change 'kill-buffer-hook #'toolgate-buffers--killed)
    (funcall change 'clone-indirect-buffer-hook #'toolgate-buffers--cloned)
    (funcall change 'toolgate-event-functions #'toolgate-buffers--event)
    (funcall change 'toolgate-resync-functions #'toolgate-buffers--resync))
  (when toolgate-buffers--renewing (cancel-timer toolgate-buffers--renewing))
  (setq toolgate-buffers--renewing
        (and on (run-at-time toolgate-buffers--renew-seconds
                             toolgate-buffers--renew-seconds
                             #'toolgate-buffers--renew)))
  (unless on
    (dolist (buffer (buffer-list))
      (with-current-buffer buffer (toolgate-buffers--killed)))))

(provide 'toolgate-buffers)
;;; toolgate-buffers.el ends here
