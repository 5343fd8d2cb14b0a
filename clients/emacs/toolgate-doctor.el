;;; toolgate-doctor.el --- Check the installation  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Checks everything that the client needs, and suggests a fix for each
;; problem.

;;; Code:

(require 'cl-lib)
(require 'subr-x)
(require 'toolgate-connection)
(require 'toolgate-discover)
(require 'toolgate-http)
(require 'toolgate-server)

(defvar toolgate-mode)

(defconst toolgate-doctor--seconds 3
  "Seconds to wait for responses.")

(defvar toolgate-doctor-checks
  '(toolgate-doctor--emacs toolgate-doctor--program toolgate-doctor--named
    toolgate-doctor--folders toolgate-doctor--files toolgate-doctor--server
    toolgate-doctor--connections toolgate-doctor--mode)
  "Functions called with a folder, which check one aspect each.
Each returns a list of findings: a status, `ok', `warn' or `fail'; a
description; and how to fix the problem, or nil.")

;;;###autoload
(defun toolgate-doctor ()
  "Check what Toolgate needs here, and suggest fixes."
  (interactive)
  (let* ((folder default-directory)
         (findings (mapcan (lambda (check) (funcall check folder))
                           toolgate-doctor-checks)))
    (with-current-buffer (get-buffer-create "*Toolgate Doctor*")
      (let ((inhibit-read-only t))
        (special-mode)
        (setq default-directory folder)
        (setq-local revert-buffer-function (lambda (&rest _) (toolgate-doctor)))
        (erase-buffer)
        (pcase-dolist (`(,status ,text ,cure) findings)
          (insert (propertize (format "%-5s" status)
                              'face (pcase status
                                      ('ok 'success)
                                      ('warn 'warning)
                                      (_ 'error)))
                  text "\n")
          (when cure (insert "      " cure "\n")))
        (goto-char (point-min)))
      (display-buffer (current-buffer)))
    findings))

(defun toolgate-doctor--emacs (_)
  "Check this Emacs."
  (list (if (fboundp 'json-serialize)
            `(ok ,(format "Emacs %s with native JSON" emacs-version) nil)
          `(warn ,(format "Emacs %s has no native JSON, so large events are slow"
                          emacs-version)
                 "Install an Emacs that was built with jansson, or Emacs 30."))))

(defun toolgate-doctor--program (folder)
  "Check that a server can be started for FOLDER."
  (list
   (condition-case problem
       (let ((program (toolgate-program-command)))
         (if (toolgate-program-build)
             `(warn ,(format "The server in %s is not built yet"
                             (toolgate-program-folder))
                    "M-x toolgate-start builds the server, once.")
           (toolgate-doctor--run program folder)))
     (user-error
      `(warn ,(error-message-string problem)
             "This program is not needed to find running servers.")))))

(defun toolgate-doctor--run (program folder)
  "Check that PROGRAM runs in FOLDER."
  (let* ((default-directory folder)
         (name (string-join (mapcar #'abbreviate-file-name program) " "))
         (said (with-temp-buffer
                 (list (apply #'call-process (car program) nil t nil
                              (append (cdr program) '("version")))
                       (string-trim (buffer-string))))))
    (if (eql 0 (car said)) `(ok ,(format "%s: %s" name (cadr said)) nil)
      `(fail ,(format "%s does not run: %s" name (cadr said))
             "Run the program in a terminal to see the whole message."))))

(defun toolgate-doctor--named (folder)
  "Check the configured server for FOLDER, if any."
  (when-let ((url (or toolgate-url (getenv "TOOLGATE_URL"))))
    (list
     (condition-case problem
         (progn (toolgate-discover folder #'ignore)
                (if (string-match-p "\\`http://\\(127\\.\\|localhost\\|\\[::1\\]\\)\\|\\`https:"
                                    url)
                    `(ok ,(format "Configured server: %s" url) nil)
                  `(warn ,(format "Configured server: %s, without encryption"
                                  url)
                         "Use https, or a tunnel such as ssh -L.")))
       (error `(fail ,(format "Configured server: %s, but %s" url
                              (error-message-string problem))
                     "Put the token of the server into a file that only you can read."))))))

(defun toolgate-doctor--folders (_)
  "Check the folders of discovery files."
  (mapcar
   (lambda (folder)
     (let ((modes (file-modes folder)))
       (cond ((null modes)
              `(warn ,(format "%s does not exist: no server has run yet" folder)
                     "To start a server: M-x toolgate-start, or toolgate serve in a terminal."))
             ((/= 0 (logand modes #o077))
              `(fail ,(format "%s is accessible to other users" folder)
                     ,(format "chmod 700 %s" folder)))
             (t `(ok ,(format "%s is accessible only to you" folder) nil)))))
   (toolgate-discover-folders)))

(defun toolgate-doctor--files (_)
  "Check the discovery files."
  (mapcar
   (lambda (file)
     (condition-case problem
         (let* ((record (toolgate-discover-read file))
                (fault (toolgate-doctor--health record))
                (what (format "%s, for %s" (toolgate-get record 'url)
                              (string-join (toolgate-get-list record 'roots)
                                           ", "))))
           (cond ((not (equal (toolgate-get record 'host) (system-name)))
                  `(ok ,(format "%s belongs to another machine" file) nil))
                 (fault `(warn ,(format "%s does not respond: %s" what fault)
                               ,(format "If no server runs there, delete %s."
                                        file)))
                 (t `(ok ,(format "A server runs at %s" what) nil))))
       (toolgate-distrust
        `(fail ,(format "%s is not trusted: the file %s" file (nth 2 problem))
               "Make the file readable only by you, or delete it."))))
   (toolgate-discover-files)))

(defun toolgate-doctor--health (record)
  "Return the problem of the server of RECORD, or nil; wait for its response."
  (let ((answer 'none)
        (until (+ (float-time) toolgate-doctor--seconds)))
    (toolgate-discover-health record (lambda (fault) (setq answer fault)))
    (while (and (eq answer 'none) (< (float-time) until))
      (accept-process-output nil 0.05))
    (if (eq answer 'none) "no response" answer)))

(defun toolgate-doctor--server (folder)
  "Check that FOLDER has a server."
  (let ((name (abbreviate-file-name folder)))
    (list (cond ((file-remote-p folder)
                 `(warn ,(format "%s is on another machine" name)
                        "Run a server on that machine, and set `toolgate-url' to its address."))
                ((toolgate-discover-likely-p folder)
                 `(ok ,(format "%s has a server" name) nil))
                (t `(warn ,(format "No server is running for %s" name)
                          "M-x toolgate-start starts a server."))))))

(defun toolgate-doctor--connections (_)
  "Check the open connections."
  (or (mapcar
       (lambda (connection)
         (let ((name (toolgate-connection-name connection)))
           (pcase (toolgate-connection-status connection)
             ('live `(ok ,(format "Connected to %s; receiving events" name) nil))
             (status `(fail ,(format "%s is %s: %s" name status
                                     (toolgate-connection-reason connection))
                            "Emacs reconnects automatically; M-x toolgate-start \
starts a server.")))))
       toolgate-connections)
      '((warn "Not connected" "To connect: M-x toolgate-connect."))))

(defun toolgate-doctor--mode (_)
  "Check that the mode is on."
  (list (if (bound-and-true-p toolgate-mode)
            '(ok "`toolgate-mode' is on" nil)
          '(warn "`toolgate-mode' is off, so calls are not shown"
                 "Turn it on: M-x toolgate-mode, or (toolgate-mode 1) in your init file."))))

(provide 'toolgate-doctor)
;;; toolgate-doctor.el ends here
