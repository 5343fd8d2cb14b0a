;;; buffers-test.el --- Tests of reporting unsaved buffers -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'ert)
(require 'files-world)

(defvar buffers-test-server nil "The fake server that is told of buffers.")

(defmacro buffers-test-with (text &rest body)
  "Run BODY as `files-world-with' does with TEXT; a server is told of buffers."
  (declare (indent 1))
  `(files-world-with ,text
     (let* ((toolgate-buffers--quiet-seconds 0.05)
            (buffers-test-server
             (toolgate-fake-start
              (lambda (_ client _)
                (toolgate-fake-json client '((buffers . [])))))))
       (setf (toolgate-endpoint-url files-world-connection)
             (toolgate-fake-url buffers-test-server))
       (toolgate-buffers-setup t)
       (unwind-protect (progn ,@body)
         (toolgate-buffers-setup nil)
         (toolgate-fake-stop buffers-test-server)))))

(defun buffers-test-told ()
  "Return what the server is told next, once it is told, and forget it.
A list of a method, and for PUT of a path and a text, else of the target."
  (toolgate-test-until (and (toolgate-fake-requests buffers-test-server)
                            (not toolgate-buffers--asking)))
  (let* ((request (car (last (toolgate-fake-requests buffers-test-server))))
         (buffer (and (alist-get 'body request)
                      (toolgate-get (toolgate-json-decode
                                     (alist-get 'body request))
                                    'buffers 0))))
    (setf (toolgate-fake-requests buffers-test-server)
          (butlast (toolgate-fake-requests buffers-test-server)))
    (cons (alist-get 'method request)
          (if buffer (list (toolgate-get buffer 'path)
                           (toolgate-get buffer 'content))
            (list (alist-get 'target request))))))

(defconst buffers-test-taken-back
  '("DELETE" "/buffers?path=a.txt&client_id=emacs-1")
  "What the server is told of a.txt once it has no unsaved changes.")

(ert-deftest toolgate-buffers-are-told-and-taken-back ()
  (buffers-test-with "one\n"
    (insert "é ")
    (narrow-to-region 1 2)
    (should (equal (buffers-test-told) '("PUT" "a.txt" "é one\n")))
    (goto-char (point-max))
    (insert "and ")
    (should (equal (buffers-test-told) '("PUT" "a.txt" "éand  one\n")))
    (widen)
    (let ((inhibit-message t)) (save-buffer))
    (should (equal (buffers-test-told) buffers-test-taken-back))))

(ert-deftest toolgate-buffers-are-known-in-every-mode ()
  "A change of mode, which reverting is one of, forgets nothing that was told."
  (dolist (end (list (lambda () (revert-buffer t t))
                     (lambda () (fundamental-mode) (revert-buffer t t t))
                     (lambda () (fundamental-mode) (save-buffer))
                     (lambda () (fundamental-mode) (kill-buffer))))
    (buffers-test-with "one\n"
      (let ((inhibit-message t))
        (insert "mine ")
        (should (equal (buffers-test-told) '("PUT" "a.txt" "mine one\n")))
        (cl-letf (((symbol-function 'yes-or-no-p) #'always)) (funcall end))
        (should (equal (buffers-test-told) buffers-test-taken-back)))))
  (buffers-test-with "one\n"
    (insert "mine ")
    (should (buffers-test-told))
    (text-mode)
    (insert "and ")
    (should (equal (buffers-test-told) '("PUT" "a.txt" "mine and one\n")))))

(ert-deftest toolgate-buffers-under-another-name ()
  "What was told under the old name of a file is taken back."
  (buffers-test-with "one\n"
    (insert "mine ")
    (should (buffers-test-told))
    (make-directory (concat files-world-folder "sub"))
    (set-visited-file-name (concat files-world-folder "sub/a.txt") t)
    (should (equal (buffers-test-told) buffers-test-taken-back))
    (should (equal (buffers-test-told) '("PUT" "sub/a.txt" "mine one\n")))
    (set-visited-file-name nil)
    (should (equal (buffers-test-told)
                   '("DELETE" "/buffers?path=sub%2Fa.txt&client_id=emacs-1")))))

(ert-deftest toolgate-buffers-that-are-cloned ()
  "A buffer that shares its text with another takes back nothing as it goes."
  (buffers-test-with "one\n"
    (insert "mine ")
    (should (buffers-test-told))
    (let ((clone (clone-indirect-buffer nil nil)))
      (should-not (buffer-local-value 'toolgate-buffers--held clone))
      (kill-buffer clone))
    (insert "and ")
    (should (equal (buffers-test-told) '("PUT" "a.txt" "mine and one\n")))))

(ert-deftest toolgate-buffers-that-are-refused-stay-so ()
  (buffers-test-with "one\n"
    (setf (toolgate-fake-answer buffers-test-server)
          (lambda (_ client _)
            (toolgate-fake-json client '((code . "TOO_LARGE")) 413)))
    (insert "mine ")
    (should (buffers-test-told))
    (text-mode)
    (should-not (toolgate-buffers--wanted-p))
    (let ((inhibit-message t)) (save-buffer))
    (insert "and ")
    (should (toolgate-buffers--wanted-p))))

(ert-deftest toolgate-buffers-that-are-not-told ()
  (files-world-with "one\n"
    (should-not (toolgate-buffers--wanted-p))
    (insert "x")
    (should (toolgate-buffers--wanted-p))
    (let ((toolgate-share-buffers nil))
      (should-not (toolgate-buffers--wanted-p)))
    (let ((toolgate-share-buffers-max-size 2))
      (should-not (toolgate-buffers--wanted-p)))
    (let ((buffer-file-name "/p/secret.gz"))
      (should-not (toolgate-buffers--wanted-p)))
    (insert (unibyte-char-to-multibyte 200))
    (should-not (toolgate-buffers--wanted-p))))

(provide 'buffers-test)
;;; buffers-test.el ends here
