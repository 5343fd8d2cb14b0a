;;; toolgate-editor.el --- Effects that calls can request in this Emacs  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Functions for `toolgate-effects'.  None of them selects a window or reads
;; from the minibuffer.

;;; Code:

(require 'cl-lib)
(require 'flymake)
(require 'seq)
(require 'subr-x)
(require 'toolgate-buffers)
(require 'toolgate-connection)
(require 'toolgate-effects)
(require 'toolgate-files)
(require 'toolgate-json)
(require 'toolgate-show)

(declare-function toolgate-diff-show-proposal "toolgate-proposal"
                  (delegation file answer))
(declare-function toolgate-appear-preview "toolgate-appear"
                  (call-id answer))

(defun toolgate-editor--file (connection delegation)
  "Return the name of the file of DELEGATION of CONNECTION.
Signal an error if it is outside of the served folders."
  (let* ((path (toolgate-get delegation 'params 'path))
         (file (toolgate-connection-file connection delegation path)))
    (unless (and file (toolgate-connection-place connection
                                                 (file-truename file)))
      (error "%s is not in the workspace" path))
    file))

;;;; editor.open

(defvar toolgate-editor--patience 7
  "Seconds after which a file is shown even while the user types.
The call times out after ten seconds.")

(defun toolgate-editor-open (connection delegation answer)
  "Show the file that DELEGATION of CONNECTION names; then call ANSWER."
  (let* ((file (toolgate-editor--file connection delegation))
         (line (toolgate-get delegation 'params 'line))
         (column (toolgate-get delegation 'params 'column))
         over show)
    (unless (file-regular-p file) (error "The file %s does not exist" file))
    (setq show
          (lambda ()
            (unless (or over (active-minibuffer-window))
              (setq over t)
              (condition-case problem
                  (progn (toolgate-editor--show (toolgate-editor--visit file)
                                                line column)
                         (funcall answer nil))
                (error (funcall answer nil (error-message-string problem)))))))
    (toolgate-show-soon show)
    ;; If the user keeps typing, the file appears anyway, in another window.
    (run-at-time toolgate-editor--patience nil show)
    (lambda () (setq over t))))

(defun toolgate-editor--visit (file)
  "Return a buffer that visits FILE, without asking anything."
  (or (find-buffer-visiting file)
      (let ((enable-local-variables :safe)
            (enable-local-eval nil)
            (large-file-warning-threshold nil)
            (vc-follow-symlinks t)
            (inhibit-message t))
        (find-file-noselect file t))))

(defun toolgate-editor--show (buffer line column)
  "Show BUFFER at LINE and COLUMN, if given, beside the selected window."
  (let* ((selected (selected-window))
         (window (toolgate-show-beside buffer)))
    ;; If the file is in the selected window, point there must not move.
    (when (and window line (not (eq window selected)))
      (with-current-buffer buffer
        (save-restriction
          (widen)
          (let ((place (toolgate-editor--place line column)))
            (set-window-point window place)
            (with-selected-window window (recenter))))))))

(defun toolgate-editor--place (line column)
  "Return the position of LINE and COLUMN, or the closest one."
  (save-excursion
    (goto-char (point-min))
    (forward-line (1- line))
    (min (line-end-position) (+ (point) (1- (or column 1))))))

;;;; editor.apply_edit

(defun toolgate-editor-apply-edit (connection delegation answer)
  "Change a buffer as DELEGATION of CONNECTION says, unsaved; call ANSWER."
  (let* ((file (toolgate-editor--file connection delegation))
         (params (toolgate-get delegation 'params))
         (buffer (find-buffer-visiting file)))
    (unless buffer (error "No buffer visits %s" file))
    (with-current-buffer buffer
      (when buffer-read-only (error "The buffer is read-only"))
      (unless (equal (toolgate-get params 'before_hash)
                     (toolgate-editor--hash))
        (error "The buffer has changed"))
      (toolgate-editor--replace (toolgate-get params 'content))
      (toolgate-buffers-tell-now)
      (funcall answer `((content_hash . ,(toolgate-editor--hash)))))
    nil))

