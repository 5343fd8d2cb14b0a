;;; toolgate-menu.el --- Menu of commands  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A menu with transient if it is available, which it is in Emacs 28, else with
;; completion.  Only features of transient 0.3.7 are used.

;;; Code:

(require 'browse-url)
(require 'xml)
(require 'toolgate-discover)
(require 'toolgate-store)

(declare-function transient-prefix "transient")

(defconst toolgate-menu--commands
  '(("Decide"
     ("n" "next approval" toolgate-next-approval)
     ("a" "all waiting calls" toolgate-approvals)
     ("m" "session mode" toolgate-set-session-mode)
     ("r" "saved rules" toolgate-rules))
    ("Run"
     ("t" "run a tool" toolgate-call-tool)
     ("u" "undo a call" toolgate-undo-call)
     ("c" "cancel a call" toolgate-cancel))
    ("Look"
     ("v" "changes of a session" toolgate-session-changes)
     ("j" "jobs" toolgate-jobs)
     ("e" "events" toolgate-events)
     ("w" "web console" toolgate-open-console))
    ("Server"
     ("C" "connect" toolgate-connect)
     ("S" "start" toolgate-start)
     ("X" "stop" toolgate-stop)
     ("d" "doctor" toolgate-doctor)))
  "Groups of commands: each entry is a key, a description and the command.")

(defvar toolgate-menu--made nil
  "Non-nil if the transient is defined.")

;;;###autoload
(defun toolgate-menu ()
  "Open the menu of commands."
  (interactive)
  (if (require 'transient nil t) (toolgate-menu--by-transient)
    (toolgate-menu--by-completion)))

(defun toolgate-menu--by-transient ()
  "Show the menu with transient."
  (unless toolgate-menu--made
    ;; Defined on first use, with the macro of the installed version of
    ;; transient.
    (eval `(transient-define-prefix toolgate-menu-transient ()
             "Commands of Toolgate."
             [:description toolgate-menu--title
              ,@(mapcar #'vconcat toolgate-menu--commands)])
          t)
    (setq toolgate-menu--made t))
  (call-interactively 'toolgate-menu-transient))

(defun toolgate-menu--title ()
  "Return the heading of the menu: the connection, and the waiting calls."
  (format "Toolgate: %s, %d pending"
          (if-let ((connection (toolgate-current-connection t)))
              (toolgate-connection-name connection)
            "not connected")
          (toolgate-store-pending-count)))

(defun toolgate-menu--by-completion ()
  "Show the menu with completion."
  (let* ((commands (apply #'append (mapcar #'cdr toolgate-menu--commands)))
         (words (mapcar #'cadr commands))
         (word (completing-read "Toolgate: " words nil t)))
    (when-let ((command (seq-find (lambda (each) (equal word (cadr each)))
                                  commands)))
      (call-interactively (nth 2 command)))))

;;;###autoload
(defun toolgate-open-console ()
  "Open the web console of the server in a browser.
The URL contains a code that is valid once and for a minute, never a token.
The browser opens a private file that redirects to the URL, so that the code
does not appear in a process list."
  (interactive)
  (let ((connection (toolgate-current-connection)))
    (toolgate-menu-lead-to
     (concat (toolgate-endpoint-url connection)
             (toolgate-get (toolgate-http-wait connection "POST" "/codes"
                                               :body (make-hash-table))
                           'path)))))

(defconst toolgate-menu--page-seconds 60
  "Seconds until a page that redirects to the console is deleted.
This is the lifetime of its code.")

(defun toolgate-menu-lead-to (address)
  "Open ADDRESS in a browser, through a page that only the user can read."
  (let* ((temporary-file-directory (toolgate-menu--pages))
         (page (make-temp-file "open-" nil ".html" (toolgate-menu--page address))))
    (run-at-time toolgate-menu--page-seconds nil
                 (lambda () (ignore-errors (delete-file page))))
    (browse-url-of-file page)))

(defun toolgate-menu--pages ()
  "Return the private folder for pages."
  (let ((folder (car (toolgate-discover-folders))))
    (with-file-modes #o700 (make-directory folder t))
    (file-name-as-directory folder)))

(defun toolgate-menu--page (address)
  "Return a page that redirects to ADDRESS."
  (let ((address (string-replace "\"" "&quot;" (xml-escape-string address))))
    (format "<!doctype html>
<meta charset=\"utf-8\">
<meta name=\"referrer\" content=\"no-referrer\">
<meta http-equiv=\"refresh\" content=\"0; url=%s\">
<title>Toolgate</title>
<p><a href=\"%s\">Continue</a>
" address address)))

(provide 'toolgate-menu)
;;; toolgate-menu.el ends here
