;;; toolgate-modes.el --- Modes of sessions  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The session modes that users have set.  They are read from the server
;; whenever an event says that one has changed, or events may have been missed.

;;; Code:

(require 'seq)
(require 'subr-x)
(require 'url-util)
(require 'toolgate-choose)
(require 'toolgate-faces)
(require 'toolgate-show)
(require 'toolgate-store)

(defvar toolgate-decide-call)

(defconst toolgate-modes
  '(("plan" . "calls can only read; all other calls are rejected")
    ("ask" . "the rules decide which calls need approval")
    ("accept-edits" . "edits of files in the workspace run without approval")
    ("auto" . "commands in the sandbox whose effects undo can revert also run without approval"))
  "All modes, from the strictest to the most permissive, with descriptions.")

(defvar toolgate-modes-changed-hook nil
  "Functions called with CONNECTION when modes of its sessions have changed.")

(defun toolgate-modes-set (connection)
  "Return the modes that are set at CONNECTION, the latest last.
Each is an object with `session_id', `workspace' and `mode'."
  (seq-remove (lambda (set)
                (let ((since (toolgate-faces-seconds-since
                              (toolgate-get set 'expires_at))))
                  (and since (> since 0))))
              (toolgate-get-list (toolgate-connection-modes connection) 'modes)))

(defun toolgate-modes-of (call)
  "Return the mode of the session of CALL; several if its tokens differ."
  (let* ((connection (toolgate-store-connection call))
         (same (lambda (set)
                 (seq-every-p (lambda (field)
                                (equal (toolgate-get set field)
                                       (toolgate-get call field)))
                              '(session_id workspace))))
         (found (and connection
                     (seq-filter same (toolgate-modes-set connection)))))
    (if found (string-join (toolgate-modes--names found) ", ")
      (or (and connection
               (toolgate-get (toolgate-connection-modes connection) 'default))
          "ask"))))

(defun toolgate-modes-text (call)
  "Return the mode of the session of CALL with its face."
  (let ((mode (toolgate-modes-of call)))
    (toolgate-faces-text mode (if (equal mode "ask") 'toolgate-muted
                                'toolgate-stale))))

(defun toolgate-modes-brief ()
  "Return the modes set at any server, except ask, or nil."
  (let ((names (delete "ask" (toolgate-modes--names
                              (mapcan #'toolgate-modes-set
                                      (copy-sequence toolgate-connections))))))
    (and names (string-join names ","))))

(defun toolgate-modes--names (modes)
  "Return the names of MODES, without duplicates."
  (delete-dups (mapcar (lambda (set) (toolgate-get set 'mode)) modes)))

;;;; Updates

(defun toolgate-modes--read (connection)
  "Read the modes of CONNECTION, and show them."
  (toolgate-http-request
   connection "GET" "/modes" :pages 'modes
   :on-success (lambda (answer)
                 (setf (toolgate-connection-modes connection) answer)
                 (toolgate-modes--show connection)
                 (toolgate-modes--expect connection))
   ;; Keep the known modes on failure: the stream reports when the server is
   ;; back.
   :on-error #'ignore))

(defun toolgate-modes--show (connection)
  "Update the displays of the modes of CONNECTION."
  (toolgate-connection-run 'toolgate-modes-changed-hook connection)
  (toolgate-connection-run 'toolgate-state-changed-hook connection)
  (force-mode-line-update t))

(defun toolgate-modes--expect (connection)
  "Schedule an update for the time when modes of CONNECTION expire."
  (dolist (set (toolgate-modes-set connection))
    (when-let ((since (toolgate-faces-seconds-since
                       (toolgate-get set 'expires_at))))
      ;; The modes are read again before longer timers would end.
      (run-at-time (min 86400 (+ 0.1 (- since))) nil
                   #'toolgate-modes--show connection))))

(defun toolgate-modes--heard (connection event)
  "Read the modes of CONNECTION again if EVENT says that they may have changed."
  (when (member (toolgate-get event 'type)
                '("session.mode" "stream.snapshot" "stream.gap"))
    (toolgate-modes--read connection)))

(add-hook 'toolgate-event-functions #'toolgate-modes--heard)

;;;; Set the mode

;;;###autoload
(defun toolgate-set-session-mode (call mode)
  "Set the mode of the session of CALL to MODE, nil for the configured one.
CALL may also be a mode that is set.  Both are required from Lisp;
interactively, ask for MODE, for the session of the call at point, else of the
call that has waited longest, else of the mode that was set last."
  (interactive
   (let ((call (toolgate-modes--here)))
     (list call
           (toolgate-choose
            (format "Mode of the session %s, now %s: "
                    (toolgate-faces-line (toolgate-get call 'session_id))
                    (toolgate-modes-of call))
            `(,@(mapcar (lambda (mode)
                          (cons (format "%s: %s" (car mode) (cdr mode))
                                (car mode)))
                        toolgate-modes)
              ("as configured"))))))
  (let ((session (toolgate-get call 'session_id))
        (workspace (toolgate-get call 'workspace)))
    (toolgate-http-request
     (or (toolgate-store-connection call) (toolgate-current-connection))
     (if mode "PUT" "DELETE")
     (format "/sessions/%s/mode" (url-hexify-string session))
     :body (and mode `((mode . ,mode) (workspace . ,workspace)))
     :query (and (null mode) `((workspace . ,workspace)))
     :on-success (lambda (_)
                   (toolgate-message "Toolgate: session %s: %s" session
                                     (or mode "as configured")))
     :on-error (lambda (problem)
                 (toolgate-message "Toolgate: %s"
                                   (plist-get problem :message))))))

(defun toolgate-modes--here ()
  "Return the call, or the mode, whose session the user means."
  (or (and (derived-mode-p 'toolgate-approval-mode) toolgate-decide-call)
      (and (derived-mode-p 'toolgate-list-mode)
           (fboundp 'tabulated-list-get-id)
           (toolgate-store-call (tabulated-list-get-id)))
      (car (toolgate-store-pending))
      (car (last (toolgate-modes-set (toolgate-current-connection))))
      (user-error "There is no session: no call is waiting, and no mode is set")))

(provide 'toolgate-modes)
;;; toolgate-modes.el ends here
