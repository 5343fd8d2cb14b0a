;;; toolgate-changes.el --- Changes of a session  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What the calls of a session made of each file: one diff per file, below a
;; heading and a line for each call.  A key previews the undo of the call at
;; point.

;;; Code:

(require 'diff-mode)
(require 'url-util)
(require 'toolgate-actions)
(require 'toolgate-choose)
(require 'toolgate-faces)
(require 'toolgate-keys)
(require 'toolgate-lines)
(require 'toolgate-source)
(require 'toolgate-undo)

(defvar-local toolgate-changes--connection nil
  "Connection to the server of the session in this buffer.")
(defvar-local toolgate-changes--session nil
  "Session in this buffer, an object with `session_id' and `workspace'.")

(defvar toolgate-changes-mode-map
  (make-composed-keymap
   (list (toolgate-keys "u" #'toolgate-changes-undo
                        "g" #'revert-buffer
                        "q" #'quit-window)
         toolgate-source-map))
  "Keys of `toolgate-changes-mode', which precede those of `diff-mode'.")

(define-derived-mode toolgate-changes-mode diff-mode "Agent-Changes"
  "Changes of a session, file by file.
\\<toolgate-changes-mode-map>\\[toolgate-changes-undo] previews the undo of \
the call at point; \\[revert-buffer] reads the changes again."
  (setq buffer-read-only t
        header-line-format " Changes of a session.  u undo the call at point, \
g refresh, q close")
  (setq-local revert-buffer-function #'toolgate-changes--revert)
  (toolgate-lines-setup))

(defconst toolgate-changes--most 50
  "Maximum number of recent calls whose sessions are offered.")

;;;###autoload
(defun toolgate-session-changes ()
  "Show what the calls of a session changed, as one diff per file."
  (interactive)
  (let* ((connection (toolgate-current-connection))
         (session (toolgate-changes--choose connection))
         (buffer (get-buffer-create
                  (format "*Agent Changes: %s*"
                          (toolgate-faces-line
                           (toolgate-get session 'session_id))))))
    (with-current-buffer buffer
      (toolgate-changes-mode)
      (setq toolgate-changes--connection connection
            toolgate-changes--session session)
      (toolgate-changes--revert)
      (goto-char (point-min)))
    (pop-to-buffer buffer)))

(defun toolgate-changes--choose (connection)
  "Ask for a session of CONNECTION, and return it.
Only sessions whose recent calls changed files are offered, the latest first."
  (let* ((calls (seq-filter
                 (lambda (call) (toolgate-get-list call 'changes))
                 (toolgate-get-list
                  (toolgate-http-wait connection "GET" "/calls"
                                      :query `((limit . ,toolgate-changes--most)))
                  'calls)))
         (choices (seq-uniq (mapcar #'toolgate-changes--choice calls)
                            (lambda (one other) (equal (car one) (car other))))))
    (unless choices
      (user-error "No recent call of %s has changed a file"
                  (toolgate-connection-name connection)))
    (toolgate-choose (format "Session (default %s): " (caar choices))
                     choices (caar choices))))

(defun toolgate-changes--choice (call)
  "Return a description of the session of CALL, and CALL."
  (cons (toolgate-faces-line
         (format "%s in %s" (toolgate-get call 'session_id)
                 (toolgate-get call 'workspace)))
        call))

(defun toolgate-changes--revert (&rest _)
  "Read the changes in this buffer again, and keep the line of point."
  (let* ((connection toolgate-changes--connection)
         (session toolgate-changes--session)
         (line (line-number-at-pos))
         (found (toolgate-http-wait
                 connection "GET"
                 (format "/sessions/%s/changes"
                         (url-hexify-string (toolgate-get session 'session_id)))
                 :query `((workspace . ,(toolgate-get session 'workspace)))
                 :pages 'files))
         (text (toolgate-changes--text found))
         (inhibit-read-only t))
    (erase-buffer)
    (insert (toolgate-lines-break text))
    (toolgate-lines-order)
    (goto-char (point-min))
    (forward-line (1- line))
    (toolgate-source-setup
     text (lambda (path) (toolgate-connection-file connection session path)))))

(defun toolgate-changes--text (found)
  "Return the changes FOUND of a session as text."
  (let ((calls (mapcar (lambda (call)
                         (cons (toolgate-get call 'tool_call_id) call))
                       (toolgate-get-list found 'calls)))
        (files (toolgate-get-list found 'files)))
    (if (null files) "# No call of the session changed a file.\n"
      (concat
       (when (toolgate-get found 'truncated)
         "# Only the changes of the newest calls are shown.\n")
       (mapconcat (lambda (file) (toolgate-changes--file file calls)) files "")))))

(defconst toolgate-changes--withheld
  '(("not_to_be_shown" . "Reading requires approval.")
    ("not_text" . "The content is not text.")
    ("too_large" . "The content is too large to be compared.")
    ("purged" . "The content of a call was purged.")
    ("not_stored" . "The content is not stored."))
  "Reasons for a missing diff, by their name.")

(defun toolgate-changes--file (file calls)
  "Return the change of FILE as text; CALLS are known calls by their id."
  (let ((from (toolgate-get file 'from))
        (added (toolgate-get file 'added))
        (withheld (toolgate-get file 'withheld)))
    (concat
     (format "# %s %s%s%s\n" (toolgate-get file 'operation)
             (if from (concat (toolgate-faces-line from) " → ") "")
             (toolgate-faces-line (toolgate-get file 'path))
             (if added (format " +%d -%d" added (toolgate-get file 'removed)) ""))
     (mapconcat (lambda (id) (toolgate-changes--call id (cdr (assoc id calls))))
                (toolgate-get-list file 'calls) "")
     (when (toolgate-get file 'changed_between)
       "#   Others changed the file between the calls. The diff contains that.\n")
     (when (toolgate-get file 'changed_since)
       "#   The file was changed after the last call. The diff does not show that.\n")
     (when withheld
       (format "#   %s\n" (alist-get withheld toolgate-changes--withheld
                                     withheld nil #'equal)))
     (toolgate-get file 'diff))))

(defun toolgate-changes--call (id call)
  "Return a line about the call ID; CALL is what is known of it, or nil."
  (format "#   %s%s\n"
          (if (null call) ""
            (format "%s by %s, %s ago%s  "
                    (toolgate-faces-line (toolgate-get call 'tool))
                    (toolgate-faces-line (or (toolgate-get call 'agent)
                                             (toolgate-get call 'client)))
                    (toolgate-faces-age (toolgate-get call 'finished_at))
                    (if (toolgate-get call 'undo 'available) ""
                      ", cannot be undone")))
          id))

(defun toolgate-changes-undo ()
  "Preview the undo of the call at point."
  (interactive nil toolgate-changes-mode)
  (let ((id (save-excursion
              (beginning-of-line)
              (and (looking-at "#   .*?\\(tc_[0-9A-Z]\\{26\\}\\)$")
                   (match-string-no-properties 1)))))
    (unless id
      (user-error "There is no call at point; calls are below the name of a file"))
    (toolgate-undo-open
     toolgate-changes--connection
     (toolgate-http-wait toolgate-changes--connection "GET"
                         (concat "/calls/" id)))))

(provide 'toolgate-changes)
;;; toolgate-changes.el ends here
