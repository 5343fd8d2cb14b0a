;;; toolgate-place.el --- Folder, branch and files of a call  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The folder, branch and files of a call, and which of the files have unsaved
;; changes in a buffer here.  No program is run for this.

;;; Code:

(require 'seq)
(require 'toolgate-patch)
(require 'toolgate-store)

;; Names, and the contents of files, may come from agents: without file name
;; handlers no name is treated as remote, so that Emacs does not connect to
;; another machine.

(defun toolgate-place-of (call)
  "Return a plist of the location of CALL: :folder, :branch and :unsaved.
The folder is one of the workspace, or nil."
  (let ((file-name-handler-alist nil)
        (cwd (toolgate-get call 'params 'cwd)))
    (when-let ((root (toolgate-place--root call)))
      (list :folder (if (stringp cwd) (toolgate-place--file call cwd) root)
            :branch (toolgate-place-branch root)
            :unsaved (toolgate-place--unsaved call)))))

(defun toolgate-place-files (call)
  "Return the absolute names of the workspace files in CALL.
They come from its diff and its params."
  (delq nil (mapcar (lambda (name) (toolgate-place--file call name))
                    (toolgate-place-names call))))

(defun toolgate-place-names (call)
  "Return the paths of files in the params and the diff of CALL."
  (let ((diff (toolgate-get call 'approval 'preview 'diff))
        (path (toolgate-get call 'params 'path)))
    (delete-dups (append (and (stringp path) (list path))
                         (or (apply #'append (toolgate-place-named call))
                             (and diff (toolgate-place--read diff)))))))

(defvar toolgate-place--known (make-hash-table :test #'eq :weakness 'key)
  "Cache of the files of each diff, as long as the diff is live.")

(defun toolgate-place--read (diff)
  "Return the files of DIFF, which is parsed only once."
  (let ((known (gethash diff toolgate-place--known 'unread)))
    (if (eq known 'unread)
        (puthash diff (toolgate-patch-files diff) toolgate-place--known)
      known)))

(defun toolgate-place-named (call)
  "Return the paths of each file of the diff of CALL, from the server.
The value is a list of lists; nil if the server does not report them."
  (mapcar (lambda (file)
            (delq nil (list (toolgate-get file 'path) (toolgate-get file 'to))))
          (toolgate-get-list call 'approval 'files)))

(defun toolgate-place--root (call)
  "Return the folder of the workspace of CALL."
  (when-let ((connection (toolgate-store-connection call)))
    (toolgate-connection-root connection call)))

(defun toolgate-place--file (call name)
  "Return the absolute name of NAME in the workspace of CALL, or nil."
  (when-let ((connection (toolgate-store-connection call)))
    (toolgate-connection-file connection call name)))

(defun toolgate-place--unsaved (call)
  "Return the files of CALL with unsaved changes in a buffer."
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
  "Return the ref or commit checked out in GIT, a .git folder or a .git file."
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
