;;; toolgate-connection.el --- Connection to a Toolgate server  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A connection represents one server that this Emacs follows, with its known
;; state.  There may be several, one per project.  Code that displays state
;; adds functions to the hooks here, and reads with the functions of
;; `toolgate-store.el'.

;;; Code:

(require 'cl-lib)
(require 'subr-x)
(require 'toolgate-json)
(require 'toolgate-http)

(defvar toolgate-event-functions nil
  "Functions called with CONNECTION and EVENT, for each event in order.
The store has already processed it.  An event with a `seq' up to the `head' of
the last `stream.snapshot' is a replay of the past.")

(defvar toolgate-approval-pending-hook nil
  "Functions called with CONNECTION and CALL when a call waits for a decision.
They are called again with the new call when its preview has changed.")

(defvar toolgate-approval-resolved-hook nil
  "Functions called when a call no longer waits for a decision.
They are called with CONNECTION, CALL and DECISION, an object with
`decision' (approved, rejected, expired, cancelled, or unknown if the
event was missed), and perhaps `by' and `reason'.")

(defvar toolgate-state-changed-hook nil
  "Functions called with CONNECTION when known state has changed.
They are called once for several events that arrive together.")

(defvar toolgate-resync-functions nil
  "Functions called with CONNECTION when events may have been missed.
State derived only from earlier events must be looked up again.")

(cl-defstruct (toolgate-connection
               (:include toolgate-endpoint)
               (:constructor toolgate-connection--make) (:copier nil))
  "One server, and its known state."
  (roots nil :documentation "True names of the folders that it serves.")
  (workspaces nil :documentation
              "Pairs of the name of a workspace and its folder.")
  (pid nil :documentation "Its process id, if it runs on this machine.")
  (token-file nil :documentation
              "File with its token, if separate from the discovery file.")
  (project nil :documentation "Folder for which the server was found.")
  (instance nil :documentation "Id of this run of the server.")
  (client-id nil :documentation "Client id of this Emacs.")
  (status 'closed :documentation
          "One of the symbols connecting, live, lost and closed.")
  (reason nil :documentation "Reason why it is lost or closed, for people.")
  (stream nil :documentation "Event stream of the connection.")
  (seq 0 :documentation "Number of the newest processed event.")
  (head 0 :documentation
        "Number of the newest event when the stream was opened.")
  (calls (make-hash-table :test #'equal) :documentation "Calls by id.")
  (ended nil :documentation "Ids of calls that have ended, newest first.")
  (pending nil :documentation "Ids of waiting calls, oldest first.")
  (jobs (make-hash-table :test #'equal) :documentation "Jobs by task id.")
  (modes nil :documentation "Last answer of `GET /modes'.")
  (events nil :documentation "Pairs of size and event, newest first.")
  (events-count 0 :documentation "Number of these events.")
  (events-size 0 :documentation "Total size of these events.")
  (waiting nil :documentation
           "Events that wait until the state is read, newest first.")
  (reading nil :documentation "Non-nil while the state is being read."))

(defvar toolgate-connections nil
  "All open connections, the newest first.")

(defvar-local toolgate-buffer-connection nil
  "Connection of this buffer, or nil.")
(put 'toolgate-buffer-connection 'permanent-local t)

;;;; Find a connection

(defun toolgate-connection-for (folder)
  "Return the connection with the deepest root that contains FOLDER, or nil."
  (let ((folder (file-name-as-directory (file-truename folder)))
        best (length 0))
    (dolist (connection toolgate-connections best)
      (dolist (root (toolgate-connection-roots connection))
        (when (and (> (length root) length) (string-prefix-p root folder))
          (setq best connection length (length root)))))))

(defun toolgate-current-connection (&optional noerror)
  "Return the connection for the current buffer.
This is the buffer's own connection, else the one that serves its folder, else
the only one.  If there is none, signal a `user-error', or return nil with
NOERROR."
  (cond ((and toolgate-buffer-connection
              (memq toolgate-buffer-connection toolgate-connections))
         toolgate-buffer-connection)
        ((and (not (file-remote-p default-directory))
              (toolgate-connection-for default-directory)))
        ((and toolgate-connections (null (cdr toolgate-connections)))
         (car toolgate-connections))
        (noerror nil)
        (toolgate-connections
         (user-error "No server is running for %s; M-x toolgate-connect looks for a server"
                     (abbreviate-file-name default-directory)))
        (t (user-error "Not connected; M-x toolgate-connect finds a server, \
M-x toolgate-start starts one"))))

(defun toolgate-connection-name (connection)
  "Return a readable name for CONNECTION: the folder that it serves."
  (let ((root (or (car (toolgate-connection-roots connection))
                  (toolgate-connection-project connection))))
    (if root (abbreviate-file-name (directory-file-name root))
      (toolgate-endpoint-url connection))))

;;;; File names

(defun toolgate-connection-root (connection object)
  "Return the folder of the workspace that OBJECT names, or nil.
OBJECT is an event, a call or a delegation of CONNECTION."
  (let ((roots (toolgate-connection-roots connection)))
    (or (cdr (assoc (toolgate-get object 'workspace)
                    (toolgate-connection-workspaces connection)))
        (and (null (cdr roots)) (car roots)))))

(defun toolgate-connection-file (connection object path)
  "Return the absolute name of PATH in the workspace that OBJECT names.
OBJECT is an event, a call or a delegation of CONNECTION.  Return nil if the
workspace is unknown, or PATH is outside of it."
  (when-let* ((root (toolgate-connection-root connection object))
              ;; PATH may come from an agent: it must not cause a remote
              ;; connection.
              (file (let ((file-name-handler-alist nil))
                      (expand-file-name path root))))
    (and (string-prefix-p (file-name-as-directory root) (concat file "/"))
         (not (file-remote-p file))
         file)))

(defun toolgate-connection-place (connection file)
  "Return the workspace of CONNECTION that contains FILE, a true name.
The value is a pair of its name, nil if there is only one, and the path of
FILE within it; or nil if no workspace contains it."
  (let (best)
    (dolist (root (toolgate-connection-roots connection))
      (when (and (string-prefix-p root file)
                 (> (length root) (length best)))
        (setq best root)))
    (and best
         (cons (car (rassoc best (toolgate-connection-workspaces connection)))
               (substring file (length best))))))

(defun toolgate-connection-set-status (connection status &optional reason)
  "Set the status of CONNECTION to STATUS, for REASON."
  (unless (and (eq status (toolgate-connection-status connection))
               (equal reason (toolgate-connection-reason connection)))
    (setf (toolgate-connection-status connection) status
          (toolgate-connection-reason connection) reason)
    (toolgate-connection-run 'toolgate-state-changed-hook connection)))

(defun toolgate-connection-run (hook &rest arguments)
  "Run the functions on HOOK with ARGUMENTS.
If a function fails, report the error, and call the others nevertheless."
  (apply #'run-hook-wrapped hook
         (lambda (function &rest arguments)
           (condition-case problem
               ;; A hook must not ask the user anything.
               (let ((inhibit-interaction t)) (apply function arguments))
             (error (message "Toolgate: %s failed: %s"
                             (if (symbolp function) function
                               (format "a function on `%s'" hook))
                             (error-message-string problem))))
           nil)
         arguments))

(provide 'toolgate-connection)
;;; toolgate-connection.el ends here
