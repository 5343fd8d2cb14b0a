;;; toolgate-always.el --- Approve a call and save a rule  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The rules that a call offers to save, shown literally before one is chosen,
;; and the help of the approval buffer, which also shows them.

;;; Code:

(require 'help-mode)
(require 'toolgate-approval)

(defun toolgate-always--options (call)
  "Return the rules that CALL offers to save."
  (toolgate-get-list call 'approval 'always_options))

(defun toolgate-always--rules (option)
  "Return the rules that OPTION saves, as JSON, one per line."
  (mapconcat (lambda (rule)
               (decode-coding-string (toolgate-json-encode rule) 'utf-8))
             (or (toolgate-get-list option 'rules)
                 (list (toolgate-get option 'rule)))
             "\n"))

;;;###autoload
(defun toolgate-approval-always ()
  "Approve this call, and save a rule that you choose.
The server offers the rules, the narrowest first; they are saved exactly as
shown."
  (interactive nil toolgate-approval-mode)
  (let* ((call (toolgate-decide-here))
         (_ (toolgate-approval-check call))
         (_ (toolgate-comment-check call))
         (options (or (toolgate-always--options call)
                      (user-error
                       (if (toolgate-get call 'edited)
                           "A rule cannot be saved for edited params"
                         "No rule can be saved for this call"))))
         (label (toolgate-always--read options))
         (option (or (seq-find (lambda (option)
                                 (equal label (toolgate-get option 'label)))
                               options)
                     (user-error "No rule was chosen, so the call still waits")))
         (limits (toolgate-always--read-limits)))
    (when (toolgate-always--meant-p option limits)
      (toolgate-decide-approve call (toolgate-get option 'id) limits))))

(defun toolgate-always--read-limits ()
  "Ask for the end of the rule, and return it as an alist."
  (toolgate-always--parse-limits
   (read-string "End of the rule: 2h, 10 uses or session (RET: when revoked): ")))

(defun toolgate-always--parse-limits (text)
  "Return the limits in TEXT, such as \"2h session\", as an alist.
Signal an error for any other text."
  (let ((case-fold-search t)
        limits)
    (with-temp-buffer
      (insert text)
      (goto-char (point-min))
      (skip-chars-forward " \t,")
      (while (not (eobp))
        (cond ((looking-at "\\([1-9][0-9]\\{0,4\\}[smhd]\\)\\(?:[ \t,]+\\|\\'\\)")
               (setf (alist-get 'for limits) (downcase (match-string 1))))
              ((looking-at "\\([1-9][0-9]\\{0,5\\}\\)[ \t]*\\(?:uses?\\|x\\)\\(?:[ \t,]+\\|\\'\\)")
               (setf (alist-get 'uses limits) (string-to-number (match-string 1))))
              ((looking-at "session\\(?:[ \t,]+\\|\\'\\)")
               (setf (alist-get 'scope limits) "session"))
              (t (user-error "No end of a rule: %s; write 2h, 10 uses or session"
                             text)))
        (goto-char (match-end 0))))
    limits))

;; Completion front ends differ in how they show candidates, and some choose
;; the first on RET.  So the user confirms the rules once a choice is made.
(defun toolgate-always--meant-p (option limits)
  "Return non-nil if the user confirms the rules that OPTION saves with LIMITS."
  (y-or-n-p (format "Approve and save a rule%s%s%s ? "
                    (if (string-match-p "\n" (toolgate-always--rules option))
                        "\n" " ")
                    (toolgate-always--rules option)
                    (mapconcat (lambda (limit)
                                 (format ", %s %s" (car limit) (cdr limit)))
                               limits ""))))

(defun toolgate-always--read (options)
  "Ask which of OPTIONS to save, and return its label."
  (let ((labels (mapcar (lambda (option) (toolgate-get option 'label)) options)))
    (minibuffer-with-setup-hook
        (lambda ()
          (unless (toolgate-always--lists-itself-p)
            (minibuffer-completion-help)))
      (completing-read
       "Approve and save (C-g: cancel): "
       (lambda (text predicate action)
         (if (eq action 'metadata)
             `(metadata
               (display-sort-function . identity)
               (cycle-sort-function . identity)
               (affixation-function
                . ,(lambda (some) (toolgate-always--affix some options))))
           (complete-with-action action labels text predicate)))
       nil t))))

(defun toolgate-always--lists-itself-p ()
  "Return non-nil if the completion front end shows candidates automatically."
  (seq-some (lambda (mode) (and (boundp mode) (symbol-value mode)))
            '(vertico-mode icomplete-mode fido-mode ivy-mode helm-mode
                           selectrum-mode)))

(defun toolgate-always--affix (labels options)
  "Return LABELS, each followed by the rules that its option in OPTIONS saves."
  (mapcar (lambda (label)
            (let ((option (seq-find (lambda (option)
                                      (equal label (toolgate-get option 'label)))
                                    options)))
              (list label ""
                    (toolgate-faces-text
                     (concat "\n    "
                             (string-replace "\n" "\n    "
                                             (toolgate-always--rules option)))
                     'toolgate-muted))))
          labels))

;;;; Help

(defconst toolgate-always--help
  '(("y" . "Approve this call.  A strict call asks for confirmation.")
    ("n" . "Reject this call.")
    ("r" . "Reject this call with a reason, which is sent to the caller.")
    ("c" . "Comment on the line of the diff; again to edit, empty to remove.")
    ("a" . "Approve this call, and save one of the rules below.")
    ("e" . "Edit the params as JSON, and see the new preview.")
    ("m" . "Set the mode of the session: which calls run without approval.")
    ("d" . "Show the diff in a separate buffer, with all keys of `diff-mode'.")
    ("D" . "Compare the files before and after in Ediff.")
    ("o" . "Visit the file.")
    ("w" . "Copy the command, or the params.")
    ("SPC" . "Show the next part that was not displayed.  y requires all parts.")
    ("f, RET" . "Unfold long params, or fold them again.")
    ("TAB, S-TAB" . "Next and previous section.")
    ("M-n, M-p" . "Next and previous waiting call.")
    ("C-c C-c, C-c C-k" . "Approve or reject, as in the other buffers.")
    ("q" . "Close this buffer.  The call continues to wait."))
  "Keys of the approval buffer, with descriptions.")

;;;###autoload
(defun toolgate-approval-help ()
  "Describe the keys, and the rules that `always' can save."
  (interactive nil toolgate-approval-mode)
  (let ((options (toolgate-always--options toolgate-decide-call))
        (title (toolgate-decide-title toolgate-decide-call)))
    (with-help-window "*Agent Approval Help*"
      (with-current-buffer standard-output
        (insert (toolgate-faces-text title 'toolgate-heading) "\n\n")
        (dolist (key toolgate-always--help)
          (insert (toolgate-faces-text (format "%-18s" (car key)) 'toolgate-key)
                  (cdr key) "\n"))
        (insert (format "\nKeys that decide are ignored for %s s after this \
appears or changes.\n" toolgate-key-guard-seconds))
        (insert "\n" (toolgate-faces-text "a saves one of"
                                          'toolgate-heading)
                "\n")
        (unless options (insert "no rule: this call always needs approval\n"))
        (dolist (option options)
          (insert "- " (toolgate-get option 'label) "\n"
                  (propertize (concat (toolgate-always--rules option) "\n")
                              'line-prefix "    " 'wrap-prefix "    "
                              'font-lock-face 'toolgate-muted
                              'face 'toolgate-muted)))))))

(provide 'toolgate-always)
;;; toolgate-always.el ends here
