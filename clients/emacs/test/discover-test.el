;;; discover-test.el --- Tests of finding servers -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'ert)
(require 'toolgate-discover)
(require 'toolgate-fake)

(defmacro discover-test-with (home &rest body)
  "Run BODY with HOME bound to a home of its own, and nothing in the environment."
  (declare (indent 1))
  `(let* ((,home (file-name-as-directory
                  (file-truename (make-temp-file "toolgate-" t))))
          (process-environment
           (append (list (concat "HOME=" ,home) "XDG_STATE_HOME"
                         "TOOLGATE_RUN_DIR" "TOOLGATE_URL" "TOOLGATE_TOKEN_FILE")
                   process-environment)))
     (unwind-protect (progn ,@body) (delete-directory ,home t))))

(defun discover-test-leave (name root &rest more)
  "Leave a file NAME of a server of ROOT, with MORE fields, and return it."
  (let ((file (expand-file-name (concat name ".json")
                                (car (toolgate-discover-folders)))))
    (make-directory (file-name-directory file) t)
    (write-region
     (decode-coding-string
      (toolgate-json-encode
       (append more
               `((schema . 1) (instance . ,name) (host . ,(system-name))
                 (url . "http://127.0.0.1:1") (socket . :null) (pid . 1)
                 (token . "secret") (roots . [,root]) (protocol . 1)
                 (started_at . "2026-01-01T00:00:00Z"))))
      'utf-8)
     nil file nil 'quiet)
    (set-file-modes file #o600)
    file))

