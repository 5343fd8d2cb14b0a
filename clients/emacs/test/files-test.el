;;; files-test.el --- Tests of buffers and their files -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'ert)
(require 'autorevert)
(require 'toolgate)
(require 'toolgate-editor)
(require 'toolgate-fake)

(defvar files-test-folder nil "The folder that the test is in.")
(defvar files-test-connection nil "A connection to the server of it.")
(defvar files-test-seq 0 "The newest event.")

(defmacro files-test-with (text &rest body)
  "Run BODY in a buffer that visits a file a.txt with TEXT, which is served."
  (declare (indent 1))
  `(let* ((files-test-folder (file-name-as-directory
                              (file-truename (make-temp-file "toolgate-" t))))
          (files-test-seq 0)
          (files-test-connection
           (toolgate-connection--make
            :url "http://127.0.0.1:1" :client-id "emacs-1" :status 'live
            :roots (list files-test-folder)))
          (toolgate-connections (list files-test-connection))
          (toolgate-event-functions nil)
          (toolgate-resync-functions nil)
          (toolgate-after-file-changed-functions nil)
          (buffer nil))
     (toolgate-files-setup t)
     (unwind-protect
         (progn
           (write-region ,text nil (concat files-test-folder "a.txt") nil 'quiet)
           (setq buffer (find-file-noselect
                         (concat files-test-folder "a.txt")))
           (with-current-buffer buffer
             (setq buffer-undo-list nil)
             ,@body))
       (when (buffer-live-p buffer)
         (with-current-buffer buffer (set-buffer-modified-p nil))
         (kill-buffer buffer))
       (delete-directory files-test-folder t))))

(defun files-test-write (text file)
  "Make TEXT the content of FILE, as another program would."
  (let ((other (concat file ".new")))
    (write-region text nil other nil 'quiet)
    (rename-file other file t)))

(defun files-test-change (text &optional path by)
  "Make TEXT the content of the file at PATH, tell of it, and wait.
Without TEXT the file is deleted.  BY is the id of the call that did it."
  (let* ((path (or path "a.txt"))
         (file (concat files-test-folder path))
         told)
    (if text
        (progn (files-test-write text file)
               ;; Another second, as if time had gone by.
               (set-file-times file (time-add nil 60)))
      (delete-file file))
    (let ((toolgate-after-file-changed-functions
           (cons (lambda (_ files) (setq told files))
                 toolgate-after-file-changed-functions)))
      (toolgate-take-events
       files-test-connection
       `((100 . ((seq . ,(cl-incf files-test-seq)) (type . "file.changed")
                 (path . ,path) (operation . "modified")
                 (by . ,(if by `((tool_call_id . ,by)) "external"))))))
      (toolgate-test-until told))
    (should (equal told (list file)))))

(ert-deftest toolgate-files-reverts-and-keeps-point-and-undo ()
  (files-test-with "one\ntwo\nthree\n"
    (search-forward "thr")
    (let ((marker (copy-marker (point))))
      (goto-char (point-min))
      (insert "zero\n")
      (save-buffer)
      (goto-char marker)
      (files-test-change "zero\none\nTWO AND MORE\nthree\n")
      (should (equal (buffer-string) "zero\none\nTWO AND MORE\nthree\n"))
      (should-not (buffer-modified-p))
      (should (looking-back "^thr" (line-beginning-position)))
      (should (= (point) marker))
      (should (verify-visited-file-modtime buffer))
      (primitive-undo 1 (cdr buffer-undo-list))
      (should (string-prefix-p "zero\none\n" (buffer-string))))))

(ert-deftest toolgate-files-keeps-a-narrowing ()
  (files-test-with "one\ntwo\nthree\n"
    (narrow-to-region 5 8)
    (files-test-change "ONE\ntwo\nthree\n")
    (should (equal (buffer-string) "two"))
    (widen)
    (should (equal (buffer-string) "ONE\ntwo\nthree\n"))))

(ert-deftest toolgate-files-leaves-unsaved-work-alone ()
  (files-test-with "one\n"
    (insert "mine ")
    (files-test-change "theirs\n")
    (should (equal (buffer-string) "mine one\n"))
    (should (buffer-modified-p))
    (should toolgate-stale-mode)
    (should (equal toolgate-stale-reason
                   "its file changed, and it has unsaved changes"))
    (set-buffer-modified-p nil)
    (toolgate-revert-stale)
    (should (equal (buffer-string) "theirs\n"))
    (should-not toolgate-stale-mode)))

(ert-deftest toolgate-files-stale-in-every-mode ()
  "A change of mode forgets no mark, and does not tell of it again."
  (dolist (end (list #'save-buffer
                     (lambda () (revert-buffer t t))
                     (lambda () (revert-buffer t t t))))
    (files-test-with "one\n"
      (let ((inhibit-message t) told)
        (insert "mine ")
        (files-test-change "theirs\n")
        (text-mode)
        (should toolgate-stale-mode)
        (cl-letf (((symbol-function 'message)
                   (lambda (&rest words) (push words told))))
          (files-test-change "theirs again\n"))
        (should-not told)
        (cl-letf (((symbol-function 'yes-or-no-p) #'always)
                  ((symbol-function 'ask-user-about-supersession-threat) #'ignore))
          (funcall end))
        (should-not toolgate-stale-mode)
        (should-not toolgate-stale-reason)))))

(ert-deftest toolgate-files-deleted ()
  (files-test-with "one\n"
    (files-test-change nil)
    (should (equal (buffer-string) "one\n"))
    (should (equal toolgate-stale-reason "its file is gone"))))

(ert-deftest toolgate-files-options ()
  (files-test-with "one\n"
    (let ((toolgate-revert-buffers nil))
      (files-test-change "two\n")
      (should (equal (buffer-string) "one\n"))
      (should-not toolgate-stale-mode))
    (let ((toolgate-revert-buffers 'ask))
      (files-test-change "three\n")
      (should (equal (buffer-string) "one\n"))
      (should toolgate-stale-mode))
    ;; As if on: it would look at the file by itself, at any moment.
    (setq-local auto-revert-mode t)
    (files-test-change "four\n")
    (should (equal (buffer-string) "one\n"))
    (setq-local auto-revert-mode nil)
    (files-test-change "five\n")
    (should (equal (buffer-string) "five\n"))))

(ert-deftest toolgate-files-tells-what-others-changed ()
  "What a call changed that was approved here was told by that decision."
  (files-test-with "one\n"
    (let (told (toolgate-decide--sent '("tc_1"))
               (toolgate-decide--told '(("tc_2" . "Approved: Edit a.txt"))))
      (cl-letf (((symbol-function 'message)
                 (lambda (&rest words) (push (apply #'format words) told))))
        (pcase-dolist (`(,by . ,reverted)
                       '(("tc_1") ("tc_2") ("tc_3" . t) (nil . t)))
          (setq told nil)
          (files-test-change (format "by %s\n" by) nil by)
          (should (equal (buffer-string) (format "by %s\n" by)))
          (should (equal told (and reverted
                                   '("Toolgate: reverted a.txt")))))))))

(ert-deftest toolgate-files-tells-what-is-stale-with-the-decision ()
  "What was decided and that a buffer is stale by that hide neither each other."
  (let ((call '((tool_call_id . "tc_1") (tool . "edit_file")))
        (stale "a.txt is stale: its file changed, and it has unsaved changes")
        toolgate-decide--told toolgate-decide--notes toolgate-decide--approved)
    (pcase-dolist
        (`(,by ,first ,answer ,expected)
         `(("tc_1" answer (((status . "queued")) nil)
            ,(concat "Approved: edit_file; " stale))
           ("tc_1" change (((status . "queued")) nil)
            ,(concat "Approved: edit_file; " stale))
           ("tc_1" change (nil (:status 0 :message "No answer"))
            ,(concat "Perhaps not decided: No answer; " stale))
           ("tc_2" answer (((status . "queued")) nil)
            ,(concat "Toolgate: " stale))))
      (setq toolgate-decide--told nil)
      (files-test-with "one\n"
        (let* (told
               (toolgate-decide--sent '("tc_1"))
               (change (lambda () (files-test-change "theirs\n" nil by)))
               (answer (lambda () (apply #'toolgate-decide--answered call answer))))
          (insert "mine ")
          (cl-letf (((symbol-function 'message)
                     (lambda (&rest words) (push (apply #'format words) told))))
            (mapc #'funcall (if (eq first 'answer) (list answer change)
                              (list change answer)))
            (should (equal expected (car told)))
            (should toolgate-stale-mode)
            (should-not toolgate-decide--notes)))))))

(ert-deftest toolgate-files-tells-of-all-at-once ()
  "That one buffer was reverted does not hide that another is stale."
  (files-test-with "one\n"
    (let* ((b (concat files-test-folder "b.txt")) told other)
      (write-region "one\n" nil b nil 'quiet)
      (setq other (find-file-noselect b))
      (insert "mine ")
      (dolist (file (list buffer-file-name b))
        (files-test-write "theirs\n" file)
        (set-file-times file (time-add nil 60)))
      (unwind-protect
          (cl-letf (((symbol-function 'message)
                     (lambda (&rest words) (push (apply #'format words) told))))
            (toolgate-connection-run 'toolgate-resync-functions
                                     files-test-connection)
            (toolgate-connection-run 'toolgate-resync-functions
                                     files-test-connection))
        (kill-buffer other))
      (should (equal told '("Toolgate: reverted b.txt; a.txt is stale: its \
file changed, and it has unsaved changes"))))))

(ert-deftest toolgate-files-by-a-link ()
  (files-test-with "one\n"
    (let ((link (make-temp-file "toolgate-link-" t)))
      (delete-directory link)
      (make-symbolic-link (directory-file-name files-test-folder) link)
      (kill-buffer buffer)
      (setq buffer (find-file-noselect (concat link "/a.txt")))
      (set-buffer buffer)
      (files-test-change "two\n")
      (should (equal (buffer-string) "two\n"))
      (delete-file link))))

(ert-deftest toolgate-files-after-a-gap ()
  (files-test-with "one\n"
    (files-test-write "two\n" (concat files-test-folder "a.txt"))
    (set-file-times (concat files-test-folder "a.txt") (time-add nil 60))
    (toolgate-connection-run 'toolgate-resync-functions files-test-connection)
    (should (equal (buffer-string) "two\n"))))

;;;; Unsaved buffers

(defvar files-test-server nil "The fake server that is told of buffers.")

(defmacro files-test-telling (text &rest body)
  "Run BODY as `files-test-with' does with TEXT; a server is told of buffers."
  (declare (indent 1))
  `(files-test-with ,text
     (let* ((toolgate-buffers--quiet-seconds 0.05)
            (files-test-server
             (toolgate-fake-start
              (lambda (_ client _)
                (toolgate-fake-json client '((buffers . [])))))))
       (setf (toolgate-endpoint-url files-test-connection)
             (toolgate-fake-url files-test-server))
       (toolgate-buffers-setup t)
       (unwind-protect (progn ,@body)
         (toolgate-buffers-setup nil)
         (toolgate-fake-stop files-test-server)))))

(defun files-test-told ()
  "Return what the server is told next, once it is told, and forget it.
A list of a method, and for PUT of a path and a text, else of the target."
  (toolgate-test-until (and (toolgate-fake-requests files-test-server)
                            (not toolgate-buffers--asking)))
  (let* ((request (car (last (toolgate-fake-requests files-test-server))))
         (buffer (and (alist-get 'body request)
                      (toolgate-get (toolgate-json-decode
                                     (alist-get 'body request))
                                    'buffers 0))))
    (setf (toolgate-fake-requests files-test-server)
          (butlast (toolgate-fake-requests files-test-server)))
    (cons (alist-get 'method request)
          (if buffer (list (toolgate-get buffer 'path)
                           (toolgate-get buffer 'content))
            (list (alist-get 'target request))))))

(defconst files-test-taken-back
  '("DELETE" "/buffers?path=a.txt&client_id=emacs-1")
  "What the server is told of a.txt once it has no unsaved changes.")

(ert-deftest toolgate-buffers-are-told-and-taken-back ()
  (files-test-telling "one\n"
    (insert "é ")
    (narrow-to-region 1 2)
    (should (equal (files-test-told) '("PUT" "a.txt" "é one\n")))
    (goto-char (point-max))
    (insert "and ")
    (should (equal (files-test-told) '("PUT" "a.txt" "éand  one\n")))
    (widen)
    (let ((inhibit-message t)) (save-buffer))
    (should (equal (files-test-told) files-test-taken-back))))

(ert-deftest toolgate-buffers-are-known-in-every-mode ()
  "A change of mode, which reverting is one of, forgets nothing that was told."
  (dolist (end (list (lambda () (revert-buffer t t))
                     (lambda () (fundamental-mode) (revert-buffer t t t))
                     (lambda () (fundamental-mode) (save-buffer))
                     (lambda () (fundamental-mode) (kill-buffer))))
    (files-test-telling "one\n"
      (let ((inhibit-message t))
        (insert "mine ")
        (should (equal (files-test-told) '("PUT" "a.txt" "mine one\n")))
        (cl-letf (((symbol-function 'yes-or-no-p) #'always)) (funcall end))
        (should (equal (files-test-told) files-test-taken-back)))))
  (files-test-telling "one\n"
    (insert "mine ")
    (should (files-test-told))
    (text-mode)
    (insert "and ")
    (should (equal (files-test-told) '("PUT" "a.txt" "mine and one\n")))))

(ert-deftest toolgate-buffers-under-another-name ()
  "What was told under the old name of a file is taken back."
  (files-test-telling "one\n"
    (insert "mine ")
    (should (files-test-told))
    (make-directory (concat files-test-folder "sub"))
    (set-visited-file-name (concat files-test-folder "sub/a.txt") t)
    (should (equal (files-test-told) files-test-taken-back))
    (should (equal (files-test-told) '("PUT" "sub/a.txt" "mine one\n")))
    (set-visited-file-name nil)
    (should (equal (files-test-told)
                   '("DELETE" "/buffers?path=sub%2Fa.txt&client_id=emacs-1")))))

(ert-deftest toolgate-buffers-that-are-cloned ()
  "A buffer that shares its text with another takes back nothing as it goes."
  (files-test-telling "one\n"
    (insert "mine ")
    (should (files-test-told))
    (let ((clone (clone-indirect-buffer nil nil)))
      (should-not (buffer-local-value 'toolgate-buffers--held clone))
      (kill-buffer clone))
    (insert "and ")
    (should (equal (files-test-told) '("PUT" "a.txt" "mine and one\n")))))

(ert-deftest toolgate-buffers-that-are-refused-stay-so ()
  (files-test-telling "one\n"
    (setf (toolgate-fake-answer files-test-server)
          (lambda (_ client _)
            (toolgate-fake-json client '((code . "TOO_LARGE")) 413)))
    (insert "mine ")
    (should (files-test-told))
    (text-mode)
    (should-not (toolgate-buffers--wanted-p))
    (let ((inhibit-message t)) (save-buffer))
    (insert "and ")
    (should (toolgate-buffers--wanted-p))))

(ert-deftest toolgate-buffers-that-are-not-told ()
  (files-test-with "one\n"
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

;;;; What calls ask

(defun files-test-delegate (function params)
  "Have FUNCTION do what a delegation with PARAMS asks; return its answer."
  (let (answer)
    (condition-case problem
        (funcall function files-test-connection `((params . ,params))
                 (lambda (object &optional reason)
                   (setq answer (list (or reason object)))))
      (error (setq answer (list (error-message-string problem)))))
    (car (toolgate-test-until answer))))

(ert-deftest toolgate-editor-shows-a-file-and-leaves-the-focus ()
  (files-test-with "one\ntwo\nthree\n"
    (let ((toolgate-editor--patience 0.01) (selected (selected-window)))
      (should-not (files-test-delegate #'toolgate-editor-open
                                       '((path . "a.txt") (line . 2)
                                         (column . 3))))
      (should (eq selected (selected-window)))
      (should (equal (with-current-buffer buffer
                       (window-point (get-buffer-window buffer)))
                     7))
      (should (equal (files-test-delegate #'toolgate-editor-open
                                          '((path . "../a.txt")))
                     "../a.txt is not in the workspace")))))

(ert-deftest toolgate-editor-changes-a-buffer-unsaved ()
  (files-test-with "one\n"
    (goto-char (point-max))
    (insert "mine")
    (should (equal (files-test-delegate
                    #'toolgate-editor-apply-edit
                    `((path . "a.txt") (content . "ONE\nmine\n")
                      (before_hash . ,(toolgate-editor--hash))))
                   `((content_hash
                      . ,(concat "sha256:" (secure-hash 'sha256 "ONE\nmine\n"))))))
    (should (equal (buffer-string) "ONE\nmine\n"))
    (should (buffer-modified-p))
    (should (equal (files-test-delegate
                    #'toolgate-editor-apply-edit
                    '((path . "a.txt") (content . "x") (before_hash . "sha256:0")))
                   "The buffer was changed meanwhile"))))

(ert-deftest toolgate-editor-tells-diagnostics ()
  (files-test-with "one\ntwo\n"
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
                     (files-test-delegate #'toolgate-editor-diagnostics nil)
                     'diagnostics))
                   '(("a.txt" 1 1 1 4 "error" "bad")
                     ("a.txt" 2 1 2 4 "warning" "odd"))))))

(ert-deftest toolgate-effects-are-done-once-and-answered ()
  (files-test-with "one\n"
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
      (setf (toolgate-endpoint-url files-test-connection)
            (toolgate-fake-url fake))
      (unwind-protect
          (progn
            (toolgate-effects--event files-test-connection event)
            (toolgate-effects--event files-test-connection event)
            (toolgate-effects--event
             files-test-connection
             `((delegation_id . "dg_2") (client_id . "another") ,@event))
            (toolgate-test-until (= closed 1))
            (toolgate-effects--event files-test-connection event)
            (should (= done 1))
            (should (equal answers '(((status . "done")) ((status . "done"))))))
        (toolgate-fake-stop fake)))))

;;;; The mode line

(ert-deftest toolgate-mode-line-counts ()
  (files-test-with "one\n"
    (let ((toolgate-mode-line nil) (updates 0))
      (cl-letf (((symbol-function 'force-mode-line-update)
                 (lambda (&rest _) (cl-incf updates))))
        (toolgate--update-mode-line)
        (setf (toolgate-connection-pending files-test-connection) '("tc_1" "tc_2"))
        (puthash "tc_1" '((tool_call_id . "tc_1"))
                 (toolgate-connection-calls files-test-connection))
        (toolgate--update-mode-line)
        (toolgate--update-mode-line)
        (should (equal (substring-no-properties toolgate-mode-line) " TG:2"))
        (should (= updates 1))
        (should (eq (lookup-key (get-text-property 0 'local-map
                                                   toolgate-mode-line)
                                [mode-line mouse-1])
                    'toolgate-approvals))))))

(provide 'files-test)
;;; files-test.el ends here
