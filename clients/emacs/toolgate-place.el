;;; toolgate-place.el --- Where a call would act, on this machine  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Folder, branch and files of a call, and which of these have unsaved changes
;; in a buffer here.  Nothing is run to find out.

;;; Code:

(require 'seq)
(require 'toolgate-patch)
(require 'toolgate-store)

;; Names come from agents, and so may what is in the files: with no handlers none
;; of them is taken for a name on another machine, which Emacs would speak to.

(defun toolgate-place-of (call)
  "Return a plist of where CALL would act: :folder, :branch and :unsaved.
The folder is one of the workspace, or nil."
  (let ((file-name-handler-alist nil)
        (cwd (toolgate-get call 'params 'cwd)))
    (when-let ((root (toolgate-place--root call)))
      (list :folder (if (stringp cwd) (toolgate-place--file call cwd) root)
            :branch (toolgate-place-branch root)
            :unsaved (toolgate-place--unsaved call)))))

(defun toolgate-place-files (call)
  "Return the full names of the files of the workspace that CALL names.
They are in its diff and its params."
  (delq nil (mapcar (lambda (name) (toolgate-place--file call name))
                    (toolgate-place-names call))))

(defun toolgate-place-names (call)
  "Return the paths of files as CALL has them, in its params and its diff."
  (let ((diff (toolgate-get call 'approval 'preview 'diff))
        (path (toolgate-get call 'params 'path)))
    (delete-dups (append (and (stringp path) (list path))
                         (or (apply #'append (toolgate-place-named call))
                             (and diff (toolgate-place--read diff)))))))

(defvar toolgate-place--known (make-hash-table :test #'eq :weakness 'key)
  "Which files diffs are about that were read, as long as they are there.")

(defun toolgate-place--read (diff)
  "Return the files that DIFF is about; it is read once, however often asked."
  (let ((known (gethash diff toolgate-place--known 'unread)))
    (if (eq known 'unread)
        (puthash diff (toolgate-patch-files diff) toolgate-place--known)
      known)))

(defun toolgate-place-named (call)
  "Return the paths of each file of the diff of CALL, as the server tells them.
That is a list of lists; nil where it does not tell them."
  (mapcar (lambda (file)
            (delq nil (list (toolgate-get file 'path) (toolgate-get file 'to))))
          (toolgate-get-list call 'approval 'files)))

(defun toolgate-place--root (call)
  "Return the folder of the workspace that CALL is about."
  (when-let ((connection (toolgate-store-connection call)))
    (toolgate-connection-root connection call)))

(defun toolgate-place--file (call name)
  "Return the full name of NAME in the workspace of CALL, or nil."
  (when-let ((connection (toolgate-store-connection call)))
    (toolgate-connection-file connection call name)))

(defun toolgate-place--unsaved (call)
  "Return which files of CALL have changes in a buffer that are not saved."
  (seq-filter (lambda (name)
                (when-let* ((file (toolgate-place--file call name))
                            (buffer (find-buffer-visiting file)))
                  (buffer-modified-p buffer)))
              (toolgate-place-names call)))

(defun toolgate-place-branch (folder)
  "Return the git branch of FOLDER, or nil."
  (when-let* ((top (locate-dominating-file folder ".git"))
              (head (toolgate-place--git-head (expand-file-name ".git" top))))
    (if (string-match "\\`ref: refs/heads/\\(.*\\)" head) (match-string 1 head)
      (substring head 0 (min 12 (length head))))))

(defun toolgate-place--git-head (git)
  "Return what is checked out by GIT, a folder, or a file that names one."
  (if (file-directory-p git)
      (toolgate-place--first-line (expand-file-name "HEAD" git))
    (let ((line (toolgate-place--first-line git)))
      (when (and line (string-match "\\`gitdir: \\(.*\\)" line))
        (toolgate-place--first-line
         (expand-file-name "HEAD" (expand-file-name (match-string 1 line)
                                                    (file-name-directory git))))))))

(defun toolgate-place--first-line (file)
  "Return the first line of FILE, or nil."
  (when (file-readable-p file)
    (with-temp-buffer
      (insert-file-contents file nil 0 4096)
      (buffer-substring (point-min) (line-end-position)))))

(provide 'toolgate-place)
;;; toolgate-place.el ends here
