;;; toolgate-buffers.el --- Report unsaved buffers to Toolgate servers  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A buffer with unsaved changes is reported to the server of its file, so that
;; tools that read the file get the text that the user sees, and no tool
;; overwrites the file without regard to the unsaved changes.  A buffer is
;; reported shortly after a change, one request at a time, and withdrawn once
;; it is saved or killed.  A report is a lease that must be renewed: if this
;; Emacs dies, it expires.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'toolgate-connection)
(require 'toolgate-files)
(require 'toolgate-http)
(require 'toolgate-json)

(defcustom toolgate-share-buffers t
  "Non-nil means report buffers with unsaved changes to servers."
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
  "Seconds until a reported buffer expires.")
(defconst toolgate-buffers--renew-seconds 30
  "Seconds between renewals of the lease.")

(cl-defstruct (toolgate-buffers--held (:copier nil))
  "A buffer that was reported to a server."
  connection file workspace path tick)

(defvar-local toolgate-buffers--held nil
  "Report of this buffer that the server has, or nil.")
(defvar-local toolgate-buffers--refused nil
  "Non-nil if the server has rejected this buffer; reset when it is saved.")
(defvar-local toolgate-buffers--since nil
  "Time of the first change of this buffer since it was reported, or nil.")
(defvar-local toolgate-buffers--changed nil
  "Time of the last change of this buffer, or nil.")
;; A report is about a text, not about a mode; and reverting changes the mode.
(dolist (variable '(toolgate-buffers--held toolgate-buffers--refused
                    toolgate-buffers--since toolgate-buffers--changed))
  (put variable 'permanent-local t))

(defvar toolgate-buffers--timer nil
  "Timer that reports the next buffer after a delay.")
(defvar toolgate-buffers--renewing nil
  "Timer that renews the lease.")
(defvar toolgate-buffers--asking nil
  "Non-nil if a request is in flight.")

;;;; Detect changes

(defun toolgate-buffers--first-change ()
  "Watch the current buffer, which is about to have unsaved changes."
  (when (and buffer-file-name toolgate-connections)
    (add-hook 'after-change-functions #'toolgate-buffers--note nil t)))

(defun toolgate-buffers--note (&rest _)
  "Record that the current buffer was changed."
  (let ((now (float-time)))
    (setq toolgate-buffers--changed now)
    (unless toolgate-buffers--since (setq toolgate-buffers--since now)))
  (toolgate-buffers--soon))
(put 'toolgate-buffers--note 'permanent-local-hook t)

(defun toolgate-buffers--soon ()
  "Schedule a report of buffers."
  (unless toolgate-buffers--timer
    (setq toolgate-buffers--timer
          (run-at-time toolgate-buffers--quiet-seconds nil
                       #'toolgate-buffers--tell))))

(defun toolgate-buffers--look ()
  "Check if the current buffer still has unsaved changes."
  (setq toolgate-buffers--refused nil)
  (when toolgate-buffers--held (toolgate-buffers--soon)))

(defun toolgate-buffers--cloned ()
  "Reset the state of this indirect buffer: only its base buffer is reported."
  (kill-local-variable 'toolgate-buffers--held))

(defun toolgate-buffers--killed ()
  "Withdraw the report of the current buffer, which is about to be killed."
  (when toolgate-buffers--held
    (toolgate-buffers--drop)))

;;;; Report

(defun toolgate-buffers--tell ()
  "Report the next changed buffer, or withdraw it."
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
  "Return non-nil if the report of the current buffer is outdated.
Without a connection to its server, there is nothing to do."
  (cond ((or (not (toolgate-buffers--wanted-p)) (toolgate-buffers--renamed-p))
         toolgate-buffers--held)
        ((toolgate-buffers--connection)
         (add-hook 'after-change-functions #'toolgate-buffers--note nil t)
         (not (and toolgate-buffers--held
                   (eql (buffer-chars-modified-tick)
                        (toolgate-buffers--held-tick
                         toolgate-buffers--held)))))))

(defun toolgate-buffers--renamed-p ()
  "Return non-nil if the current buffer was reported under another name."
  (and toolgate-buffers--held
       (not (equal (toolgate-buffers--held-file toolgate-buffers--held)
                   (toolgate-files-name)))))

(defun toolgate-buffers--quiet-p (now)
  "Return non-nil if at NOW the buffer is idle, or has changed for too long."
  (or (null toolgate-buffers--changed)
      (>= (- now toolgate-buffers--changed)
          (- toolgate-buffers--quiet-seconds 0.01))
      (>= (- now (or toolgate-buffers--since now))
          toolgate-buffers--longest-seconds)))

(defun toolgate-buffers--wanted-p ()
  "Return non-nil if the current buffer should be reported to a server."
  (and toolgate-share-buffers
       toolgate-connections
       buffer-file-name
       (buffer-modified-p)
       (not toolgate-buffers--refused)
       (<= (buffer-size) toolgate-share-buffers-max-size)
       ;; Exclude remote files, and compressed or encrypted ones.
       (not (find-file-name-handler buffer-file-name 'insert-file-contents))
       (not (toolgate-buffers--raw-p))))

(defun toolgate-buffers--raw-p ()
  "Return non-nil if the current buffer contains bytes that are not characters.
JSON cannot represent them."
  (or (not enable-multibyte-characters)
      (save-excursion
        (save-restriction
          (widen)
          (goto-char (point-min))
          (skip-chars-forward "^\x3fff80-\x3fffff\xd800-\xdfff")
          (not (eobp))))))

(defun toolgate-buffers--connection ()
  "Return the live connection that serves the file of the current buffer."
  (when-let ((file (toolgate-files-name)))
    (seq-find (lambda (connection)
                (and (eq (toolgate-connection-status connection) 'live)
                     (toolgate-connection-place connection file)))
              toolgate-connections)))

(defun toolgate-buffers-tell-now ()
  "Report the current buffer without waiting until it is idle."
  (setq toolgate-buffers--changed nil)
  (unless toolgate-buffers--asking
    (when toolgate-buffers--timer (cancel-timer toolgate-buffers--timer))
    (toolgate-buffers--tell)))

(defun toolgate-buffers--put ()
  "Report the text of the current buffer."
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
  "Withdraw the report of the current buffer."
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
  "Send METHOD to the buffers of CONNECTION with BODY and QUERY.
Call ON-SUCCESS or ON-ERROR with the answer, and schedule the next report."
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
  "Renew the lease on all reported buffers.
Buffers that the server no longer has are reported again."
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
  "Return the names of workspaces of CONNECTION with reported buffers."
  (let (names)
    (dolist (buffer (buffer-list) names)
      (when-let ((held (buffer-local-value 'toolgate-buffers--held buffer)))
        (when (eq connection (toolgate-buffers--held-connection held))
          (cl-pushnew (toolgate-buffers--held-workspace held) names
                      :test #'equal))))))

(defun toolgate-buffers--forget (forgotten-p)
  "Discard the reports that match FORGOTTEN-P: the server no longer has them."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (and toolgate-buffers--held
                 (funcall forgotten-p toolgate-buffers--held))
        (setq toolgate-buffers--held nil))))
  (toolgate-buffers--soon))

(defun toolgate-buffers--resync (connection)
  "Discard all reports to CONNECTION: its server has restarted without them."
  (toolgate-buffers--forget
   (lambda (held) (eq connection (toolgate-buffers--held-connection held)))))

(defun toolgate-buffers--event (_ event)
  "Schedule a report if EVENT says that a connection was made."
  (when (equal (toolgate-get event 'type) "stream.snapshot")
    (toolgate-buffers--soon)))

(defun toolgate-buffers-setup (on)
  "Report unsaved buffers to servers if ON, else stop and withdraw all reports."
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
