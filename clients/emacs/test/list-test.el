;;; list-test.el --- Deciding in the list of what waits  -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'approval-world)
(require 'toolgate-list)

(defun list-test-look (id)
  "Have the prompt of the call ID displayed whole."
  (with-current-buffer (toolgate-approval-buffer (toolgate-store-call id))
    (approval-test-look)))

(ert-deftest toolgate-list-opens-first ()
  "A row decides nothing on a call that was not displayed: its prompt is opened."
  (approval-test-with (mapcar #'approval-test-call '("tc_1" "tc_2" "tc_3"))
    (toolgate-approvals)
    (setq toolgate-guard--since 0)
    (goto-char (point-min))
    (should-error (toolgate-list-approve) :type 'user-error)
    (set-buffer (window-buffer))
    (should (equal "tc_1" (toolgate-get toolgate-decide-call 'tool_call_id)))
    (should-not approval-test--requests)
    (toolgate-approvals)
    (goto-char (point-min))
    (dotimes (_ 3) (toolgate-list-mark))
    (list-test-look "tc_2")
    (let (asked shown)
      (cl-letf (((symbol-function 'read-multiple-choice)
                 (lambda (question &rest _) (setq asked question) '(?a "approve")))
                ((symbol-function 'toolgate-message)
                 (lambda (&rest words) (setq shown (apply #'format words)))))
        (toolgate-list-decide))
      (should (string-prefix-p "3 marked, 2 not displayed yet: " asked))
      (should (equal shown "Not approved, because these calls were not displayed yet: 2, \
Edit poem.txt; Edit poem.txt")))
    (should (equal approval-test--requests
                   '(("POST" "/calls/tc_2/approve"
                      ((digest . "digest-of-tc_2"))))))
    ;; What it would do now was not displayed.
    (let ((changed (approval-test-call "tc_1")))
      (list-test-look "tc_1")
      (setf (alist-get 'digest (alist-get 'approval changed)) "other")
      (toolgate-store-renew connection changed)
      (should-not (toolgate-approval-displayed-p changed)))))

(ert-deftest toolgate-list-titles ()
  "A title is cut in the middle: how many lines follow is always seen."
  (should (equal (toolgate-faces-shorten "npm test ⏎ touch x (+1 line)" 28)
                 "npm test ⏎ touch x (+1 line)"))
  (should (equal (toolgate-faces-shorten "npm test ⏎ touch a-long-name (+1 line)" 30)
                 "npm test ⏎ touch a-l…(+1 line)"))
  (should (= 21 (string-width (toolgate-faces-shorten (make-string 40 ?中) 22)))))

(ert-deftest toolgate-approval-list ()
  "The list decides at point by chords, and on marked ones after a question."
  (approval-test-with (list (approval-test-call "tc_1")
                            (approval-test-call "tc_2")
                            (approval-test-strict "tc_3"))
    (mapc #'list-test-look '("tc_1" "tc_2" "tc_3"))
    (toolgate-approvals)
    (setq toolgate-guard--since 0)
    (goto-char (point-min))
    (toolgate-list-approve)
    (forward-line 1)
    (toolgate-list-mark)
    (toolgate-list-mark)
    ;; What comes and goes meanwhile takes no marks away.
    (toolgate-store-resolve connection "tc_1" '((decision . "approved")))
    (should (equal (toolgate-list--marked) '("tc_2" "tc_3")))
    (cl-letf (((symbol-function 'read-multiple-choice)
               (lambda (&rest _) '(?a "approve")))
              ((symbol-function 'yes-or-no-p) (lambda (&rest _) nil)))
      (toolgate-list-decide))
    (should (equal (nreverse (mapcar #'cadr approval-test--requests))
                   '("/calls/tc_1/approve" "/calls/tc_2/approve")))))

(ert-deftest toolgate-approval-list-point ()
  "A key in the list never decides on another call than the one that was there."
  (let ((toolgate-key-guard-seconds 1000)
        (second (approval-test-call "tc_2")))
    (approval-test-with (list (approval-test-call "tc_1") second)
      (toolgate-approvals)
      (toolgate-list-mark)
      (should (looking-at-p ".*Edit poem.txt"))
      (goto-char (point-min))
      (setq toolgate-guard--since 0)
      (toolgate-store-resolve connection "tc_1" '((decision . "rejected")))
      (should-error (toolgate-list-approve) :type 'user-error)
      (setq toolgate-guard--since 0)
      (should-error (toolgate-list-approve) :type 'user-error)
      (goto-char (point-min))
      (toolgate-list-mark)
      (goto-char (point-min))
      ;; It stays where it is, but would do something else.
      (setq toolgate-guard--since 0)
      (setq second (copy-tree second))
      (setf (alist-get 'digest (alist-get 'approval second)) "other")
      (toolgate-store-renew connection second)
      (should (equal "tc_2" (tabulated-list-get-id)))
      (should-not (toolgate-list--marked))
      (should-error (toolgate-list-approve) :type 'user-error)
      (should-not approval-test--requests)
      (setq toolgate-guard--since 0)
      (list-test-look "tc_2")
      (toolgate-list-approve)
      (should (equal approval-test--requests
                     '(("POST" "/calls/tc_2/approve" ((digest . "other")))))))))

(ert-deftest toolgate-list-ages-grow ()
  "Ages are true while the list is seen; point, marks and the guard stay."
  (approval-test-with (mapcar #'approval-test-call '("tc_1" "tc_2"))
    (let ((age "9 s"))
      (cl-letf (((symbol-function 'toolgate-faces-age) (lambda (_) age)))
        (toolgate-approvals)
        (forward-line 1)
        (toolgate-list-mark)
        (goto-char (point-min))
        (search-forward "edit_file")
        (setq toolgate-guard--since 0)
        (let ((here (point)) (timer toolgate-age--timer))
          (dolist (grown '("10 s" "23 h 59 min"))
            (setq age grown)
            (timer-event-handler timer)
            (should (equal (list here here)
                           (list (point) (window-point (selected-window)))))
            (should (equal (buffer-substring-no-properties (point-min) (point-max))
                           (concat (format "  %-12s ask     edit_file          \
ask          ws               Edit poem.txt\n" age)
                                   (format "* %-12s ask     edit_file          \
ask          ws               Edit poem.txt\n" age)))))
          (should (equal 0 toolgate-guard--since))
          (should (memq timer timer-list))
          (kill-buffer "*Agent Approvals*")
          (should-not (memq timer timer-list)))))))

(provide 'list-test)
;;; list-test.el ends here
