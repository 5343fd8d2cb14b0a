;;; program-test.el --- Which program is started  -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'ert)
(require 'cl-lib)
(require 'toolgate-program)

(defmacro program-test-in (files &rest body)
  "Run BODY with `home' bound to a folder that holds FILES, and the PATH in it.
Names that end in a slash are folders."
  (declare (indent 1))
  `(let* ((home (file-name-as-directory
                 (file-truename (make-temp-file "toolgate-program" t))))
          (exec-path (list (concat home "path/")))
          (toolgate-program nil))
     (unwind-protect
         (cl-letf (((symbol-function 'locate-library)
                    (lambda (_) (concat home "clients/emacs/toolgate-program.el"))))
           (dolist (file (cons "path/" ,files))
             (make-directory (concat home (file-name-directory file)) t)
             (unless (directory-name-p file)
               (write-region "" nil (concat home file) nil 'quiet)
               (set-file-modes (concat home file) #o700)))
           ,@body)
       (delete-directory home t))))

(defun program-test-said ()
  "Return the program's words, or why there are none."
  (condition-case problem (toolgate-program-command)
    (user-error (error-message-string problem))))

(defconst program-test-clone '("bin/toolgate.cjs" "scripts/build.ts")
  "What a clone has.")
(defconst program-test-set-up '("node_modules/.bin/node" "node_modules/esbuild/")
  "What it has besides after npm ci.")

(ert-deftest toolgate-program-in-a-clone ()
  "It is built first where that can be done, and said what to do where not."
  (program-test-in program-test-clone
    (should (equal (program-test-said)
                   (format "Toolgate is not set up yet: run npm ci in %s"
                           (abbreviate-file-name (directory-file-name home))))))
  (program-test-in (append program-test-clone program-test-set-up)
    (let ((node (concat home "node_modules/.bin/node")))
      (should (equal (program-test-said)
                     (list node (concat home "bin/toolgate.cjs"))))
      (should (equal (toolgate-program-build) (list node "scripts/build.ts")))))
  (program-test-in (append program-test-clone program-test-set-up
                           '("dist/main.js" "path/toolgate"))
    (should (equal (program-test-said)
                   (list (concat home "node_modules/.bin/node")
                         (concat home "bin/toolgate.cjs"))))
    (should-not (toolgate-program-build))))

(ert-deftest toolgate-program-installed ()
  "An installed package runs by any Node; what is named counts, and else the PATH."
  (program-test-in '("bin/toolgate.cjs" "dist/main.js" "path/node")
    (should (equal (program-test-said)
                   (list (concat home "path/node")
                         (concat home "bin/toolgate.cjs"))))
    (setq toolgate-program '("mine" "--x"))
    (should (equal (program-test-said)
                   "The program mine was not found; see the option toolgate-program"))
    (setq toolgate-program "node")
    (should (equal (program-test-said) '("node")))
    (should-not (toolgate-program-build)))
  (program-test-in '("path/toolgate")
    (should (equal (program-test-said) '("toolgate"))))
  (program-test-in nil
    (should (equal (program-test-said)
                   "The program toolgate was not found: install Toolgate, or set \
the option toolgate-program"))))

(provide 'program-test)
;;; program-test.el ends here
