;;; toolgate-rules.el --- List saved rules  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The rules saved with "always", and a command to revoke them.

;;; Code:

(require 'tabulated-list)
(require 'toolgate-keys)
(require 'toolgate-store)
(require 'toolgate-faces)

(defvar toolgate-rules-mode-map
  (toolgate-keys "k" #'toolgate-rules-revoke
                 "D" #'toolgate-rules-revoke)
  "Keys of `toolgate-rules-mode'.")

(define-derived-mode toolgate-rules-mode tabulated-list-mode "Agent-Rules"
  "Saved rules of a server.

\\{toolgate-rules-mode-map}"
  (setq tabulated-list-format
        [("Effect" 7 t) ("Scope" 10 t) ("Expires" 14 nil) ("Matches" 0 t)]
        tabulated-list-padding 1
        ;; A rule is shown completely, without truncation.
        truncate-lines nil
        mode-line-process "  k revokes, g refreshes")
  (setq-local revert-buffer-function
              (lambda (&rest _) (toolgate-rules--read)))
  (tabulated-list-init-header))

;;;###autoload
(defun toolgate-rules ()
  "List the saved rules of the server of this buffer."
  (interactive)
  (let ((connection (toolgate-current-connection)))
    (pop-to-buffer (get-buffer-create "*Agent Rules*"))
    (unless (derived-mode-p 'toolgate-rules-mode) (toolgate-rules-mode))
    (setq toolgate-buffer-connection connection)
    (toolgate-rules--read)))

(defun toolgate-rules--read ()
  "Request the rules from the server, and list them."
  (let ((buffer (current-buffer)))
    (toolgate-http-request
     toolgate-buffer-connection "GET" "/rules"
     :on-success
     (lambda (answer)
       (when (buffer-live-p buffer)
         (with-current-buffer buffer
           (setq tabulated-list-entries
                 (mapcar #'toolgate-rules--entry
                         (toolgate-get-list answer 'rules)))
           (tabulated-list-print t)
           (unless tabulated-list-entries (message "No saved rules")))))
     :on-error (lambda (problem) (message "%s" (plist-get problem :message))))))

(defun toolgate-rules--entry (rule)
  "Return the list entry for RULE."
  (let ((expires (toolgate-get rule 'expires_at)))
    (list (toolgate-get rule 'rule_id)
          (vector (toolgate-get rule 'effect)
                  (toolgate-get rule 'scope)
                  (if expires
                      (concat "in " (toolgate-faces-duration
                                     (- (toolgate-faces-seconds-since expires))))
                    "never")
                  (decode-coding-string
                   (toolgate-json-encode (toolgate-get rule 'match)) 'utf-8)))))

(defun toolgate-rules--changed (connection event)
  "Refresh the rules of CONNECTION if EVENT is about a rule."
  (when-let ((buffer (and (equal "rules.changed" (toolgate-get event 'type))
                          (get-buffer "*Agent Rules*"))))
    (with-current-buffer buffer
      (when (eq connection toolgate-buffer-connection) (toolgate-rules--read)))))

(add-hook 'toolgate-event-functions #'toolgate-rules--changed)

(defun toolgate-rules-revoke ()
  "Revoke the rule at point, after confirmation."
  (interactive nil toolgate-rules-mode)
  (let ((id (or (tabulated-list-get-id) (user-error "No rule on this line")))
        (buffer (current-buffer)))
    (when (y-or-n-p (format "Revoke: %s %s? "
                            (aref (tabulated-list-get-entry) 0)
                            (aref (tabulated-list-get-entry) 3)))
      (toolgate-http-request
       toolgate-buffer-connection "DELETE" (concat "/rules/" id)
       :on-success (lambda (_)
                     (when (buffer-live-p buffer)
                       (with-current-buffer buffer (toolgate-rules--read))))
       :on-error (lambda (problem) (message "%s" (plist-get problem :message)))))))

(provide 'toolgate-rules)
;;; toolgate-rules.el ends here
