;;; toolgate-always.el --- What a person lets through from now on  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The rules that a call offers, shown literally before one is taken, and the
;; help of the prompt, which shows them too.

;;; Code:

(require 'help-mode)
(require 'toolgate-approval)

(defun toolgate-always--options (call)
  "Return the rules that CALL offers to remember."
  (toolgate-get-list call 'approval 'always_options))

(defun toolgate-always--rules (option)
  "Return the rules that OPTION would remember, as JSON, a line each."
  (mapconcat (lambda (rule)
               (decode-coding-string (toolgate-json-encode rule) 'utf-8))
             (or (toolgate-get-list option 'rules)
                 (list (toolgate-get option 'rule)))
             "\n"))

;;;###autoload
(defun toolgate-approval-always ()
  "Let this call run, and remember a rule that you choose.
The rules are the server's, the narrowest first, and shown as they would be
remembered."
  (interactive nil toolgate-approval-mode)
  (let* ((call (toolgate-decide-here))
         (_ (toolgate-approval-check call))
         (options (or (toolgate-always--options call)
                      (user-error
                       (if (toolgate-get call 'edited)
                           "Params that you edited are for this once"
                         "Nothing would be remembered for this one"))))
         (label (toolgate-always--read options))
         (option (or (seq-find (lambda (option)
                                 (equal label (toolgate-get option 'label)))
                               options)
                     (user-error "Nothing chosen, nothing decided"))))
    (when (toolgate-always--meant-p option)
      (toolgate-decide-approve call (toolgate-get option 'id)))))

;; Each front end of completion shows candidates its own way, and some choose the
;; first by RET: what is remembered is asked about once it is known.
(defun toolgate-always--meant-p (option)
  "Return whether the person wants just what OPTION would remember."
  (y-or-n-p (format "Approve, and remember%s%s ? "
                    (if (string-match-p "\n" (toolgate-always--rules option))
                        "\n" " ")
                    (toolgate-always--rules option))))

(defun toolgate-always--read (options)
  "Ask which of OPTIONS to remember, and return its label."
  (let ((labels (mapcar (lambda (option) (toolgate-get option 'label)) options)))
    (minibuffer-with-setup-hook
        (lambda ()
          (unless (toolgate-always--lists-itself-p)
            (minibuffer-completion-help)))
      (completing-read
       "Approve, and remember (C-g: neither): "
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
  "Return whether candidates are shown without being asked for."
  (seq-some (lambda (mode) (and (boundp mode) (symbol-value mode)))
            '(vertico-mode icomplete-mode fido-mode ivy-mode helm-mode
                           selectrum-mode)))

(defun toolgate-always--affix (labels options)
  "Return LABELS with the rules that OPTIONS would remember behind them."
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
  '(("y" . "Approve it, once.  A strict call asks whether you are sure.")
    ("n" . "Reject it.")
    ("r" . "Reject it, and say why: whoever sent it is told.")
    ("a" . "Approve it, and remember one of the rules below.")
    ("e" . "Edit its params as JSON; you are shown what they would do.")
    ("m" . "Set the mode of its session: which calls run without asking.")
    ("d" . "Its diff in a buffer of its own, with all keys of diff-mode.")
    ("D" . "The files before and after in ediff.")
    ("o" . "Visit the file.")
    ("w" . "Copy the command, or the params.")
    ("SPC" . "Show the next part that has not been displayed; y needs all of it.")
    ("f, RET" . "Show long params whole, or fold them again.")
    ("TAB, S-TAB" . "Next section, the one before.")
    ("M-n, M-p" . "The next call that waits, the one before.")
    ("C-c C-c, C-c C-k" . "Approve it, reject it, as in the other buffers.")
    ("q" . "Put this away.  It waits on; so it does when you kill the buffer."))
  "All keys of the prompt, and what each does.")

;;;###autoload
(defun toolgate-approval-help ()
  "Tell what the keys do here, and what `always' would remember."
  (interactive nil toolgate-approval-mode)
  (let ((options (toolgate-always--options toolgate-decide-call))
        (title (toolgate-decide-title toolgate-decide-call)))
    (with-help-window "*Agent Approval Help*"
      (with-current-buffer standard-output
        (insert (toolgate-faces-text title 'toolgate-heading) "\n\n")
        (dolist (key toolgate-always--help)
          (insert (toolgate-faces-text (format "%-18s" (car key)) 'toolgate-key)
                  (cdr key) "\n"))
        (insert (format "\nKeys that decide do nothing for %s s after this \
appears or changes.\n" toolgate-key-guard-seconds))
        (insert "\n" (toolgate-faces-text "a would remember one of"
                                          'toolgate-heading)
                "\n")
        (unless options (insert "nothing: this one is asked about each time\n"))
        (dolist (option options)
          (insert "- " (toolgate-get option 'label) "\n"
                  (propertize (concat (toolgate-always--rules option) "\n")
                              'line-prefix "    " 'wrap-prefix "    "
                              'font-lock-face 'toolgate-muted
                              'face 'toolgate-muted)))))))

(provide 'toolgate-always)
;;; toolgate-always.el ends here