(defun discover-test-names (folder)
  "Return the names of servers of FOLDER, the closest first."
  (mapcar (lambda (record) (toolgate-get record 'instance))
          (toolgate-discover-candidates folder)))

(ert-deftest toolgate-discover-closest-and-newest ()
  (discover-test-with home
    (let ((project (concat home "project/deep")))
      (make-directory project t)
      (make-symbolic-link project (concat home "link"))
      (discover-test-leave "outer" (directory-file-name home))
      (discover-test-leave "inner" (concat home "project"))
      (discover-test-leave "newer" (concat home "project")
                           '(started_at . "2026-02-01T00:00:00Z"))
      (discover-test-leave "sibling" (concat home "proj"))
      (discover-test-leave "elsewhere" (concat home "project")
                           '(host . "another-machine"))
      (should (equal (discover-test-names project) '("newer" "inner" "outer")))
      (should (equal (discover-test-names (concat home "link"))
                     '("newer" "inner" "outer")))
      (should (equal (discover-test-names "/usr") nil)))))

(ert-deftest toolgate-discover-believes-only-what-is-ours ()
  (discover-test-with home
    (let ((file (discover-test-leave "one" home)))
      (should (equal (discover-test-names home) '("one")))
      (dolist (mode '(#o640 #o604 #o620 #o644))
        (set-file-modes file mode)
        (should-error (toolgate-discover-read file) :type 'toolgate-distrust)
        (should-not (discover-test-names home)))
      (set-file-modes file #o600)
      (make-symbolic-link file (concat (file-name-directory file) "two.json"))
      (should-error (toolgate-discover-read
                     (concat (file-name-directory file) "two.json"))
                    :type 'toolgate-distrust)
      (write-region "{\"schema\":" nil file nil 'quiet)
      (should-error (toolgate-discover-read file) :type 'toolgate-distrust)
      (write-region "{\"schema\":2}" nil file nil 'quiet)
      (should-error (toolgate-discover-read file) :type 'toolgate-distrust))))

(ert-deftest toolgate-discover-folders-by-the-environment ()
  (discover-test-with home
    (let ((usual (concat home ".local/state/toolgate/run")))
      (should (equal (toolgate-discover-folders) (list usual)))
      (setenv "XDG_STATE_HOME" "relative")
      (should (equal (toolgate-discover-folders) (list usual)))
      (setenv "XDG_STATE_HOME" "/state")
      (should (equal (toolgate-discover-folders)
                     (list "/state/toolgate/run" usual)))
      (setenv "TOOLGATE_RUN_DIR" "/run/mine")
      (should (equal (toolgate-discover-folders) (list "/run/mine" usual))))))

(defun discover-test-found (folder)
  "Return the instance of the server that is found for FOLDER, or `none'."
  (let (found)
    (toolgate-discover folder (lambda (record)
                                (setq found (if record
                                                (toolgate-get record 'instance)
                                              'none))))
    (toolgate-test-until found)))

(ert-deftest toolgate-discover-asks-who-is-there ()
  (discover-test-with home
    (let* ((says "true") (protocol 1) (knows "secret")
           (fake (toolgate-fake-start
                  (lambda (fake client request)
                    (toolgate-fake-health fake client request knows
                                          `((instance . ,says)
                                            (protocol . ,protocol)))))))
      (unwind-protect
          (progn
            (discover-test-leave "gone" home
                                 '(started_at . "2026-03-01T00:00:00Z"))
            (discover-test-leave "true" home
                                 `(url . ,(toolgate-fake-url fake)))
            (should (equal (discover-test-found home) "true"))
            (should-not (assoc "authorization"
                               (alist-get 'headers
                                          (car (toolgate-fake-requests fake)))))
            (setq protocol 2)
            (should (eq (discover-test-found home) 'none))
            (setq protocol 1 says "another")
            (should (eq (discover-test-found home) 'none))
            ;; What description of itself, any program may have heard.
            (dolist (other '("another" nil))
              (setq says "true" knows other)
              (should (eq (discover-test-found home) 'none))))
        (toolgate-fake-stop fake)))))

(ert-deftest toolgate-discover-named-by-the-environment ()
  (discover-test-with home
    (let* ((file (concat home "token"))
           (knows "abcdefghijklmnopqrstuvwxyz")
           (fake (toolgate-fake-start
                  (lambda (fake client request)
                    (toolgate-fake-health fake client request knows
                                          '((instance . "1")
                                            (protocol . 1)))))))
      (write-region "abcdefghijklmnopqrstuvwxyz\nmore\n" nil file nil 'quiet)
      (setenv "TOOLGATE_URL" (concat (toolgate-fake-url fake) "/"))
      (should-error (toolgate-discover home #'ignore) :type 'user-error)
      (setenv "TOOLGATE_TOKEN_FILE" file)
      (set-file-modes file #o644)
      (should-error (toolgate-discover home #'ignore) :type 'toolgate-distrust)
      (set-file-modes file #o640)
      (unwind-protect
          (let (found)
            (toolgate-discover home (lambda (record) (setq found record)))
            (toolgate-test-until found)
            (should (equal (list (toolgate-get found 'url)
                                 (toolgate-get found 'token))
                           (list (toolgate-fake-url fake)
                                 "abcdefghijklmnopqrstuvwxyz")))
            (setq knows "another-token-of-another-server" found 'none)
            (toolgate-discover home (lambda (record) (setq found record)))
            (toolgate-test-until (null found))
            (dolist (request (toolgate-fake-requests fake))
              (should-not (assoc "authorization"
                                 (alist-get 'headers request)))))
        (toolgate-fake-stop fake)))))

(ert-deftest toolgate-discover-token-of-auth-source ()
  (discover-test-with home
    (let* ((file (concat home "authinfo"))
           (auth-sources (list file))
           (auth-source-do-cache t)
           (says (lambda (user token)
                   (write-region
                    (format "machine box.test port 7777 login %s password %s\n"
                            user token)
                    nil file nil 'quiet)))
           (found (lambda ()
                    (let (token)
                      (toolgate-discover home (lambda (record)
                                                (setq token (toolgate-get
                                                             record 'token))))
                      token))))
      (setenv "TOOLGATE_URL" "https://box.test:7777/")
      (funcall says "me" "a-secret-that-is-not-for-it")
      (should-error (funcall found) :type 'user-error)
      (funcall says "toolgate" "abcdefghijklmnopqrstuvwxyz")
      (should (equal "abcdefghijklmnopqrstuvwxyz" (funcall found)))
      (funcall says "toolgate" "bbcdefghijklmnopqrstuvwxyz")
      (let ((toolgate-discover-unasked t))
        (should (equal "abcdefghijklmnopqrstuvwxyz" (funcall found)))
        (setenv "TOOLGATE_URL" "https://other.test:7777")
        (should-not (funcall found))
        (setenv "TOOLGATE_URL" "https://box.test:7777/"))
      (should (equal "bbcdefghijklmnopqrstuvwxyz" (funcall found)))
      (funcall says "toolgate" "short")
      (should-error (funcall found) :type 'toolgate-distrust))))

(ert-deftest toolgate-discover-project-root ()
  (discover-test-with home
    (make-directory (concat home "repo/.git") t)
    (make-directory (concat home "repo/src/deep") t)
    (should (equal (toolgate-discover-project (concat home "repo/src/deep/"))
                   (concat home "repo/")))))

(provide 'discover-test)
;;; discover-test.el ends here
