;;; toolgate-approval-text.el --- Text of an approval  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A waiting call as text: its preview, its sender, the reason for the
;; approval, its changes and its params.  Nothing is truncated.  Params that
;; repeat the diff are folded if they are long, and come last: they are not
;; needed for a decision.

;;; Code:

(require 'cl-lib)
(require 'json)
(require 'subr-x)
(require 'toolgate-json)
(require 'toolgate-faces)
(require 'toolgate-lines)

(defconst toolgate-approval-text--fold-lines 24
  "Maximum number of lines of unfolded params.")
(defconst toolgate-approval-text--fold-chars 2000
  "Maximum number of characters of unfolded params.")
(defconst toolgate-approval-text--shown-lines 12
  "Number of visible lines of a folded param.")

(defconst toolgate-approval-text-keys
  '(("y" . "approve") ("n" . "reject") ("r" . "reject with a reason")
    ("c" . "comment")
    ("a" . "always…") ("e" . "edit the params") ("m" . "session mode")
    ("d" . "whole diff")
    ("D" . "ediff") ("o" . "the file") ("w" . "copy")
    ("SPC" . "next part") ("f" . "fold or unfold") ("?" . "help")
    ("q" . "close, undecided"))
  "Keys shown at the end of the text, with descriptions.")

(defconst toolgate-approval-text--bar "  │ "
  "Prefix of each line of foreign text with several lines.
It keeps foreign lines distinct from the lines of the approval.")

(defconst toolgate-approval-text--repeating
  '(old new old_string new_string old_str new_str content contents file_text
    edits patch)
  "Params that contain texts of files, which the diff shows if there is one.")

(cl-defun toolgate-approval-text-insert (call &key diff unsaved folder branch)
  "Insert the approval text of CALL.
DIFF is its diff as displayed, UNSAVED is the list of names of its files that
have unsaved changes here; FOLDER and BRANCH are where it would run.  Return
the position where the text needed for a decision ends."
  (let* ((approval (toolgate-get call 'approval))
         (params (toolgate-get call 'params))
         (repeats (lambda (param)
                    (and diff (memq (car param)
                                    toolgate-approval-text--repeating))))
         end)
    (insert (toolgate-faces-text (toolgate-approval-text-title call)
                                 'toolgate-heading)
            "\n")
    (toolgate-approval-text--warnings call unsaved)
    (toolgate-approval-text--section "Request")
    (toolgate-approval-text--fields
     (toolgate-approval-text--context call folder branch))
    (toolgate-approval-text--preview (toolgate-get approval 'preview) diff)
    (toolgate-approval-text--section
     (if (toolgate-get call 'edited) "Parameters, edited by you" "Parameters"))
    (toolgate-approval-text--params (seq-remove repeats params))
    (setq end (point-marker))
    (when-let ((repeated (seq-filter repeats params)))
      (toolgate-approval-text--section "Parameters that the diff shows")
      (toolgate-approval-text--params repeated t))
    (toolgate-approval-text--section "Details")
    (toolgate-approval-text--fields (toolgate-approval-text--details call))
    (toolgate-approval-text--section "Keys")
    (toolgate-approval-text--keys)
    end))

(defun toolgate-approval-text-title (call)
  "Return a one-line description of the effect of CALL."
  (toolgate-faces-line (or (toolgate-get call 'approval 'preview 'title)
                           (toolgate-get call 'tool))))

(defun toolgate-approval-text--section (name)
  "Start the section NAME."
  (insert "\n"
          (propertize (toolgate-faces-text name 'toolgate-heading)
                      'toolgate-section t)
          "\n"))

(defun toolgate-approval-text--warnings (call unsaved)
  "Insert the warnings about CALL and the UNSAVED files."
  (when (toolgate-get call 'renewed)
    (toolgate-approval-text--warn
     "The preview has changed since it was first shown."))
  (mapc #'toolgate-approval-text--warn-of-change (toolgate-get call 'overtaken))
  (when (equal (toolgate-get call 'approval 'level) "strict")
    (toolgate-approval-text--warn
     "Strict call: to approve it, you must confirm."))
  (dolist (file unsaved)
    (toolgate-approval-text--warn
     (format "%s has unsaved changes in this Emacs; the call uses the file on disk." file)))
  (when (toolgate-approval-text--deceptive-p call)
    (toolgate-approval-text--warn
     "Contains characters that hide or reorder text; they are shown by \
their codes.")))

(defun toolgate-approval-text--warn (text)
  "Insert TEXT as a warning line."
  (insert (toolgate-faces-text (concat "! " text) 'toolgate-stale) "\n"))

(defun toolgate-approval-text--warn-of-change (file)
  "Insert a warning that FILE may have changed since the call was shown.
Changes made outside of tools are reported up to a second late."
  (toolgate-approval-text--warn
   (format "%s has changed since: if the effect differs, approving only \
shows the new preview." (toolgate-faces-line file))))

(defun toolgate-approval-text-add-change (file)
  "Insert in the current buffer, which shows a call, that FILE has changed.
Point in a window further down stays on the same text."
  (save-excursion
    (goto-char (point-min))
    (forward-line 1)
    (toolgate-approval-text--warn-of-change file)))

(defun toolgate-approval-text--deceptive-p (call)
  "Return non-nil if CALL contains deceptive characters."
  (string-match-p toolgate-lines-deceptive
                  (decode-coding-string
                   (toolgate-json-encode
                    (list (cons 'params (toolgate-get call 'params))
                          (cons 'preview
                                (toolgate-get call 'approval 'preview))))
                   'utf-8)))

;;;; Params

(defun toolgate-approval-text--params (params &optional folded)
  "Insert PARAMS, an object, with complete values; FOLDED folds long ones."
  (if (null params) (insert (toolgate-faces-text "  none\n" 'toolgate-muted))
    (let ((width (apply #'max (mapcar (lambda (param)
                                        (string-width (symbol-name (car param))))
                                      params))))
      (dolist (param params)
        (insert "  " (toolgate-faces-text (symbol-name (car param))
                                          'toolgate-param))
        (toolgate-approval-text--value
         (toolgate-approval-text--plain (cdr param)) (+ width 4) folded)))))

(defun toolgate-approval-text--plain (value)
  "Return VALUE as text: a string unchanged, other values as JSON."
  (cond ((stringp value) value)
        ((or (consp value) (vectorp value) (null value))
         (with-temp-buffer
           (insert (decode-coding-string (toolgate-json-encode value) 'utf-8))
           (json-pretty-print-buffer)
           (buffer-string)))
        ((eq value t) "true")
        (t (string-remove-prefix ":" (format "%s" value)))))

(defun toolgate-approval-text--value (value column folded)
  "Insert VALUE at COLUMN, or under its name if it has several lines.
FOLDED folds it if it is long.  The indentation is a display property only:
text copied from the buffer is the value that will be used."
  (let* ((below (string-match-p "\n" value))
         (indent (if below toolgate-approval-text--bar
                   (make-string column ?\s)))
         (start (progn (insert (if below "\n"
                                 (make-string (- column (current-column)) ?\s)))
                       (point))))
    (cond ((string-empty-p value)
           (insert (toolgate-faces-text "(empty)" 'toolgate-muted)))
          (t (insert (toolgate-lines-break value))
             (toolgate-approval-text--show-blanks start)))
    (let ((end (point)))
      (insert "\n")
      (when folded (toolgate-approval-text--fold start end value))
      (add-text-properties start (point)
                           ;; A single line also becomes several if it is
                           ;; broken.
                           (list 'wrap-prefix indent
                                 'line-prefix toolgate-approval-text--bar)))))

(defun toolgate-approval-text--show-blanks (start)
  "Make trailing blanks visible in the lines after START."
  (save-excursion
    (goto-char start)
    (while (re-search-forward "[ \t]+$" nil t)
      (put-text-property (match-beginning 0) (match-end 0)
                         'font-lock-face 'trailing-whitespace)
      (put-text-property (match-beginning 0) (match-end 0)
                         'face 'trailing-whitespace))))

(defun toolgate-approval-text--fold (start end value)
  "Fold VALUE, from START to END, if it is long; point is after it."
  (let ((lines (length (split-string value "\n"))))
    (when (or (> lines toolgate-approval-text--fold-lines)
              (> (- end start) toolgate-approval-text--fold-chars))
      (let ((from (save-excursion
                    (goto-char start)
                    (forward-line toolgate-approval-text--shown-lines)
                    (min (point) (+ start toolgate-approval-text--fold-chars)
                         end)))
            (label (format "… %d lines, %d characters in total; f shows the whole text\n"
                           lines (length value))))
        (put-text-property from (point) 'invisible 'toolgate-folded)
        (insert (propertize (concat (if (save-excursion (goto-char from) (bolp))
                                        "" "\n")
                                    label)
                            'invisible 'toolgate-unfolded
                            'font-lock-face 'toolgate-muted
                            'face 'toolgate-muted))))))

;;;; Preview

(defun toolgate-approval-text--preview (preview diff)
  "Insert PREVIEW, with DIFF as displayed."
  (let ((text (toolgate-get preview 'text))
        (notes (append
                (mapcar (lambda (note)
                          (propertize note 'face 'warning
                                      'font-lock-face 'warning))
                        (toolgate-get-list preview 'notes))
                (toolgate-get-list preview 'information))))
    (when (or notes (and text (not (equal text (toolgate-get preview 'title)))))
      (toolgate-approval-text--section "Preview")
      (dolist (note notes)
        (insert (propertize (concat "- " (toolgate-lines-break note) "\n")
                            'line-prefix toolgate-approval-text--bar
                            'wrap-prefix
                            (concat toolgate-approval-text--bar "  "))))
      (when text
        (insert (propertize (concat (toolgate-lines-break text) "\n")
                            'line-prefix toolgate-approval-text--bar
                            'wrap-prefix toolgate-approval-text--bar)))))
  (when diff
    (toolgate-approval-text--section "Diff")
    (insert (propertize diff 'toolgate-diff t))
    (unless (bolp) (insert "\n"))))

;;;; Sender and reason

(defun toolgate-approval-text--context (call folder branch)
  "Return pairs of names and texts: origin of CALL and reason of the approval.
FOLDER and BRANCH are where it would run."
  (let ((asked (toolgate-get call 'requested_tool)))
    `(("reason" . ,(toolgate-get call 'approval 'reason))
      ("tool" . ,(concat (toolgate-get call 'tool)
                         (if asked (format " (requested as %s)" asked) "")))
      ("from" . ,(toolgate-approval-text--from call))
      ("description" . ,(toolgate-get call 'context))
      ("folder" . ,(and folder
                        (concat (abbreviate-file-name folder)
                                (if branch (format ", branch %s" branch) "")))))))

(defun toolgate-approval-text--from (call)
  "Return on one line the agent, client and session that CALL comes from."
  (mapconcat #'toolgate-faces-line
             (delq nil (list (toolgate-get call 'agent)
                             (toolgate-get call 'client)
                             (when-let ((session (toolgate-get call 'session_id)))
                               (concat "session " session))))
             " · "))

(defun toolgate-approval-text--details (call)
  "Return pairs of names and texts of CALL that are not needed for a decision."
  `(,@(mapcar (lambda (rule)
                (cons "rule" (format "%s: %s (%s%s)"
                                     (toolgate-get rule 'tier)
                                     (toolgate-get rule 'effect)
                                     (toolgate-get rule 'reason)
                                     (if-let ((id (toolgate-get rule 'rule_id)))
                                         (concat ", " id)
                                       ""))))
              (toolgate-get-list call 'approval 'matched_rules))
    ("call" . ,(toolgate-get call 'tool_call_id))))

(defun toolgate-approval-text--fields (fields)
  "Insert FIELDS, pairs of a name and a text; omit those without text."
  (dolist (field fields)
    (when (cdr field)
      (insert "  " (toolgate-faces-text (format "%-15s" (car field))
                                        'toolgate-muted)
              (if (string-match-p "\n" (cdr field))
                  (propertize (concat "\n" (toolgate-lines-break (cdr field)))
                              'line-prefix toolgate-approval-text--bar
                              'wrap-prefix toolgate-approval-text--bar)
                (propertize (toolgate-lines-break (cdr field))
                            'line-prefix toolgate-approval-text--bar
                            'wrap-prefix (make-string 17 ?\s)))
              "\n"))))

(defun toolgate-approval-text--keys ()
  "Insert the keys, several per line."
  (let ((column 0))
    (dolist (key toolgate-approval-text-keys)
      (let ((width (+ 3 (string-width (car key)) (string-width (cdr key)))))
        (when (> (+ column width) 74)
          (insert "\n")
          (setq column 0))
        (insert (if (zerop column) "  " "   ")
                (toolgate-faces-text (car key) 'toolgate-key)
                " " (cdr key))
        (setq column (+ column width 1))))
    (insert "\n")))

(provide 'toolgate-approval-text)
;;; toolgate-approval-text.el ends here
