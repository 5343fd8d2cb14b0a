;;; patch-test.el --- Which files a diff is about  -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'ert)
(require 'cl-lib)
(require 'toolgate-lines)
(require 'toolgate-source)

(defconst patch-test-diff
  "diff --git a/b c.txt b/b c.txt
--- a/b c.txt\t
+++ b/b c.txt\t
@@ -1 +1 @@
-a
+b
diff --git a/odd.txt b/odd.txt
--- a/odd.txt
+++ b/odd.txt
@@ -7,2 +7,2 @@ about
--- a/forged
+++ b/forged
 last
\\ No newline at end of file
diff --git \"a/tab\\011\\303\\251\\\"\" \"b/tab\\011\\303\\251\\\"\"
deleted file mode 100644
--- \"a/tab\\011\\303\\251\\\"\"
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+hello
diff --git a/from b/to
rename from from
rename to to
diff --git a/empty file b/empty file
deleted file mode 100644
"
  "A diff with all that makes names hard to tell.")

(ert-deftest toolgate-patch-names ()
  "A name is told by its place, however it looks, and so is what is none."
  (should (equal (toolgate-patch-files patch-test-diff)
                 '("b c.txt" "odd.txt" "tab\té\"" "new.txt" "from" "to"
                   "empty file")))
  (should (equal (toolgate-patch-files "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-y\n+z\n\
--- a/v\n+++ b/v\n@@ -1 +1 @@\n-y\n+z\n")
                 '("x" "v")))
  (should-not (toolgate-patch-files "")))

(ert-deftest toolgate-patch-odd-names ()
  "A header that is no name as git writes it is taken as it stands."
  (dolist (header '("diff --git \"a/\\303\\244.txt\" b/abc.txt"
                    "--- \"a/foo" "--- \"a/\\N{FOO}\"" "+++ \"b/\\x\""))
    (let ((diff (concat header "\n@@ -1 +1 @@\n-a\n+b\n")))
      (should (listp (toolgate-patch-files diff)))
      (should-not (eq 'failed (condition-case nil
                                  (toolgate-patch-place diff 3)
                                (error 'failed)))))))

(ert-deftest toolgate-patch-lines-of-files ()
  "Each line of a hunk is a line of the old or of the new text."
  (let ((targets (toolgate-patch-targets patch-test-diff)))
    (should (equal (mapcar (lambda (line) (cdr (assq line targets)))
                           '(0 10 11 12 13 19 25))
                   '(nil ("odd.txt" old 7) ("odd.txt" new 7) ("odd.txt" new 8)
                         nil ("tab\té\"" old 1) ("new.txt" new 1)))))
  (let ((diff "--- a/x\n+++ b/z\n@@ -3 +5,2 @@\n-y\n+z\n+\n@@ -9,2 +12,2 @@\n a\n\n"))
    (should (equal (toolgate-patch-targets diff)
                   '((3 "z" old 3) (4 "z" new 5) (5 "z" new 6)
                     (7 "z" new 12) (8 "z" new 13))))
    (should (equal (cdar (toolgate-patch-targets diff '(("x" "read"))))
                   '("read" old 3)))))

(ert-deftest toolgate-patch-places ()
  "Each line of a diff is about one line of one file."
  (should (equal (mapcar (lambda (line)
                           (toolgate-patch-place patch-test-diff line))
                         '(0 4 5 10 11 12 19 24 26))
                 '((1 "b c.txt") (1 "b c.txt") (2 "b c.txt")
                   (7 "odd.txt") (8 "odd.txt") (8 "odd.txt")
                   (1 "tab\té\"") (1 "new.txt") (1 "from" "to"))))
  ;; What the server names counts, if that is what it names.
  (let ((diff "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-y\n+z\n"))
    (should (equal (toolgate-patch-place diff 4 '(("told"))) '(2 "told")))
    (should (equal (toolgate-patch-place diff 4 '(("told") ("more"))) '(2 "x"))))
  (should-not (toolgate-patch-place "" 0)))

(ert-deftest toolgate-source-goes-where-the-diff-is-about ()
  "No text of a diff leads to a file that the diff is not about."
  (let* ((folder (file-name-as-directory (make-temp-file "toolgate-source" t)))
         (default-directory folder))
    (unwind-protect
        (save-window-excursion
          (dolist (name '("forged" "odd.txt" "b c.txt"))
            (write-region (mapconcat #'number-to-string (number-sequence 1 9) "\n")
                          nil name nil 'quiet))
          (with-temp-buffer
            (let ((diff (concat "--- a/odd.txt\n+++ b/odd.txt\n@@ -7,2 +7,2 @@\n-"
                                (make-string 20000 ?x)
                                "\n--- a/forged\n+++ b/forged\n")))
              (insert (toolgate-lines-break diff))
              (toolgate-source-setup diff (lambda (path) (concat folder path)))
              (search-backward "forged")
              (save-window-excursion
                (toolgate-source-visit)
                (should (equal (buffer-name) "odd.txt"))
                (should (looking-at-p "9")))
              (should-error (call-interactively
                             #'toolgate-source-change-nothing)
                            :type 'user-error)
              (toolgate-source-setup diff #'ignore)
              (should-error (toolgate-source-visit) :type 'user-error))))
      (dolist (name '("forged" "odd.txt" "b c.txt"))
        (when-let ((buffer (find-buffer-visiting (concat folder name))))
          (kill-buffer buffer)))
      (delete-directory folder t))))

(ert-deftest toolgate-source-keys ()
  "All keys of `diff-mode' that go by the text go by the diff instead."
  (require 'toolgate-diff)
  (require 'toolgate-undo)
  (require 'toolgate-proposal)
  (dolist (mode '(toolgate-diff-mode toolgate-undo-mode toolgate-proposal-mode))
    (with-temp-buffer
      (funcall mode)
      (should (equal (mapcar (lambda (key) (key-binding (kbd key)))
                             '("RET" "o" "C-c C-a" "R" "k" "C-c C-r"))
                     `(toolgate-source-visit
                       toolgate-source-visit
                       ,@(make-list 4 'toolgate-source-change-nothing)))))))

(provide 'patch-test)
;;; patch-test.el ends here
