;;; beside-test.el --- What is shown beside a prompt: proposals and ediff  -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'approval-world)
(require 'toolgate-ediff)
(require 'toolgate-proposal)

(ert-deftest toolgate-approval-proposal ()
  (let ((delegation
         '((tool_call_id . "tc_1")
           (params (path . "a.txt") (before . "a\n") (after . "b\n")
                   (diff . "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n"))))
        answers)
    (approval-test-with nil
      (cl-flet ((show () (toolgate-diff-show-proposal
                          delegation "/nowhere/ws/a.txt"
                          (lambda (answer) (push answer answers)))
                  (select-window (get-buffer-window "*Agent Proposal: a.txt*"))
                  (setq toolgate-guard--since 0)))
        (show)
        ;; It is not accepted before it was displayed.
        (should-error (toolgate-proposal-accept) :type 'user-error)
        (approval-test-look)
        (toolgate-proposal-accept)
        (show)
        (toolgate-proposal-reject "no")
        (show)
        (toolgate-proposal-edit)
        (insert "more ")
        (text-mode)
        (should (eq (key-binding (kbd "C-c C-c")) #'toolgate-proposal-edit-accept))
        ;; Nor is what was changed of it.
        (should-error (toolgate-proposal-edit-accept) :type 'user-error)
        (with-current-buffer toolgate-proposal--of (approval-test-look))
        (toolgate-proposal-edit-accept)
        (show)
        (text-mode)
        (approval-test-look)
        (toolgate-proposal-accept)
        (funcall (toolgate-diff-show-proposal delegation "/nowhere" #'ignore))
        (should-not (approval-test-names))
        (should (equal (nreverse answers)
                       '(((decision . "accepted"))
                         ((decision . "rejected") (comment . "no"))
                         ((decision . "accepted") (content . "more b\n"))
                         ((decision . "accepted")))))))))

(ert-deftest toolgate-approval-ediff ()
  "Ediff ends with the call, and the windows are as they were."
  (approval-test-with (list (approval-test-call "tc_1"))
    (setq approval-test--answers
          '(("/calls/tc_1/preview"
             (files . [((path . "poem.txt") (before . "violets\n")
                        (after . "tulips\n"))]))))
    (let ((ediff-window-setup-function #'ediff-setup-windows-plain))
      (with-current-buffer "*Agent Approval*" (toolgate-ediff))
      (should (get-buffer "poem.txt (before)"))
      (toolgate-store-resolve connection "tc_1" '((decision . "approved")))
      (should-not (get-buffer "poem.txt (before)"))
      (should-not (get-buffer "poem.txt (after)"))
      (should-not (approval-test-names))
      (should (equal "*scratch*" (buffer-name (window-buffer)))))))

(defvar approval-test--reached nil "Whether a text has chosen its mode.")
(defun approval-test-reached-mode () "Note that a text has chosen its mode."
       (setq approval-test--reached t))

(ert-deftest toolgate-approval-mode-by-name ()
  "A text that is proposed does not choose the mode that it is shown in."
  (dolist (text '("# -*- mode: approval-test-reached -*-\n"
                  "x\n\n# Local Variables:\n# mode: approval-test-reached\n# End:\n"
                  "%PDF-1.4\n" "#!/usr/bin/env approval-test\n"))
    (let ((interpreter-mode-alist '(("approval-test" . approval-test-reached-mode)))
          (magic-mode-alist '(("%PDF" . approval-test-reached-mode))))
      (with-current-buffer (toolgate-ediff--buffer "tc_1" "a" "after" text)
        (should (eq major-mode 'fundamental-mode))
        (kill-buffer))
      (with-current-buffer (toolgate-ediff--buffer "tc_1" "a.pdf" "after" text)
        (should (eq major-mode 'fundamental-mode))
        (kill-buffer))
      (with-current-buffer (toolgate-ediff--buffer "tc_1" "a.py" "after" text)
        (should (eq major-mode 'python-mode))
        (kill-buffer))
      (approval-test-with nil
        (with-current-buffer (toolgate-proposal--buffer
                              `((params (path . "a.py") (after . ,text))) "/nowhere"
                              #'ignore)
          (toolgate-proposal-edit)
          (should (eq major-mode 'python-mode))
          (set-buffer-modified-p nil)))
      (should-not approval-test--reached))))

(provide 'beside-test)
;;; beside-test.el ends here
