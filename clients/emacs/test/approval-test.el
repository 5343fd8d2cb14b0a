;;; approval-test.el --- Asking a person  -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'approval-world)
(require 'toolgate-always)
(require 'toolgate-edit)
(require 'toolgate-list)

(ert-deftest toolgate-approval-shown-beside ()
  "It appears without taking the focus, and waits while somebody types."
  (approval-test-with nil
    (let ((selected (selected-window)) (free nil))
      (cl-letf (((symbol-function 'toolgate-show--free-p) (lambda () free)))
        (toolgate-store-pend connection (approval-test-call "tc_1"))
        (should-not (get-buffer-window "*Agent Approval*"))
        (toolgate-show--due)
        (should (get-buffer-window "*Agent Approval*"))
        (should (eq selected (selected-window)))
        (should (equal "*scratch*" (buffer-name (window-buffer selected))))
        ;; Another does not take the place of what is being read.
        (setq free t)
        (toolgate-store-pend connection (approval-test-call "tc_2"))
        (should (equal (approval-test-names) '("*Agent Approval*")))))))

(ert-deftest toolgate-approval-buffers-are-told-apart ()
  "Several have names that tell which is which."
  (approval-test-with (mapcar #'approval-test-call '("tc_1234" "tc_5678"))
    (dolist (id '("tc_1234" "tc_5678"))
      (toolgate-approval-buffer (toolgate-store-call id))
      (toolgate-diff-buffer (toolgate-store-call id)))
    (should (equal (approval-test-names)
                   '("*Agent Approval 5678*" "*Agent Approval*"
                     "*Agent Diff: Edit poem.txt 5678*"
                     "*Agent Diff: Edit poem.txt*")))))

(ert-deftest toolgate-approval-display-never ()
  (let ((toolgate-approval-display 'never) (told nil))
    (approval-test-with nil
      (let ((toolgate-notify-function (lambda (&rest texts) (push texts told))))
        (toolgate-store-pend connection (approval-test-call "tc_1")))
      (should (equal told '(("Approval needed" "Edit poem.txt"))))
      (should-not (approval-test-names)))))

(ert-deftest toolgate-approval-guard ()
  "Keys are dead after the prompt got the focus, and after it changed."
  (let ((toolgate-key-guard-seconds 1000))
    (approval-test-with (list (approval-test-call "tc_1"))
      (approval-test-in (approval-test-call "tc_1")
        (dolist (command '(toolgate-approval-approve toolgate-approval-reject
                           toolgate-approval-reject-because
                           toolgate-approval-always))
          (toolgate-guard-renew)
          (should-error (call-interactively command) :type 'user-error)
          ;; Keys that are ahead of redisplay are too early as well.
          (setq toolgate-guard--since nil)
          (should-error (call-interactively command) :type 'user-error))
        (should-not approval-test--requests)
        (setq toolgate-guard--since 0)
        (toolgate-store-renew connection
                              (approval-test-call "tc_1" '(agent . "other")))
        (setq toolgate-guard--since 0)
        (let ((changed (approval-test-call "tc_1")))
          (setf (alist-get 'digest (alist-get 'approval changed)) "other")
          (toolgate-store-renew connection changed))
        (should-error (call-interactively #'toolgate-approval-approve)
                      :type 'user-error)
        (approval-test-look)
        (call-interactively #'toolgate-approval-approve)
        (should (equal approval-test--requests
                       '(("POST" "/calls/tc_1/approve"
                          ((digest . "other"))))))))))

(ert-deftest toolgate-approval-keys ()
  "RET and SPC never decide; the decisions are where they should be."
  (should-not (seq-some (lambda (key)
                          (memq (lookup-key toolgate-approval-mode-map (kbd key))
                                '(toolgate-approval-approve
                                  toolgate-approval-reject)))
                        '("RET" "SPC" "C-g" "q")))
  (dolist (map (list toolgate-diff-mode-map toolgate-list-mode-map))
    (dolist (key '("y" "n" "a"))
      (should-not (string-match-p
                   "approve\\|reject"
                   (format "%s" (lookup-key map (kbd key))))))))

(ert-deftest toolgate-approval-decisions ()
  "What is sent names what was shown."
  (approval-test-with (mapcar #'approval-test-call '("tc_1" "tc_2" "tc_3"))
    (approval-test-in (approval-test-call "tc_1") (toolgate-approval-approve))
    (approval-test-in (approval-test-call "tc_1") (toolgate-approval-approve))
    (approval-test-in (approval-test-call "tc_2") (toolgate-approval-reject))
    (cl-letf (((symbol-function 'read-string) (lambda (&rest _) "not today")))
      (approval-test-in (approval-test-call "tc_3")
        (toolgate-approval-reject-because)))
    (should (equal (nreverse (mapcar #'cdr approval-test--requests))
                   `(("/calls/tc_1/approve" ((digest . "digest-of-tc_1")))
                     ("/calls/tc_2/reject" ,(nth 2 (nth 1 approval-test--requests)))
                     ("/calls/tc_3/reject" ((reason . "not today"))))))))

(defun approval-test-comments ()
  "Return the shown comments: the line above each, and its text."
  (mapcar (lambda (overlay)
            (save-excursion
              (goto-char (1- (overlay-start overlay)))
              (cons (buffer-substring-no-properties (line-beginning-position)
                                                    (line-end-position))
                    (substring-no-properties
                     (overlay-get overlay 'before-string)))))
          (sort (seq-filter (lambda (overlay)
                              (overlay-get overlay 'toolgate-comment))
                            (overlays-in (point-min) (point-max)))
                (lambda (a b) (< (overlay-start a) (overlay-start b))))))

(ert-deftest toolgate-approval-comments ()
  "Comments on lines of the diff are sent with a rejection, and only with that."
  (approval-test-with (list (approval-test-call "tc_1"))
    (let (typed messages initial)
      (cl-letf (((symbol-function 'read-string)
                 (lambda (_prompt &optional before &rest _)
                   (setq initial before)
                   typed))
                ((symbol-function 'toolgate-message)
                 (lambda (&rest text) (push (apply #'format text) messages))))
        (approval-test-in (approval-test-call "tc_1")
          (let ((on (lambda (line text)
                      (setq typed text initial nil)
                      (goto-char (point-min))
                      (re-search-forward line)
                      (call-interactively
                       (lookup-key (current-local-map) (kbd "c"))))))
            (should-error (funcall on "^Request" "x") :type 'user-error)
            (should-error (funcall on "^@@" "x") :type 'user-error)
            (funcall on "^-violets" "Keep these.")
            (funcall on "^\\+tulips" "No.")
            (funcall on "^\\+tulips" "Daisies!")
            (should (equal initial "No."))
            (funcall on "^ roses" "?")
            (should-error (funcall on "^ roses" (make-string 2001 ?x))
                          :type 'user-error)
            (should (equal (approval-test-comments)
                           '((" roses" . "  » ?\n")
                             ("-violets" . "  » Keep these.\n")
                             ("+tulips" . "  » Daisies!\n"))))
            (should (string-search "3 comments" (toolgate-approval--header)))
            ;; The diff buffer shows the same, and has the same key.
            (with-current-buffer (toolgate-diff-buffer toolgate-decide-call)
              (should (equal (length (approval-test-comments)) 3))
              (funcall on "^ roses" ""))
            (should (equal (length (approval-test-comments)) 2))
            (dolist (command '(toolgate-approval-approve
                               toolgate-approval-always))
              (should (string-prefix-p
                       "Not approved: 2 comments"
                       (cadr (should-error (call-interactively command)
                                           :type 'user-error)))))
            (let ((changed (approval-test-call "tc_1")))
              (setf (alist-get 'digest (alist-get 'approval changed)) "other"
                    (alist-get 'diff (alist-get 'preview (alist-get 'approval changed)))
                    "--- a/poem.txt\n+++ b/poem.txt\n@@ -2 +1,0 @@\n-violets\n")
              (toolgate-store-renew connection changed))
            (should (string-search "(1 comment dropped" (car messages)))
            (should (equal (approval-test-comments)
                           '(("-violets" . "  » Keep these.\n"))))
            (approval-test-look)
            (toolgate-approval-reject)
            (should (equal approval-test--requests
                           '(("POST" "/calls/tc_1/reject"
                              ((comments . [((path . "poem.txt") (line . 2)
                                             (side . "old")
                                             (text . "Keep these."))])))))))))
      (toolgate-store-resolve connection "tc_1" "reject")
      (should-not toolgate-comment--all))))

(ert-deftest toolgate-approval-cut ()
  "All of a preview is shown that is cut in the call, and approved by its digest."
  (let ((call (approval-test-call "tc_1")))
    (setf (alist-get 'cut (alist-get 'preview (alist-get 'approval call))) t)
    (approval-test-with nil
      (setq approval-test--answers
            '(("/calls/tc_1/preview"
               (whole_digest . "digest-of-all")
               (preview (title . "Edit poem.txt") (diff . "+all of it\n")))))
      (toolgate-store-pend connection call)
      (approval-test-in call
        (should (string-match-p "^ *\\+all of it$" (buffer-string)))
        (should-not (string-match-p "violets$" (toolgate-get toolgate-decide-call
                                                             'approval 'preview 'diff)))
        (toolgate-approval-approve))
      (should (equal (cdar approval-test--requests)
                     '("/calls/tc_1/approve"
                       ((digest . "digest-of-tc_1")
                        (whole_digest . "digest-of-all"))))))))

(ert-deftest toolgate-approval-always ()
  (approval-test-with (list (approval-test-call "tc_1"))
    (let ((answer "") (limits "never") shown asked sure)
      (cl-letf (((symbol-function 'completing-read)
                 (lambda (_prompt table &optional _ _ _ _ default &rest _)
                   (should-not default)
                   (setq shown (funcall (cdr (assq 'affixation-function
                                                   (cdr (funcall table "" nil
                                                                 'metadata))))
                                        (all-completions "" table)))
                   answer))
                ((symbol-function 'read-string) (lambda (&rest _) limits))
                ((symbol-function 'y-or-n-p)
                 (lambda (question) (push question asked) sure)))
        (approval-test-in (approval-test-call "tc_1")
          ;; RET alone chooses nothing.
          (should-error (call-interactively #'toolgate-approval-always)
                        :type 'user-error)
          (setq answer (caar shown))
          (should-error (call-interactively #'toolgate-approval-always)
                        :type 'user-error)
          (should-not asked)
          (setq limits "2h, 10 uses SESSION")
          (call-interactively #'toolgate-approval-always)
          (should-not approval-test--requests)
          (setq sure t)
          (call-interactively #'toolgate-approval-always)))
      (should (string-match-p
               (regexp-quote "rule {\"effect\":\"allow\",\"match\":{\"tool\":\
\"edit_file\",\"path\":\"poem.txt\"}}")
               (car asked)))
      (should (string-match-p
               (regexp-quote "{\"effect\":\"allow\",\"match\":{\"tool\":\
\"edit_file\",\"path\":\"poem.txt\"}}")
               (nth 2 (car shown))))
      (should (equal approval-test--requests
                     '(("POST" "/calls/tc_1/approve"
                        ((digest . "digest-of-tc_1")
                         (always . "path:session")
                         (always_limits (scope . "session") (uses . 10)
                                        (for . "2h")))))))
      (should-not (toolgate-always--parse-limits " ")))))

(ert-deftest toolgate-approval-strict ()
  "A strict call asks once more, and C-g there decides nothing."
  (approval-test-with (list (approval-test-strict "tc_1"))
    (let ((say nil))
      (cl-letf (((symbol-function 'yes-or-no-p) (lambda (&rest _) say)))
        (approval-test-in (approval-test-call "tc_1")
          (toolgate-approval-approve)
          (should-not approval-test--requests)
          (setq say t)
          (toolgate-approval-approve))))
    (should (equal approval-test--requests
                   '(("POST" "/calls/tc_1/approve"
                      ((digest . "digest-of-tc_1") (confirm . t))))))))

(ert-deftest toolgate-approval-displayed ()
  "What was not displayed is not approved, by no key; the middle counts as well."
  (approval-test-with (list (approval-test-call "tc_1"))
    (select-window (display-buffer "*Agent Approval*"))
    (let* ((call toolgate-decide-call)
           (prompt (current-buffer))
           (diff (toolgate-diff-buffer call))
           (middle (progn (goto-char (point-min))
                          (search-forward "-violets\n")))
           (approve (lambda ()
                      (setq toolgate-guard--since 0)
                      (call-interactively (if (derived-mode-p 'toolgate-diff-mode)
                                              #'toolgate-diff-approve
                                            #'toolgate-approval-approve)))))
      (toolgate-displayed-add (point-min) (- middle 9))
      (toolgate-displayed-add middle (point-max))
      (should (equal (toolgate-displayed-summary)
                     "1 line not displayed yet, next in poem.txt"))
      (should (equal (cadr (should-error (funcall approve) :type 'user-error))
                     "Not approved: 1 line not displayed yet, next in poem.txt \
(SPC shows the next part)"))
      (should-error (call-interactively #'toolgate-approval-always)
                    :type 'user-error)
      (toolgate-displayed-page)
      (should (looking-at-p "-violets\n"))
      (should (= (window-start) (point)))
      ;; In the diff it is the same text: displayed there, it is displayed.
      (switch-to-buffer diff)
      (should-error (funcall approve) :type 'user-error)
      (should (eq diff (current-buffer)))
      (toolgate-displayed-add (point-min) (point-max))
      (should (toolgate-approval-displayed-p call))
      (should-not approval-test--requests)
      (funcall approve)
      (should (equal approval-test--requests
                     '(("POST" "/calls/tc_1/approve"
                        ((digest . "digest-of-tc_1"))))))
      ;; What is not in the diff is in the prompt: that is where one goes.
      (setq toolgate-decide--sent nil)
      (with-current-buffer prompt (toolgate-approval--render))
      (should-error (funcall approve) :type 'user-error)
      (set-buffer (window-buffer))
      (should (eq prompt (current-buffer)))
      ;; What is hidden is not displayed.
      (approval-test-look)
      (should-not (toolgate-displayed-missing))
      (toolgate-approval--render)
      (let ((inhibit-read-only t))
        (put-text-property (- middle 9) middle 'invisible 'toolgate-folded))
      (approval-test-look)
      (should (= (- middle 9) (toolgate-displayed-missing))))))

(ert-deftest toolgate-approval-displayed-since ()
  "A line that is added to what was displayed must be displayed as well."
  (approval-test-with (list (approval-test-call "tc_1"))
    (approval-test-in (approval-test-call "tc_1")
      (toolgate-approval--show-overtaken "tc_1" "poem.txt")
      (should (string-prefix-p "1 line not" (toolgate-displayed-summary)))
      (approval-test-look)
      (toolgate-approval-approve)
      (should approval-test--requests))))

(ert-deftest toolgate-approval-no-vote ()
  "Putting it away and killing it decide nothing."
  (approval-test-with (list (approval-test-call "tc_1"))
    (approval-test-in (approval-test-call "tc_1") (quit-window))
    (kill-buffer "*Agent Approval*")
    (should-not approval-test--requests)
    (should (toolgate-store-pending-p "tc_1"))))

(ert-deftest toolgate-approval-preview-changed ()
  "What is no longer so is shown anew, and nothing is decided."
  (approval-test-with (list (approval-test-call "tc_1"))
    (let ((fresh (toolgate-get (approval-test-call "tc_1") 'approval)))
      (setf (alist-get 'digest fresh) "fresh"
            (alist-get 'diff (alist-get 'preview fresh)) "+lilies\n")
      (setq approval-test--answers
            `(("/calls/tc_1/approve"
               :status 409 :code "PREVIEW_CHANGED" :message "It has changed."
               :details ((approval . ,fresh)))))
      (approval-test-in (approval-test-call "tc_1")
        (toolgate-approval-approve)
        (should (string-match-p "^\\+lilies$" (buffer-string)))
        (should-error (toolgate-approval-approve) :type 'user-error)
        (approval-test-look)
        (toolgate-approval-approve)
        (should (equal (nth 2 (car approval-test--requests))
                       '((digest . "fresh"))))))))

(ert-deftest toolgate-approval-decided-elsewhere ()
  "Once it is decided all goes that was shown for it, and the next comes."
  (approval-test-with (mapcar #'approval-test-call '("tc_1" "tc_2"))
    (let ((window (get-buffer-window "*Agent Approval*")))
      (toolgate-diff-buffer (approval-test-call "tc_1"))
      (let ((here (selected-window)))
        (approval-test-in (approval-test-call "tc_1") (toolgate-edit))
        (select-window here)
        (switch-to-buffer "*scratch*"))
      (toolgate-store-resolve connection "tc_1" '((decision . "rejected")))
      (should (equal (length (approval-test-names)) 1))
      (should (equal "tc_2" (toolgate-get (buffer-local-value
                                           'toolgate-decide-call
                                           (window-buffer window))
                                          'tool_call_id)))
      (toolgate-store-resolve connection "tc_2" '((decision . "approved")))
      (should-not (approval-test-names))
      (should-not (window-live-p window))
      (should (equal "*scratch*" (buffer-name (window-buffer)))))))

(ert-deftest toolgate-approval-edited-for-the-client ()
  "The dry run of edited params is one of the executor of the call."
  (approval-test-with (list (approval-test-call "tc_1"))
    (setq approval-test--requests nil
          approval-test--answers '(("/calls" (verdict (decision . "ask")) (digest . "dry"))))
    (toolgate-decide-dry-run
     (append (approval-test-call "tc_1") '((executor . "client")))
     '((path . "a.txt")) #'ignore)
    (should (equal "client" (toolgate-get (nth 2 (car approval-test--requests)) 'executor)))))

(ert-deftest toolgate-approval-edited ()
  "Edited params are shown as what they would do, and then approved."
  (approval-test-with (list (approval-test-call "tc_1"))
    (approval-test-in (approval-test-call "tc_1") (toolgate-edit))
    (should (equal (buffer-string) "{
  \"path\": \"poem.txt\",
  \"old\": \"violets\",
  \"new\": \"tulips\"
}"))
    (insert "nonsense")
    (should-error (toolgate-edit-done) :type 'user-error)
    ;; Another mode changes nothing of what is edited, also where it is gone to
    ;; from the prompt.
    (text-mode)
    (should (eq (key-binding (kbd "C-c C-c")) #'toolgate-edit-done))
    (let ((text (buffer-string)))
      (approval-test-in (approval-test-call "tc_1") (toolgate-edit))
      (should (equal text (buffer-string))))
    (delete-region (point-min) (point-max))
    (insert "{\"path\": 3}")
    (setq approval-test--answers
          '(("/calls" :status 400 :code "INVALID_PARAMS" :message "Wrong."
             :errors [((pointer . "/params/path") (message . "must be string"))])))
    (toolgate-edit-done)
    (should (looking-at-p "3}"))
    (delete-region (point-min) (point-max))
    (insert "{\"path\": \"a.txt\"}")
    (setq approval-test--answers
          '(("/calls" (verdict (decision . "ask")) (digest . "dry")
             (preview (title . "Edit a.txt") (diff . "+lilies\n")))))
    (toolgate-edit-done)
    (should (equal "*Agent Approval*" (buffer-name (window-buffer))))
    (set-buffer (window-buffer))
    (should (string-match-p "Parameters, edited by you\n  path  a.txt\n"
                            (buffer-string)))
    (approval-test-look)
    (setq approval-test--requests nil)
    (toolgate-approval-approve)
    (should (equal (mapcar #'cdr approval-test--requests)
                   '(("/calls/tc_1/approve"
                      ((digest . "digest-of-tc_1")
                       (modified_params (path . "a.txt"))
                       (modified_digest . "dry"))))))
    ;; They would do something else by now: that is shown, and asked anew.
    (let ((fresh (toolgate-get (approval-test-call "tc_1") 'approval)))
      (setf (alist-get 'digest fresh) "fresh"
            (alist-get 'diff (alist-get 'preview fresh)) "+asters\n")
      (setq toolgate-decide--sent nil
            approval-test--answers
            `(("/calls/tc_1/approve"
               :status 409 :code "PREVIEW_CHANGED" :message "It has changed."
               :details ((approval . ,fresh))))))
    (toolgate-approval-approve)
    (should (string-match-p "Parameters\n  path  a.txt\n" (buffer-string)))
    (should (string-match-p "^\\+asters$" (buffer-string)))
    (should-error (toolgate-approval-approve) :type 'user-error)
    (approval-test-look)
    (toolgate-approval-approve)
    (should (equal (nth 2 (car approval-test--requests))
                   '((digest . "fresh"))))))

(ert-deftest toolgate-approval-place-stays-here ()
  "No name that an agent chose is looked for on another machine."
  (let* ((root (file-name-as-directory
                (file-truename (make-temp-file "toolgate-place" t))))
         (asked nil)
         (file-name-handler-alist
          `(("\\`/elsewhere:" . ,(lambda (operation &rest arguments)
                                   (if (eq operation 'file-remote-p) t
                                     (push operation asked)
                                     (let ((file-name-handler-alist nil))
                                       (apply operation arguments)))))))
         (place (lambda (params)
                  (cons (toolgate-place-of params) (toolgate-place-files params)))))
    (unwind-protect
        (approval-test-with nil
          (setf (toolgate-connection-roots connection) (list root))
          (write-region "gitdir: /elsewhere:git\n" nil (concat root ".git"))
          (dolist (name '("/elsewhere:/x" "~root/x" "../x" "/etc/passwd"))
            (let ((call (approval-test-call
                         "tc_1" `(params (path . ,name) (cwd . ,name)))))
              (setf (alist-get 'approval call) nil)
              (toolgate-store-pend connection call)
              (should (equal (funcall place call)
                             '((:folder nil :branch nil :unsaved nil))))
              (should-error (with-current-buffer (toolgate-approval-buffer call)
                              (toolgate-approval-visit))
                            :type 'user-error)
              (kill-buffer "*Agent Approval*")))
          (should (equal (funcall place (approval-test-call
                                         "tc_1" '(params (path . "a") (cwd . "b"))))
                         `((:folder ,(concat root "b") :branch nil :unsaved nil)
                           ,(concat root "a") ,(concat root "poem.txt"))))
          (should-not asked))
      (delete-directory root t))))

(ert-deftest toolgate-approval-shown-though-others-fail ()
  (let* ((shown nil)
         (inhibit-message t)
         (toolgate-show--timer (run-with-idle-timer 9999 t #'ignore))
         (toolgate-show--waiting (list (lambda () (setq shown t))
                                       (lambda () (error "No"))))
         (debug-on-error nil))
    (toolgate-show--due)
    (should shown)))

(defmacro approval-test-told (&rest body)
  "Return what a person is told while BODY runs, in order."
  `(let (told)
     (cl-letf (((symbol-function 'toolgate-message)
                (lambda (&rest words) (push (apply #'format words) told))))
       ,@body)
     (nreverse told)))

(defun approval-test-answer (answer)
  "Return what is told when y is answered by ANSWER."
  (approval-test-with (list (approval-test-call "tc_1"))
    (setq approval-test--answers `(("/calls/tc_1/approve" ,@answer)))
    (approval-test-told
     (approval-test-in (approval-test-call "tc_1") (toolgate-approval-approve)))))

(ert-deftest toolgate-approval-tells-what-became-of-it ()
  "An approval is told as what it led to, not as what was wanted."
  (pcase-dolist
      (`(,told . ,answer)
       '(("Approved: Edit poem.txt" (status . "queued"))
         ("Failed: Edit poem.txt (violets is not in poem.txt)"
          (status . "error") (error (message . "violets is not\nin poem.txt")))
         ("Cancelled: Edit poem.txt (Not wanted)"
          (status . "cancelled") (reason . "Not wanted"))
         ("Not decided: The call was rejected by curl."
          :status 409 :code "CONFLICT" :message "The call was rejected by curl.")
         ("The decision may not have been applied: No response from http://x"
          :status 0 :code "NO_ANSWER" :message "No response from http://x")))
    (should (equal (list told) (approval-test-answer answer)))))

(ert-deftest toolgate-approval-tells-what-fails-later ()
  "What was approved here and fails is told, whichever comes first."
  (let ((ended '((seq . 9) (type . "tool.result") (tool_call_id . "tc_1")
                 (status . "error") (error (message . "It broke")))))
    (dolist (event-first '(nil t))
      (approval-test-with (list (approval-test-call "tc_1"))
        (let* ((call (approval-test-call "tc_1"))
               (toolgate-decide--approved nil)
               (toolgate-decide--told nil)
               (take (lambda () (toolgate-take-events connection
                                                     `((100 . ,ended)))))
               (answer (lambda () (toolgate-decide--answered
                                   call '((status . "queued")) nil))))
          (setq toolgate-decide--sent '("tc_1"))
          (should (equal (approval-test-told
                          (mapc #'funcall (if event-first (list take answer)
                                            (list answer take))))
                         `(,@(unless event-first '("Approved: Edit poem.txt"))
                           "Failed: Edit poem.txt (It broke)"))))))))

(ert-deftest toolgate-outcome ()
  "What was approved here is followed by its outcome, and that by the next call."
  (approval-test-with (mapcar #'approval-test-call '("tc_1" "tc_2"))
    (setq approval-test--answers
          `(("/calls/tc_1/approve" (status . "queued"))
            ("/calls/tc_1" (status . "running") (tool_call_id . "tc_1"))))
    (approval-test-in (approval-test-call "tc_1") (toolgate-approval-approve))
    (toolgate-store-resolve connection "tc_1" '((decision . "approved")))
    (set-buffer (window-buffer))
    (should (equal "*Agent Outcome*" (buffer-name)))
    (should (string-match-p "^status     running$" (buffer-string)))
    (setq approval-test--answers
          `(("/calls/tc_1"
             (status . "success") (tool_call_id . "tc_1")
             (result (title . "Ran\nit") (data (exit_code . 3))
                     (content . ,(mapconcat #'number-to-string
                                            (number-sequence 1 22) "\n")))
             (changes . [((operation . "modified") (path . "poem.txt"))]))))
    (toolgate-connection-run 'toolgate-event-functions connection
                             '((type . "tool.result") (tool_call_id . "tc_2")
                               (status . "success")))
    (should (string-match-p "running" (buffer-string)))
    (toolgate-connection-run 'toolgate-event-functions connection
                             '((type . "tool.result") (tool_call_id . "tc_1")
                               (status . "success")))
    (should (equal (buffer-substring-no-properties (point-min) (point-max))
                   (format "Ran it

status     success
exit code  3
modified   poem.txt

To preview the undo of this call, press u.

%s
… 2 more lines: toolgate show tc_1\n"
                           (mapconcat #'number-to-string (number-sequence 1 20)
                                      "\n"))))
    (toolgate-outcome-next)
    (should (equal "tc_2" (toolgate-get (buffer-local-value
                                         'toolgate-decide-call (window-buffer))
                                        'tool_call_id)))))

(ert-deftest toolgate-approval-overtaken ()
  "That a file has changed since is seen before one decides."
  (let ((change (lambda (seq path)
                  `((100 (seq . ,seq) (type . "file.changed") (path . ,path)
                         (workspace . "default") (by . "external")))))
        (line "! poem.txt has changed since: if the effect differs, approving only \
shows the new preview.\n"))
    (approval-test-with (mapcar #'approval-test-call '("tc_1" "tc_2"))
      (approval-test-in (approval-test-call "tc_1")
        (search-forward "+tulips")
        (toolgate-take-events connection (funcall change 3 "other.txt"))
        (should-not (string-match-p "poem.txt has changed since" (buffer-string)))
        (toolgate-take-events connection (funcall change 4 "poem.txt"))
        (toolgate-take-events connection (funcall change 5 "poem.txt"))
        (should (looking-back "\\+tulips" (line-beginning-position)))
        (should (string-prefix-p (concat "Edit poem.txt\n" line "\nRequest")
                                 (buffer-string)))
        (should (string-match-p "ask · mode ask · file changed ·"
                                (toolgate-approval--header)))
        (should-error (toolgate-approval-approve) :type 'user-error)
        ;; One that is shown later tells it as well; what is shown anew does not.
        (with-current-buffer (toolgate-approval-buffer
                              (toolgate-store-call "tc_2"))
          (should (string-match-p (regexp-quote line) (buffer-string))))
        (let ((fresh (approval-test-call "tc_1")))
          (setf (alist-get 'digest (alist-get 'approval fresh)) "fresh")
          (toolgate-store-renew connection fresh))
        (should-not (string-match-p "poem.txt has changed since" (buffer-string)))
        (should (string-match-p "! The preview has changed since it was first"
                                (buffer-string)))))))

(provide 'approval-test)
;;; approval-test.el ends here
