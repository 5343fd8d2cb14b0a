;;; toolgate-files.el --- Revert buffers when a server changes their files  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; When a file has changed, a buffer that visits it is reverted, with point,
;; marks and undo history kept; one with unsaved changes is not reverted but
;; marked.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'toolgate-connection)
(require 'toolgate-decide)
(require 'toolgate-json)

(defcustom toolgate-revert-buffers t
  "Action for a buffer without unsaved changes whose file has changed.
The value t means revert it.  The value `ask' means mark it as stale; the
command `toolgate-revert-stale' then reverts it.  Nil means do nothing and
leave it to the user and to `auto-revert-mode'."
  :group 'toolgate
  :type '(choice (const :tag "Revert it" t)
                 (const :tag "Mark it" ask)
                 (const :tag "Nothing" nil)))

(defvar toolgate-after-file-changed-functions nil
  "Functions called with CONNECTION and FILES, the true names of changed files.
Buffers that visit them are already reverted, if possible: this hook is for
other displays of files, such as a list of changes.")

(defconst toolgate-files--gather-seconds 0.1
  "Seconds during which changes are collected before buffers are reverted.")

(defvar toolgate-files--changed nil
  "Changes not processed yet.
Lists of a connection, a file, and the id of the call that changed it, or
another source of the change.")
(defvar toolgate-files--timer nil
  "Timer that processes the changes.")

(defvar-local toolgate-stale-reason nil
  "Reason why this buffer differs from its file, for people.")
(put 'toolgate-stale-reason 'permanent-local t)

(defun toolgate-files--event (connection event)
  "Record the changes of files in EVENT of CONNECTION."
  (when (equal (toolgate-get event 'type) "file.changed")
    (dolist (path (list (toolgate-get event 'path) (toolgate-get event 'from)))
      (when-let ((file (and path
                            (toolgate-connection-file connection event path))))
        (push (list connection file (toolgate-get event 'by))
              toolgate-files--changed)))
    (toolgate-files--soon)))

(defun toolgate-files--own (by)
  "Return the id of the call that a change is BY, if it was decided here."
  (and (consp by) (toolgate-decide-here-p by)
       (toolgate-get by 'tool_call_id)))

(defun toolgate-files--soon ()
  "Schedule the processing of changes."
  (unless toolgate-files--timer
    (setq toolgate-files--timer
          (run-at-time toolgate-files--gather-seconds nil
                       #'toolgate-files--look))))

(defun toolgate-files--look ()
  "Revert or mark the buffers of all changed files."
  (let ((changed (nreverse toolgate-files--changed))
        (files (make-hash-table :test #'equal)))
    (setq toolgate-files--changed nil
          toolgate-files--timer nil)
    (pcase-dolist (`(,_ ,file ,by) changed)
      (puthash file (if-let ((own (toolgate-files--own by)))
                        (gethash file files own)
                      'others)
               files))
    (toolgate-files--tell
     (seq-remove
      (lambda (news)
        (let ((by (gethash (with-current-buffer (car news) (toolgate-files-name))
                           files)))
          ;; The outcome of that call contains the same news, and must stay
          ;; visible.
          (unless (eq by 'others)
            (when (cdr news)
              (toolgate-decide-note by (toolgate-files--stale-text news)))
            t)))
      (toolgate-files--refresh (lambda (file) (gethash file files)))))
    (dolist (connection (delete-dups (mapcar #'car changed)))
      (toolgate-connection-run
       'toolgate-after-file-changed-functions connection
       (delete-dups (cl-loop for (each file) in changed
                             when (eq each connection) collect file))))))

(defun toolgate-files--resync (connection)
  "Check all files of CONNECTION, because events may have been missed."
  (toolgate-files--tell
   (toolgate-files--refresh
    (lambda (file) (toolgate-connection-place connection file)))))

(defun toolgate-files--tell (news)
  "Report NEWS about buffers, a value of `toolgate-files--refresh'."
  (let ((reverted (seq-remove #'cdr news)))
    (when news
      (toolgate-message
       "Toolgate: %s"
       (string-join
        (append
         (and reverted
              (list (concat "reverted "
                            (mapconcat (lambda (each) (buffer-name (car each)))
                                       reverted ", "))))
         (mapcar #'toolgate-files--stale-text (seq-filter #'cdr news)))
        "; ")))))

(defun toolgate-files--stale-text (news)
  "Return a text that says that a buffer is stale, from NEWS about it."
  (format "%s is stale: %s" (buffer-name (car news)) (cdr news)))

;;;; Buffers

(defun toolgate-files--refresh (changed-p)
  "Revert or mark the buffers whose file has a true name matching CHANGED-P.
Return the news about them: pairs of a buffer and the reason why it is stale,
or nil if it was reverted."
  (when toolgate-revert-buffers
    (mapcan
     (lambda (buffer)
       (with-current-buffer buffer
         (and (toolgate-files--ours-p)
              (funcall changed-p (toolgate-files-name))
              (not (verify-visited-file-modtime buffer))
              (let* ((known toolgate-stale-reason)
                     (reason (toolgate-files--update)))
                (unless (and reason (equal reason known))
                  (list (cons buffer reason)))))))
     (buffer-list))))

(defun toolgate-files-name ()
  "Return the true name of the file that the current buffer visits, or nil."
  (and buffer-file-truename (expand-file-name buffer-file-truename)))

(defun toolgate-files--ours-p ()
  "Return non-nil if the current buffer visits a file that is handled here."
  (and buffer-file-name
       (not (file-remote-p buffer-file-name))
       (not (bound-and-true-p auto-revert-mode))
       (not (and (bound-and-true-p global-auto-revert-mode)
                 (not (bound-and-true-p global-auto-revert-ignore-buffer))))))

(defun toolgate-files--update ()
  "Revert the current buffer, or mark it and return the reason."
  (cond ((not (file-exists-p buffer-file-name))
         (toolgate-files--mark "its file was deleted"))
        ((buffer-modified-p)
         (toolgate-files--mark "its file changed, and the buffer has unsaved changes"))
        ((eq toolgate-revert-buffers 'ask)
         (toolgate-files--mark "its file changed"))
        (t (toolgate-files--revert))))

(defun toolgate-files--revert ()
  "Revert the current buffer, or return the reason why that failed.
Keep point, marks and the undo history."
  (let ((before (visited-file-modtime)))
    (condition-case problem
        (let ((revert-buffer-insert-file-contents-function
               #'revert-buffer-insert-file-contents-delicately)
              (inhibit-message t))
          ;; Otherwise the first change asks whether to edit a file that has
          ;; changed.
          (set-visited-file-modtime)
          (save-restriction
            (widen)
            (revert-buffer t t t))
          (toolgate-stale-mode -1)
          nil)
      (error (set-visited-file-modtime before)
             (toolgate-files--mark (error-message-string problem))))))

;;;; Stale buffers

(defvar toolgate-stale-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map [mode-line mouse-1] #'toolgate-revert-stale)
    map)
  "Keymap of the stale mark in the mode line.")

(defconst toolgate-files--lighter
  `(:propertize " Stale" face warning mouse-face mode-line-highlight
                help-echo "This buffer differs from its file\n\
mouse-1: revert it, or compare it with its file"
                local-map ,toolgate-stale-mode-map)
  "Mark of a stale buffer in the mode line.")

(define-minor-mode toolgate-stale-mode
  "Mark this buffer as one whose file has changed.
\\[toolgate-revert-stale] reverts it, or compares it with its file if it has
unsaved changes.  Saving or reverting it removes the mark."
  :group 'toolgate
  :lighter toolgate-files--lighter
  :keymap nil
  (dolist (hook '(after-save-hook after-revert-hook))
    (if toolgate-stale-mode
        (add-hook hook #'toolgate-files--fresh nil t)
      (remove-hook hook #'toolgate-files--fresh t)))
  (unless toolgate-stale-mode (setq toolgate-stale-reason nil)))

(put 'toolgate-files--lighter 'risky-local-variable t)
;; The buffer remains stale if its major mode changes.
(put 'toolgate-stale-mode 'permanent-local t)

(defun toolgate-files--fresh ()
  "Remove the stale mark of the current buffer."
  (toolgate-stale-mode -1))
(put 'toolgate-files--fresh 'permanent-local-hook t)

(defun toolgate-files--mark (reason)
  "Mark the current buffer as stale for REASON, and return REASON."
  (toolgate-stale-mode 1)
  (setq toolgate-stale-reason reason))

;;;###autoload
(defun toolgate-revert-stale ()
  "Revert this buffer to its file.
If it has unsaved changes, compare the two in Ediff instead, so that no
changes are lost."
  (interactive)
  (cond ((not (and buffer-file-name (file-exists-p buffer-file-name)))
         (user-error "The file of this buffer no longer exists; saving creates it"))
        ((verify-visited-file-modtime (current-buffer))
         (toolgate-stale-mode -1)
         (message "This buffer is up to date"))
        ((buffer-modified-p)
         (require 'ediff)
         (if (fboundp 'ediff-current-file) (ediff-current-file)
           (user-error "Ediff is not available")))
        (t (toolgate-files--tell
            (list (cons (current-buffer) (toolgate-files--revert)))))))

(defun toolgate-files-setup (on)
  "Follow changes of files if ON, else stop."
  (let ((change (if on #'add-hook #'remove-hook)))
    (funcall change 'toolgate-event-functions #'toolgate-files--event)
    (funcall change 'toolgate-resync-functions #'toolgate-files--resync))
  (unless on
    (setq toolgate-files--changed nil)))

(provide 'toolgate-files)
;;; toolgate-files.el ends here
