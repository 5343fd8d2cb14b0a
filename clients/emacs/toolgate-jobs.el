;;; toolgate-jobs.el --- List background jobs  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The jobs of all servers, and a command to cancel calls.

;;; Code:

(require 'tabulated-list)
(require 'toolgate-age)
(require 'toolgate-choose)
(require 'toolgate-keys)
(require 'toolgate-menu)
(require 'toolgate-output)

(defvar toolgate-jobs-mode-map
  (toolgate-keys "RET" #'toolgate-jobs-output
                 "k" #'toolgate-jobs-stop
                 "i" #'toolgate-jobs-input
                 "o" #'toolgate-jobs-open)
  "Keys of `toolgate-jobs-mode'.")

(define-derived-mode toolgate-jobs-mode tabulated-list-mode "Agent-Jobs"
  "Background jobs, running and ended.

\\{toolgate-jobs-mode-map}"
  (setq tabulated-list-format
        `[("State" 12 t) ("Age" ,toolgate-age-width nil) ("Project" 16 t)
          ("Command" 0 t)]
        tabulated-list-padding 1
        tabulated-list-entries #'toolgate-jobs--entries)
  (toolgate-lines-setup)
  (toolgate-age-setup #'toolgate-jobs--started-at)
  (tabulated-list-init-header))

(defun toolgate-jobs--entries ()
  "Return the entries of the list: jobs, the newest first."
  (mapcan
   (lambda (connection)
     (mapcar (lambda (job) (toolgate-jobs--entry connection job))
             (reverse (toolgate-store-jobs connection))))
   (copy-sequence toolgate-connections)))

(defun toolgate-jobs--entry (connection job)
  "Return the list entry for JOB of CONNECTION."
  (list (cons connection (toolgate-get job 'task_id))
        (vector (toolgate-jobs--state job)
                (toolgate-faces-age (toolgate-get job 'started_at))
                (file-name-nondirectory
                 (directory-file-name (toolgate-connection-name connection)))
                (toolgate-jobs--words job))))

(defun toolgate-jobs--words (job)
  "Return the command of JOB, and the addresses of its ports while it runs."
  (string-join (cons (toolgate-faces-line (toolgate-get job 'command))
                     (and (toolgate-jobs--running-p job)
                          (mapcar (lambda (port) (toolgate-get port 'url))
                                  (toolgate-get job 'ports))))
               "  "))

(defun toolgate-jobs--started-at (id)
  "Return the start time of the job of ID, a pair of a connection and an id."
  (toolgate-get (gethash (cdr id) (toolgate-connection-jobs (car id)))
                'started_at))

(defun toolgate-jobs--state (job)
  "Return the state of JOB as a word."
  (let ((status (toolgate-get job 'status))
        (code (toolgate-get job 'exit_code)))
    (cond ((equal status "running")
           (toolgate-faces-text status 'toolgate-warning))
          ((and code (/= code 0))
           (toolgate-faces-text (format "exited %d" code) 'toolgate-strict))
          (t (toolgate-faces-text (or status "") 'toolgate-muted)))))

;;;###autoload
(defun toolgate-jobs ()
  "List background jobs."
  (interactive)
  (pop-to-buffer (get-buffer-create "*Agent Jobs*"))
  (unless (derived-mode-p 'toolgate-jobs-mode) (toolgate-jobs-mode))
  (tabulated-list-print t)
  (unless (toolgate-jobs--entries) (message "No background jobs")))

(defun toolgate-jobs--changed (_connection)
  "Update the list, if it is displayed."
  (when-let ((buffer (get-buffer "*Agent Jobs*")))
    (when (get-buffer-window buffer t)
      (with-current-buffer buffer (tabulated-list-print t)))))

(add-hook 'toolgate-state-changed-hook #'toolgate-jobs--changed)

(defun toolgate-jobs--at-point ()
  "Return the connection and the id of the job at point."
  (or (tabulated-list-get-id) (user-error "No job on this line")))

(defun toolgate-jobs-output ()
  "Switch to the output of the job at point."
  (interactive nil toolgate-jobs-mode)
  (let ((job (toolgate-jobs--at-point)))
    (toolgate-output-show (cdr job) (car job)
                          (aref (tabulated-list-get-entry) 3))))

(defun toolgate-jobs-stop ()
  "Stop the job at point, after confirmation."
  (interactive nil toolgate-jobs-mode)
  (let ((job (toolgate-jobs--at-point)))
    (toolgate-output-stop-call (cdr job) (car job))))

(defun toolgate-jobs-input (text)
  "Write TEXT and a newline to the job at point."
  (interactive "sInput: " toolgate-jobs-mode)
  (let ((job (toolgate-jobs--at-point)))
    (toolgate-output-send (cdr job) (car job) text)))

(defun toolgate-jobs-open ()
  "Open a port of the job at point in a browser; with several, choose which."
  (interactive nil toolgate-jobs-mode)
  (pcase-let* ((`(,connection . ,id) (toolgate-jobs--at-point))
               (job (gethash id (toolgate-connection-jobs connection)))
               (ports (mapcar (lambda (port) (toolgate-get port 'port))
                              (toolgate-get job 'ports)))
               (port (cond ((null ports) (user-error "The job has no reachable ports"))
                           ((cdr ports)
                            (toolgate-choose
                             "Port: " (mapcar (lambda (port)
                                                (cons (number-to-string port) port))
                                              ports)))
                           (t (car ports)))))
    (toolgate-menu-lead-to
     (toolgate-get (toolgate-http-wait
                    connection "POST"
                    (format "/jobs/%s/ports/%d/link" id port))
                   'url))))

;;;###autoload
(defun toolgate-cancel ()
  "Cancel a waiting or running call, or stop a job."
  (interactive)
  (let* ((connection (toolgate-current-connection))
         (choices (append (mapcar #'toolgate-jobs--call-choice
                                  (seq-remove #'toolgate-store-ended-p
                                              (toolgate-store-calls connection)))
                          (mapcar #'toolgate-jobs--choice
                                  (seq-filter #'toolgate-jobs--running-p
                                              (toolgate-store-jobs connection))))))
    (unless choices (user-error "No calls or jobs to cancel"))
    (toolgate-output-stop-call (toolgate-choose "Cancel: " choices) connection)))

(defun toolgate-jobs--call-choice (call)
  "Return a description of CALL, and its id."
  (let ((id (toolgate-get call 'tool_call_id)))
    (cons (format "%s  %s  %s" (toolgate-get call 'tool)
                  (toolgate-get call 'status) id)
          id)))

(defun toolgate-jobs--choice (job)
  "Return a description of JOB, and its id."
  (let ((id (toolgate-get job 'task_id)))
    (cons (format "%s  job  %s" (toolgate-faces-line (toolgate-get job 'command))
                  id)
          id)))

(defun toolgate-jobs--running-p (job)
  "Return non-nil if JOB is running."
  (equal "running" (toolgate-get job 'status)))

(provide 'toolgate-jobs)
;;; toolgate-jobs.el ends here
