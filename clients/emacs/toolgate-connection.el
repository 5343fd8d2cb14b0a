;;; toolgate-connection.el --- A Toolgate server that is followed  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A connection is one server that this Emacs follows, with all that is known
;; of it.  There may be several, one for each project.  Who shows something
;; hangs on the hooks here, and reads by the functions of `toolgate-store.el'.

;;; Code:

(require 'cl-lib)
(require 'subr-x)
(require 'toolgate-json)
(require 'toolgate-http)

(defvar toolgate-event-functions nil
  "Functions called with each event: CONNECTION and EVENT, in order.
The store has taken it already.  An event with a `seq' up to the `head' of the
last `stream.snapshot' is a memory of what is over.")

(defvar toolgate-approval-pending-hook nil
  "Functions called when a call begins to wait for a decision.
They get CONNECTION and CALL, and are called again with the fresh call when
what it would do has changed.")

(defvar toolgate-approval-resolved-hook nil
  "Functions called when a call waits no more, whoever decided.
They get CONNECTION, CALL and DECISION, an object with `decision' (approved,
rejected, expired, cancelled, or unknown where that was not heard), and
perhaps `by' and `reason'.")

(defvar toolgate-state-changed-hook nil
  "Functions called with CONNECTION when something that is known has changed.
Once for many events that come together.")

(defvar toolgate-resync-functions nil
  "Functions called with CONNECTION when events may have been missed.
What was learnt from earlier events alone must be looked up anew.")

(cl-defstruct (toolgate-connection
               (:include toolgate-endpoint)
               (:constructor toolgate-connection--make) (:copier nil))
  "One server, and what is known of it."
  (roots nil :documentation "Real names of the folders that it serves.")
  (workspaces nil :documentation
              "Pairs of the name of a workspace and its folder.")
  (pid nil :documentation "Its process, where it runs on this machine.")
  (token-file nil :documentation "Where its token is, if not in its own file.")
  (project nil :documentation "The folder for which it was looked for.")
  (instance nil :documentation "Which run of the server this is.")
  (client-id nil :documentation "Our name as a front end of it.")
  (status 'closed :documentation
          "One of the symbols connecting, live, lost and closed.")
  (reason nil :documentation "Why it is lost or closed, for people.")
  (stream nil :documentation "The stream that feeds it.")
  (seq 0 :documentation "The newest event that was taken.")
  (head 0 :documentation "The newest event when the stream was opened.")
  (calls (make-hash-table :test #'equal) :documentation "By id.")
  (ended nil :documentation "Ids of calls that have ended, newest first.")
  (pending nil :documentation "Ids of calls that wait, oldest first.")
  (jobs (make-hash-table :test #'equal) :documentation "By task id.")
  (modes nil :documentation "What `GET /modes' answered last.")
  (events nil :documentation "Pairs of size and event, newest first.")
  (events-count 0 :documentation "How many these are.")
  (events-size 0 :documentation "Their sizes, added up.")
  (waiting nil :documentation
           "Events that wait for the state to be read, newest first.")
  (reading nil :documentation "Whether the state is being read."))

(defvar toolgate-connections nil
  "All connections that are not closed, the newest first.")

(defvar-local toolgate-buffer-connection nil
  "The connection that this buffer shows something of.")
(put 'toolgate-buffer-connection 'permanent-local t)

;;;; Which connection

(defun toolgate-connection-for (folder)
  "Return the connection whose root holds FOLDER most closely, or nil."
  (let ((folder (file-name-as-directory (file-truename folder)))
        best (length 0))
    (dolist (connection toolgate-connections best)
      (dolist (root (toolgate-connection-roots connection))
        (when (and (> (length root) length) (string-prefix-p root folder))
          (setq best connection length (length root)))))))

(defun toolgate-current-connection (&optional noerror)
  "Return the connection for the current buffer.
That is the one it shows something of, else the one that serves its folder,
else the only one there is.  Where there is none, signal a `user-error', or
return nil with NOERROR."
  (cond ((and toolgate-buffer-connection
              (memq toolgate-buffer-connection toolgate-connections))
         toolgate-buffer-connection)
        ((and (not (file-remote-p default-directory))
              (toolgate-connection-for default-directory)))
        ((and toolgate-connections (null (cdr toolgate-connections)))
         (car toolgate-connections))
        (noerror nil)
        (toolgate-connections
         (user-error "No server is running for %s; M-x toolgate-connect looks for one"
                     (abbreviate-file-name default-directory)))
        (t (user-error "Not connected; M-x toolgate-connect finds a server, \
M-x toolgate-start starts one"))))

(defun toolgate-connection-name (connection)
  "Return a name for CONNECTION that people know: the folder it serves."
  (let ((root (or (car (toolgate-connection-roots connection))
                  (toolgate-connection-project connection))))
    (if root (abbreviate-file-name (directory-file-name root))
      (toolgate-endpoint-url connection))))

;;;; Names of files

(defun toolgate-connection-root (connection object)
  "Return the folder of the workspace that OBJECT names, or nil.
OBJECT is an event, a call or a delegation of CONNECTION."
  (let ((roots (toolgate-connection-roots connection)))
    (or (cdr (assoc (toolgate-get object 'workspace)
                    (toolgate-connection-workspaces connection)))
        (and (null (cdr roots)) (car roots)))))

(defun toolgate-connection-file (connection object path)
  "Return the whole name of PATH, of the workspace that OBJECT names.
OBJECT is an event, a call or a delegation of CONNECTION.  Return nil where the
workspace is not known, or PATH leads out of it."
  (when-let* ((root (toolgate-connection-root connection object))
              ;; PATH may be an agent's: it must not speak to another machine.
              (file (let ((file-name-handler-alist nil))
                      (expand-file-name path root))))
    (and (string-prefix-p (file-name-as-directory root) (concat file "/"))
         (not (file-remote-p file))
         file)))

(defun toolgate-connection-place (connection file)
  "Return the workspace of CONNECTION that FILE, a real name, is in.
As a pair of its name, nil where there is just one, and the path of FILE within
it; or nil where it is in none."
  (let (best)
    (dolist (root (toolgate-connection-roots connection))
      (when (and (string-prefix-p root file)
                 (> (length root) (length best)))
        (setq best root)))
    (and best
         (cons (car (rassoc best (toolgate-connection-workspaces connection)))
               (substring file (length best))))))

(defun toolgate-connection-set-status (connection status &optional reason)
  "Say that CONNECTION has STATUS now, for REASON."
  (unless (and (eq status (toolgate-connection-status connection))
               (equal reason (toolgate-connection-reason connection)))
    (setf (toolgate-connection-status connection) status
          (toolgate-connection-reason connection) reason)
    (toolgate-connection-run 'toolgate-state-changed-hook connection)))

(defun toolgate-connection-run (hook &rest arguments)
  "Run the functions on HOOK with ARGUMENTS.
One that fails is told, and keeps none of the others from being called."
  (apply #'run-hook-wrapped hook
         (lambda (function &rest arguments)
           (condition-case problem
               ;; Nobody waits for a question that comes by itself.
               (let ((inhibit-interaction t)) (apply function arguments))
             (error (message "Toolgate: %s failed: %s"
                             (if (symbolp function) function
                               (format "a function on `%s'" hook))
                             (error-message-string problem))))
           nil)
         arguments))

(provide 'toolgate-connection)
;;; toolgate-connection.el ends here
