;;; editor-test.el --- Tests of what calls ask of an editor -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'ert)
(require 'files-world)
(require 'toolgate-editor)

(defun editor-test-delegate (function params)
  "Have FUNCTION do what a delegation with PARAMS asks; return its answer."
  (let (answer)
    (condition-case problem
        (funcall function files-world-connection `((params . ,params))
                 (lambda (object &optional reason)
                   (setq answer (list (or reason object)))))
      (error (setq answer (list (error-message-string problem)))))
    (car (toolgate-test-until answer))))

(ert-deftest toolgate-editor-shows-a-file-and-leaves-the-focus ()
  (files-world-with "one\ntwo\nthree\n"
    (let ((toolgate-editor--patience 0.01) (selected (selected-window)))
      (should-not (editor-test-delegate #'toolgate-editor-open
                                        '((path . "a.txt") (line . 2)
                                          (column . 3))))
      (should (eq selected (selected-window)))
      (should (equal (with-current-buffer buffer
                       (window-point (get-buffer-window buffer)))
                     7))
      (should (equal (editor-test-delegate #'toolgate-editor-open
                                           '((path . "../a.txt")))
                     "../a.txt is not in the workspace")))))

(ert-deftest toolgate-editor-changes-a-buffer-unsaved ()
  (files-world-with "one\n"
    (goto-char (point-max))
    (insert "mine")
    (should (equal (editor-test-delegate
                    #'toolgate-editor-apply-edit
                    `((path . "a.txt") (content . "ONE\nmine\n")
                      (before_hash . ,(toolgate-editor--hash))))
                   `((content_hash
                      . ,(concat "sha256:" (secure-hash 'sha256 "ONE\nmine\n"))))))
    (should (equal (buffer-string) "ONE\nmine\n"))
    (should (buffer-modified-p))
    (should (equal (editor-test-delegate
                    #'toolgate-editor-apply-edit
                    '((path . "a.txt") (content . "x") (before_hash . "sha256:0")))
                   "The buffer has changed"))))

(ert-deftest toolgate-editor-tells-diagnostics ()
  (files-world-with "one\ntwo\n"
    (add-hook 'flymake-diagnostic-functions
              (lambda (report &rest _)
                (funcall report
                         (list (flymake-make-diagnostic buffer 5 8 :warning "odd")
                               (flymake-make-diagnostic buffer 1 4 :error "bad"))))
              nil t)
    (flymake-mode 1)
    (flymake-start)
    (toolgate-test-until (flymake-diagnostics))
    (should (equal (mapcar
                    (lambda (diagnostic)
                      (mapcar (lambda (field) (toolgate-get diagnostic field))
                              '(path line column end_line end_column severity
                                     message)))
                    (toolgate-get-list
                     (editor-test-delegate #'toolgate-editor-diagnostics nil)
                     'diagnostics))
                   '(("a.txt" 1 1 1 4 "error" "bad")
                     ("a.txt" 2 1 2 4 "warning" "odd"))))))

(ert-deftest toolgate-effects-are-done-once-and-answered ()
  (files-world-with "one\n"
    (let* ((done 0) (closed 0) (answers nil)
           (fake (toolgate-fake-start
                  (lambda (_ client request)
                    (push (toolgate-json-decode (alist-get 'body request))
                          answers)
                    (if (cdr answers) (toolgate-fake-json client '((ok . t)))
                      (toolgate-fake-json client '((code . "OVERLOADED")) 503)))))
           (toolgate-effects
            `(("editor.open" . ,(lambda (_ _ answer)
                                  (cl-incf done)
                                  (funcall answer nil)
                                  (lambda () (cl-incf closed))))))
           (event '((seq . 5) (type . "tool.delegate") (delegation_id . "dg_1")
                    (client_id . "emacs-1") (effect . "editor.open") (params))))
      (setf (toolgate-endpoint-url files-world-connection)
            (toolgate-fake-url fake))
      (unwind-protect
          (progn
            (toolgate-effects--event files-world-connection event)
            (toolgate-effects--event files-world-connection event)
            (toolgate-effects--event
             files-world-connection
             `((delegation_id . "dg_2") (client_id . "another") ,@event))
            (toolgate-test-until (= closed 1))
            (toolgate-effects--event files-world-connection event)
            (should (= done 1))
            (should (equal answers '(((status . "done")) ((status . "done"))))))
        (toolgate-fake-stop fake)))))

(provide 'editor-test)
;;; editor-test.el ends here
