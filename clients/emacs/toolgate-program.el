;;; toolgate-program.el --- Find the server program  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; This client is distributed with the server: in a clone of its repository, or
;; in an installed package.  So the matching server is the one beside it.  In a
;; new clone it must be built once.

;;; Code:

(require 'subr-x)

(defcustom toolgate-program nil
  "Program that starts a server: its name, or a list with arguments.
Nil means the one that came with this client, else the program toolgate."
  :group 'toolgate
  :type '(choice (const :tag "The program that came with this client" nil)
                 string
                 (repeat :tag "With arguments" string)))

(defun toolgate-program-command ()
  "Return the command that starts the program, as a list.
If there is none, signal a `user-error' that says what to do."
  (cond (toolgate-program (toolgate-program--named (ensure-list toolgate-program)))
        ((toolgate-program--beside))
        ((executable-find "toolgate") (list "toolgate"))
        ((toolgate-program--clone-p)
         (user-error "Toolgate is not set up yet: run npm ci in %s"
                     (abbreviate-file-name (toolgate-program-folder))))
        (t (user-error "The program toolgate was not found: install Toolgate, or set \
the option toolgate-program"))))

(defun toolgate-program-build ()
  "Return the command that builds the program, as a list, if it must be built.
It must run in the folder `toolgate-program-folder'."
  (when (and (null toolgate-program)
             (toolgate-program--beside)
             (not (toolgate-program--built-p)))
    (list (toolgate-program--node) "scripts/build.ts")))

(defun toolgate-program--named (words)
  "Return WORDS, the configured command, if its program exists."
  (if (executable-find (car words)) words
    (user-error "The program %s was not found; see the option toolgate-program"
                (car words))))

(defun toolgate-program--beside ()
  "Return the command of the program beside this client, or nil."
  (let ((program (toolgate-program--file "bin/toolgate.cjs")))
    (when-let ((node (and (file-exists-p program)
                          (or (toolgate-program--built-p)
                              (toolgate-program--can-build-p))
                          (toolgate-program--node))))
      (list node program))))

(defun toolgate-program--node ()
  "Return the Node that came with the program, or another one."
  (let ((own (toolgate-program--file "node_modules/.bin/node")))
    (if (file-executable-p own) own (executable-find "node"))))

(defun toolgate-program--built-p ()
  "Return non-nil if the program beside this client is built."
  (file-exists-p (toolgate-program--file "dist/main.js")))

(defun toolgate-program--can-build-p ()
  "Return non-nil if the build tools are installed."
  (file-directory-p (toolgate-program--file "node_modules/esbuild")))

(defun toolgate-program--clone-p ()
  "Return non-nil if this client is in a clone of its repository."
  (file-exists-p (toolgate-program--file "scripts/build.ts")))

(defun toolgate-program--file (name)
  "Return the absolute name of NAME in the folder of the installation."
  (expand-file-name name (toolgate-program-folder)))

(defun toolgate-program-folder ()
  "Return the folder of the installation that contains this client.
Symbolic links are resolved."
  (expand-file-name
   "../.." (file-name-directory
            (file-truename (locate-library "toolgate-program")))))

(provide 'toolgate-program)
;;; toolgate-program.el ends here
