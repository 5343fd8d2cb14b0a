;;; files-test.el --- Tests of buffers whose files change -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'ert)
(require 'autorevert)
(require 'files-world)

(ert-deftest toolgate-files-reverts-and-keeps-point-and-undo ()
  (files-world-with "one\ntwo\nthree\n"
    (search-forward "thr")
    (let ((marker (copy-marker (point))))
      (goto-char (point-min))
      (insert "zero\n")
      (save-buffer)
      (goto-char marker)
      (files-world-change "zero\none\nTWO AND MORE\nthree\n")
      (should (equal (buffer-string) "zero\none\nTWO AND MORE\nthree\n"))
      (should-not (buffer-modified-p))
      (should (looking-back "^thr" (line-beginning-position)))
      (should (= (point) marker))
      (should (verify-visited-file-modtime buffer))
      (primitive-undo 1 (cdr buffer-undo-list))
      (should (string-prefix-p "zero\none\n" (buffer-string))))))

(ert-deftest toolgate-files-keeps-a-narrowing ()
  (files-world-with "one\ntwo\nthree\n"
    (narrow-to-region 5 8)
    (files-world-change "ONE\ntwo\nthree\n")
    (should (equal (buffer-string) "two"))
    (widen)
    (should (equal (buffer-string) "ONE\ntwo\nthree\n"))))

(ert-deftest toolgate-files-leaves-unsaved-work-alone ()
  (files-world-with "one\n"
    (insert "mine ")
    (files-world-change "theirs\n")
    (should (equal (buffer-string) "mine one\n"))
    (should (buffer-modified-p))
    (should toolgate-stale-mode)
    (should (equal toolgate-stale-reason
                   "its file changed, and the buffer has unsaved changes"))
    (set-buffer-modified-p nil)
    (toolgate-revert-stale)
    (should (equal (buffer-string) "theirs\n"))
    (should-not toolgate-stale-mode)))

(ert-deftest toolgate-files-stale-in-every-mode ()
  "A change of mode forgets no mark, and does not tell of it again."
  (dolist (end (list #'save-buffer
                     (lambda () (revert-buffer t t))
                     (lambda () (revert-buffer t t t))))
    (files-world-with "one\n"
      (let ((inhibit-message t) told)
        (insert "mine ")
        (files-world-change "theirs\n")
        (text-mode)
        (should toolgate-stale-mode)
        (cl-letf (((symbol-function 'message)
                   (lambda (&rest words) (push words told))))
          (files-world-change "theirs again\n"))
        (should-not told)
        (cl-letf (((symbol-function 'yes-or-no-p) #'always)
                  ((symbol-function 'ask-user-about-supersession-threat) #'ignore))
          (funcall end))
        (should-not toolgate-stale-mode)
        (should-not toolgate-stale-reason)))))

(ert-deftest toolgate-files-deleted ()
  (files-world-with "one\n"
    (files-world-change nil)
    (should (equal (buffer-string) "one\n"))
    (should (equal toolgate-stale-reason "its file was deleted"))))

(ert-deftest toolgate-files-options ()
  (files-world-with "one\n"
    (let ((toolgate-revert-buffers nil))
      (files-world-change "two\n")
      (should (equal (buffer-string) "one\n"))
      (should-not toolgate-stale-mode))
    (let ((toolgate-revert-buffers 'ask))
      (files-world-change "three\n")
      (should (equal (buffer-string) "one\n"))
      (should toolgate-stale-mode))
    ;; As if on: it would look at the file by itself, at any moment.
    (setq-local auto-revert-mode t)
    (files-world-change "four\n")
    (should (equal (buffer-string) "one\n"))
    (setq-local auto-revert-mode nil)
    (files-world-change "five\n")
    (should (equal (buffer-string) "five\n"))))

(ert-deftest toolgate-files-tells-what-others-changed ()
  "What a call changed that was approved here was told by that decision."
  (files-world-with "one\n"
    (let (told (toolgate-decide--sent '("tc_1"))
               (toolgate-decide--told '(("tc_2" . "Approved: Edit a.txt"))))
      (cl-letf (((symbol-function 'message)
                 (lambda (&rest words) (push (apply #'format words) told))))
        (pcase-dolist (`(,by . ,reverted)
                       '(("tc_1") ("tc_2") ("tc_3" . t) (nil . t)))
          (setq told nil)
          (files-world-change (format "by %s\n" by) nil by)
          (should (equal (buffer-string) (format "by %s\n" by)))
          (should (equal told (and reverted
                                   '("Toolgate: reverted a.txt")))))))))

(ert-deftest toolgate-files-tells-what-is-stale-with-the-decision ()
  "What was decided and that a buffer is stale by that hide neither each other."
  (let ((call '((tool_call_id . "tc_1") (tool . "edit_file")))
        (stale "a.txt is stale: its file changed, and the buffer has unsaved changes")
        toolgate-decide--told toolgate-decide--notes toolgate-decide--approved)
    (pcase-dolist
        (`(,by ,first ,answer ,expected)
         `(("tc_1" answer (((status . "queued")) nil)
            ,(concat "Approved: edit_file; " stale))
           ("tc_1" change (((status . "queued")) nil)
            ,(concat "Approved: edit_file; " stale))
           ("tc_1" change (nil (:status 0 :message "No answer"))
            ,(concat "The decision may not have been applied: No answer; " stale))
           ("tc_2" answer (((status . "queued")) nil)
            ,(concat "Toolgate: " stale))))
      (setq toolgate-decide--told nil)
      (files-world-with "one\n"
        (let* (told
               (toolgate-decide--sent '("tc_1"))
               (change (lambda () (files-world-change "theirs\n" nil by)))
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
  (files-world-with "one\n"
    (let* ((b (concat files-world-folder "b.txt")) told other)
      (write-region "one\n" nil b nil 'quiet)
      (setq other (find-file-noselect b))
      (insert "mine ")
      (dolist (file (list buffer-file-name b))
        (files-world-write "theirs\n" file)
        (set-file-times file (time-add nil 60)))
      (unwind-protect
          (cl-letf (((symbol-function 'message)
                     (lambda (&rest words) (push (apply #'format words) told))))
            (toolgate-connection-run 'toolgate-resync-functions
                                     files-world-connection)
            (toolgate-connection-run 'toolgate-resync-functions
                                     files-world-connection))
        (kill-buffer other))
      (should (equal told '("Toolgate: reverted b.txt; a.txt is stale: its \
file changed, and the buffer has unsaved changes"))))))

(ert-deftest toolgate-files-by-a-link ()
  (files-world-with "one\n"
    (let ((link (make-temp-file "toolgate-link-" t)))
      (delete-directory link)
      (make-symbolic-link (directory-file-name files-world-folder) link)
      (kill-buffer buffer)
      (setq buffer (find-file-noselect (concat link "/a.txt")))
      (set-buffer buffer)
      (files-world-change "two\n")
      (should (equal (buffer-string) "two\n"))
      (delete-file link))))

(ert-deftest toolgate-files-after-a-gap ()
  (files-world-with "one\n"
    (files-world-write "two\n" (concat files-world-folder "a.txt"))
    (set-file-times (concat files-world-folder "a.txt") (time-add nil 60))
    (toolgate-connection-run 'toolgate-resync-functions files-world-connection)
    (should (equal (buffer-string) "two\n"))))

;;;; The mode line

(ert-deftest toolgate-mode-line-counts ()
  (files-world-with "one\n"
    (let ((toolgate-mode-line nil) (updates 0))
      (cl-letf (((symbol-function 'force-mode-line-update)
                 (lambda (&rest _) (cl-incf updates))))
        (toolgate--update-mode-line)
        (setf (toolgate-connection-pending files-world-connection) '("tc_1" "tc_2"))
        (puthash "tc_1" '((tool_call_id . "tc_1"))
                 (toolgate-connection-calls files-world-connection))
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
