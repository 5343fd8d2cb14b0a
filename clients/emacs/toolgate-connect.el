;;; toolgate-connect.el --- Connect to Toolgate servers  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A connection to the server of a folder is kept: if the server is temporarily
;; unavailable or restarts on another port, the connection is restored.

;;; Code:

(require 'cl-lib)
(require 'toolgate-discover)
(require 'toolgate-effects)
(require 'toolgate-store)
(require 'toolgate-stream)
(require 'toolgate-take)

(declare-function toolgate-start "toolgate-server" (&optional folder))

(defvar toolgate-connected-functions nil
  "Functions called with CONNECTION after it was made.")
(defvar toolgate-disconnected-functions nil
  "Functions called with CONNECTION after it was closed.")

(defvar toolgate-connect--left nil
  "URLs of disconnected servers, except those connected again since.")

(defconst toolgate-connect--client-id
  (format "emacs-%d-%04x" (emacs-pid) (random #x10000))
  "Client id of this Emacs, the same for all connections.")

;;;###autoload
(defun toolgate-connect (&optional folder)
  "Connect to the server of FOLDER, by default that of the current buffer.
If there is none, offer to start one.  With a prefix argument, ask for FOLDER."
  (interactive (list (and current-prefix-arg
                          (read-directory-name "Connect to the server of: "))))
  (let ((folder (or folder default-directory)))
    (when (file-remote-p folder)
      (user-error "%s is on another machine; set `toolgate-url' to a server \
there" folder))
    (if (toolgate-discover-likely-p folder)
        (toolgate-connect-to folder
                             (lambda (connection)
                               (toolgate-connect--tell folder connection)))
      (let ((project (toolgate-discover-project folder)))
        (when (y-or-n-p (format "No server is running for %s.  Start one? "
                                (abbreviate-file-name project)))
          (toolgate-start project))))))

(defun toolgate-connect--tell (folder connection)
  "Report that CONNECTION was found for FOLDER, or none if it is nil."
  (if connection
      (message "Toolgate: connected to %s at %s"
               (toolgate-connection-name connection)
               (toolgate-endpoint-url connection))
    (message "Toolgate: the server of %s does not respond; M-x toolgate-start \
starts one, M-x toolgate-doctor checks the cause"
             (abbreviate-file-name folder))))

(defun toolgate-connect-to (folder callback)
  "Connect to the server of FOLDER, and call CALLBACK with the connection.
Use an existing connection if there is one; call CALLBACK with nil if no
server was found."
  (toolgate-discover
   folder
   (lambda (record)
     (funcall callback
              (and record
                   (or (toolgate-connect-known record)
                       (toolgate-connect-by record folder)))))))

(defun toolgate-connect-left-p (record)
  "Return non-nil if the user has disconnected from the server of RECORD."
  (member (toolgate-get record 'url) toolgate-connect--left))

(defun toolgate-connect-known (record)
  "Return the connection to the server of RECORD, or nil.
A lost connection with the same folders is redirected to that server: it was
restarted on another port."
  (or (when-let ((known (seq-find
                         (lambda (connection)
                           (equal (toolgate-get record 'url)
                                  (toolgate-endpoint-url connection)))
                         toolgate-connections)))
        ;; The token may have changed.
        (when (eq 'lost (toolgate-connection-status known))
          (toolgate-connect--point known record))
        known)
      (when-let ((lost (seq-find (lambda (connection)
                                   (and (eq 'lost (toolgate-connection-status
                                                   connection))
                                        (equal (toolgate-connect--roots record)
                                               (toolgate-connection-roots
                                                connection))))
                                 toolgate-connections)))
        (toolgate-connect--point lost record)
        lost)))

(defun toolgate-connect--roots (record)
  "Return the folders that the server of RECORD serves."
  (mapcar #'file-name-as-directory (toolgate-get-list record 'roots)))

(defun toolgate-connect-by (record folder)
  "Connect to the server of RECORD, which was found for FOLDER."
  (let ((connection (toolgate-connection--make
                     :project folder
                     :client-id toolgate-connect--client-id)))
    (setf (toolgate-endpoint-renew connection)
          (lambda () (toolgate-connect--renew connection)))
    (toolgate-connect--point connection record)
    (setq toolgate-connect--left
          (delete (toolgate-endpoint-url connection) toolgate-connect--left))
    (push connection toolgate-connections)
    (setf (toolgate-connection-stream connection)
          (toolgate-stream-open
           connection
           :query `((client_id . ,toolgate-connect--client-id)
                    (effects . ,(and toolgate-effects
                                     (mapconcat #'car toolgate-effects ","))))
           :on-events (lambda (events)
                        (toolgate-take-events connection events))
           :on-status (lambda (status reason)
                        (toolgate-connect--status connection status reason))
           :rediscover #'toolgate-connect--rediscover))
    (toolgate-connection-run 'toolgate-connected-functions connection)
    connection))

(defun toolgate-connect--point (connection record)
  "Set the address, token and folders of CONNECTION from RECORD."
  (let ((roots (toolgate-connect--roots record)))
    ;; Another set of folders has another journal, with separate sequence
    ;; numbers.
    (when (and (toolgate-connection-roots connection)
               (not (equal roots (toolgate-connection-roots connection))))
      (setf (toolgate-connection-seq connection) 0
            (toolgate-stream-last-id (toolgate-connection-stream connection))
            nil))
    (setf (toolgate-endpoint-url connection) (toolgate-get record 'url)
          (toolgate-endpoint-socket connection) (toolgate-get record 'socket)
          (toolgate-connection-pid connection) (toolgate-get record 'pid)
          (toolgate-connection-token-file connection)
          (toolgate-get record 'token_file)
          (toolgate-connection-roots connection) roots)
    (toolgate-endpoint-set-token connection (toolgate-get record 'token))))

(defun toolgate-connect--learn-workspaces (connection)
  "Load the names of the workspaces that the server of CONNECTION serves."
  (toolgate-http-request
   connection "GET" "/capabilities"
   :on-success
   (lambda (capabilities)
     (setf (toolgate-connection-workspaces connection)
           (mapcar (lambda (workspace)
                     (cons (toolgate-get workspace 'name)
                           (file-name-as-directory
                            (toolgate-get workspace 'root))))
                   (toolgate-get-list capabilities 'workspaces))))))

(add-hook 'toolgate-resync-functions #'toolgate-connect--learn-workspaces)

(defun toolgate-connect--renew (connection)
  "Look up the token of CONNECTION again; return non-nil if it has changed.
Do nothing while the connection is lost: another program may use the address."
  (let* ((file (toolgate-connection-token-file connection))
         (token (ignore-errors
                  (if file (toolgate-discover-token file)
                    (toolgate-get
                     (seq-find (lambda (record)
                                 (equal (toolgate-get record 'url)
                                        (toolgate-endpoint-url connection)))
                               (toolgate-discover-records))
                     'token)))))
    (when (and token
               (not (eq 'lost (toolgate-connection-status connection)))
               (not (equal token (toolgate-endpoint-token connection))))
      (toolgate-endpoint-set-token connection token)
      t)))

(defun toolgate-connect--rediscover (connection callback)
  "Look for the server of CONNECTION again.
Then call CALLBACK with nil, or with the reason why it was not found."
  (condition-case problem
      (let ((toolgate-discover-unasked t))
        (toolgate-discover
         (toolgate-connection-project connection)
         (lambda (record)
           (when record (toolgate-connect--point connection record))
           (funcall callback (if record nil "no server was found")))))
    (error (funcall callback (error-message-string problem)))))

(defun toolgate-connect--status (connection status reason)
  "Record that the stream of CONNECTION has STATUS for REASON."
  (let ((before (toolgate-connection-status connection)))
    ;; Another program may use the address now.
    (when (eq status 'lost) (toolgate-endpoint-set-token connection nil))
    ;; Do not report a retry.
    (unless (and (eq status 'connecting) (eq before 'lost))
      (toolgate-connection-set-status connection status reason)
      (cond ((eq status 'closed)
             (toolgate-disconnect connection)
             (message "Toolgate: %s denies access to events: %s"
                      (toolgate-connection-name connection) reason))
            ((and (eq status 'lost) (eq before 'live))
             (message "Toolgate: connection to %s lost: %s; reconnecting"
                      (toolgate-connection-name connection) reason))
            ((and (eq status 'live) (eq before 'lost))
             (message "Toolgate: reconnected to %s"
                      (toolgate-connection-name connection)))))))

;;;###autoload
(defun toolgate-disconnect (&optional connection)
  "Close CONNECTION, by default that of the current buffer.
The server keeps running, and waiting calls keep waiting."
  (interactive)
  (let ((connection (or connection (toolgate-current-connection))))
    (push (toolgate-endpoint-url connection) toolgate-connect--left)
    (when (toolgate-connection-stream connection)
      (toolgate-stream-close (toolgate-connection-stream connection)))
    (setq toolgate-connections (delq connection toolgate-connections))
    (toolgate-connection-run 'toolgate-disconnected-functions connection)
    (toolgate-connection-set-status connection 'closed
                               (or (toolgate-connection-reason connection)
                                   "disconnected"))))

(provide 'toolgate-connect)
;;; toolgate-connect.el ends here