(defun toolgate-editor--hash ()
  "Return the hash of the text of the current buffer, in the server's format."
  (concat "sha256:"
          (secure-hash 'sha256 (encode-coding-string
                                (toolgate-buffers-text) 'utf-8-unix))))

(defun toolgate-editor--replace (text)
  "Replace the text of the current buffer with TEXT, as one undo step.
Point and marks stay."
  (let ((source (generate-new-buffer " *toolgate edit*" t)))
    (unwind-protect
        (progn
          (with-current-buffer source (insert (or text "")))
          (undo-boundary)
          (save-restriction
            (widen)
            (replace-buffer-contents source 1.0))
          (undo-boundary))
      (kill-buffer source))))

;;;; editor.diagnostics

(defconst toolgate-editor--most-diagnostics 1000
  "Maximum number of diagnostics in an answer.")

(defconst toolgate-editor--severities
  '((flymake-error . "error") (flymake-warning . "warning")
    (flymake-note . "information"))
  "Severities of the server for Flymake's categories, the worst first.")

(defun toolgate-editor-diagnostics (connection delegation answer)
  "Call ANSWER with the diagnostics that DELEGATION of CONNECTION requests."
  (let* ((path (toolgate-get delegation 'params 'path))
         (below (and path (file-truename
                           (toolgate-editor--file connection delegation)))))
    (funcall
     answer
     `((diagnostics
        . ,(vconcat
            (seq-take
             (seq-sort-by #'toolgate-editor--rank #'<
                          (mapcan (lambda (buffer)
                                    (toolgate-editor--of-buffer
                                     buffer connection below))
                                  (buffer-list)))
             toolgate-editor--most-diagnostics)))))
    nil))

(defun toolgate-editor--rank (diagnostic)
  "Return the rank of the severity of DIAGNOSTIC, 0 for the worst."
  (seq-position (mapcar #'cdr toolgate-editor--severities)
                (toolgate-get diagnostic 'severity)))

(defun toolgate-editor--of-buffer (buffer connection below)
  "Return the diagnostics that BUFFER shows, if CONNECTION serves its file.
With BELOW, a true name, only if the file is BELOW or inside it."
  (with-current-buffer buffer
    (when-let* ((file (and (bound-and-true-p flymake-mode)
                           (toolgate-files-name)))
                (place (toolgate-connection-place connection file)))
      (when (or (null below) (equal file below)
                (string-prefix-p (file-name-as-directory below) file))
        (save-restriction
          (widen)
          (mapcar (lambda (diagnostic)
                    (toolgate-editor--diagnostic diagnostic (cdr place)))
                  (flymake-diagnostics)))))))

(defun toolgate-editor--diagnostic (diagnostic path)
  "Return Flymake's DIAGNOSTIC of the file at PATH, in the server's format."
  (let ((type (flymake-diagnostic-type diagnostic))
        (backend (flymake-diagnostic-backend diagnostic))
        (text (flymake-diagnostic-text diagnostic)))
    `((path . ,path)
      ,@(toolgate-editor--point 'line 'column
                                (flymake-diagnostic-beg diagnostic))
      ,@(toolgate-editor--point 'end_line 'end_column
                                (flymake-diagnostic-end diagnostic))
      (severity . ,(or (cdr (assq (or (get type 'flymake-category) type)
                                  toolgate-editor--severities))
                       "error"))
      (message . ,(truncate-string-to-width
                   (substring-no-properties text) 4000))
      ,@(and (symbolp backend) backend
             `((source . ,(truncate-string-to-width
                           (symbol-name backend) 200)))))))

(defun toolgate-editor--point (line column position)
  "Return POSITION as a line and a column, under the keys LINE and COLUMN."
  (save-excursion
    (goto-char (or position (point-min)))
    `((,line . ,(line-number-at-pos nil t))
      (,column . ,(1+ (- (point) (line-beginning-position)))))))

;;;; Show changes

(defun toolgate-editor-show-diff (connection delegation answer)
  "Show the change that DELEGATION of CONNECTION proposes.
Call ANSWER with the decision."
  (toolgate-diff-show-proposal delegation
                               (toolgate-editor--file connection delegation)
                               answer))

(defun toolgate-editor-preview (_connection delegation answer)
  "Preview the changes of the call of DELEGATION; call ANSWER when it is closed."
  (toolgate-appear-preview (toolgate-get delegation 'tool_call_id)
                                  (lambda () (funcall answer nil))))

(setq toolgate-effects
      '(("editor.open" . toolgate-editor-open)
        ("editor.apply_edit" . toolgate-editor-apply-edit)
        ("editor.diagnostics" . toolgate-editor-diagnostics)
        ("editor.show_diff" . toolgate-editor-show-diff)
        ("preview.open" . toolgate-editor-preview)))

(provide 'toolgate-editor)
;;; toolgate-editor.el ends here
