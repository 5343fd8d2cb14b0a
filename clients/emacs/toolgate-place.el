;;; toolgate-place.el --- Where a call would act, on this machine  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Folder, branch and files of a call, and which of these have unsaved changes
;; in a buffer here.  Nothing is run to find out.

;;; Code:

(require 'seq)
(require 'toolgate-store)

(defun toolgate-place-of (call)
  "Return a plist of where CALL would act: :folder, :branch and :unsaved."
  (let* ((root (toolgate-place--root call))
         (cwd (toolgate-get call 'params 'cwd))
         (folder (if (and root (stringp cwd)) (expand-file-name cwd root) root)))
    (list :folder folder
          :branch (and root (toolgate-place-branch root))
          :unsaved (toolgate-place--unsaved call))))

(defun toolgate-place-files (call)
  "Return the full names of the files that CALL names in its diff and params."
  (when-let ((root (toolgate-place--root call)))
    (mapcar (lambda (name) (expand-file-name name root))
            (toolgate-place--names call))))

(defun toolgate-place--names (call)
  "Return the names of files as CALL has them."
  (let ((diff (toolgate-get call 'approval 'preview 'diff))
        (path (toolgate-get call 'params 'path))
        (start 0) names)
    (when (stringp path) (push path names))
    (while (and diff (string-match "^\\+\\+\\+ b/\\([^\t\n]+\\)" diff start))
      (setq start (match-end 0))
      (push (match-string 1 diff) names))
    (delete-dups (nreverse names))))

(defun toolgate-place--root (call)
  "Return the folder that CALL is about.
Of several that its server serves, the first that has the files."
  (let ((roots (and (toolgate-store-connection call)
                    (toolgate-connection-roots
                     (toolgate-store-connection call))))
        (names (toolgate-place--names call)))
    (or (seq-find (lambda (root)
                    (seq-some (lambda (name)
                                (file-exists-p (expand-file-name name root)))
                              names))
                  roots)
        (car roots))))

(defun toolgate-place--unsaved (call)
  "Return which files of CALL have changes in a buffer that are not saved."
  (let ((root (toolgate-place--root call)))
    (and root
         (seq-filter (lambda (name)
                       (let ((buffer (find-buffer-visiting
                                      (expand-file-name name root))))
                         (and buffer (buffer-modified-p buffer))))
                     (toolgate-place--names call)))))

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
