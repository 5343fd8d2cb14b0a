;;; approval-test.el --- Asking a person  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'ert)
(require 'cl-lib)
(require 'toolgate-list)
(require 'toolgate-edit)
(require 'toolgate-always)
(require 'toolgate-ediff)
(require 'toolgate-proposal)

(defvar approval-test--requests nil "What was sent, newest first.")
(defvar approval-test--answers nil "Pairs of a path and what it answers.")

(defun approval-test--request (_connection method path &rest keys)
  "Note METHOD, PATH and KEYS, and answer as is arranged."
  (push (list method path (plist-get keys :body)) approval-test--requests)
  (let ((answer (cdr (assoc path approval-test--answers))))
    (cond ((null answer) nil)
          ((keywordp (car answer)) (funcall (plist-get keys :on-error) answer))
          (t (funcall (plist-get keys :on-success) answer)))
    #'ignore))

(defun approval-test-call (id &rest more)
  "Return a call ID that edits a poem; MORE are pairs that come before."
  (append
   more
   (toolgate-json-decode
    (format "{\"status\":\"awaiting_approval\",\"tool_call_id\":%S,
\"tool\":\"edit_file\",\"params\":{\"path\":\"poem.txt\",\"old\":\"violets\",
\"new\":\"tulips\"},\"session_id\":\"song\",\"workspace\":\"default\",
\"client\":\"an-agent\",\"created_at\":\"2026-11-22T20:30:34.067Z\",
\"approval\":{\"level\":\"ask\",\"reason\":\"It changes files.\",
\"matched_rules\":[{\"tier\":\"tool\",\"effect\":\"write\",
\"reason\":\"It changes files.\"}],\"preview\":{\"title\":\"Edit poem.txt\",
\"diff\":\"--- a/poem.txt\\n+++ b/poem.txt\\n@@ -1,2 +1,2 @@\\n roses\\n-violets\\n+tulips\\n\"},
\"digest\":\"digest-of-%s\",\"expires_at\":null,
\"available_decisions\":[\"approve\",\"reject\"],\"always_options\":[
{\"id\":\"path:session\",\"label\":\"Always allow edit_file on poem.txt\",
\"scope\":\"session\",\"rule\":{\"effect\":\"allow\",\"match\":{\"tool\":
\"edit_file\",\"path\":\"poem.txt\"}}}]}}" id id))))

(defun approval-test-strict (id)
  "Return a strict call ID."
  (let ((call (approval-test-call id)))
    (setf (alist-get 'level (alist-get 'approval call)) "strict")
    call))

(defmacro approval-test-with (calls &rest body)
  "Run BODY with a connection at which CALLS wait, and the screen free."
  (declare (indent 1))
  `(let* ((connection (toolgate-connection--make
                       :url "http://127.0.0.1:9" :roots '("/nowhere/ws")))
          (toolgate-connections (list connection))
          (toolgate-decide--sent nil)
          (toolgate-notify-function #'ignore)
          (inhibit-message t)
          (approval-test--requests nil)
          (approval-test--answers nil))
     (cl-letf (((symbol-function 'toolgate-http-request)
                #'approval-test--request)
               ((symbol-function 'toolgate-show--free-p) (lambda () t)))
       (save-window-excursion
         (delete-other-windows)
         (switch-to-buffer "*scratch*")
         (unwind-protect
             (progn
               (dolist (call ,calls) (toolgate-store--pend connection call))
               ,@body)
           (dolist (buffer (buffer-list))
             (when (string-match-p "\\`\\*Agent" (buffer-name buffer))
               (with-current-buffer buffer (set-buffer-modified-p nil))
               (kill-buffer buffer))))))))

(defun approval-test-names ()
  "Return the names of buffers that ask or show what is asked."
  (sort (seq-filter (lambda (name) (string-prefix-p "*Agent" name))
                    (mapcar #'buffer-name (buffer-list)))
        #'string<))

(defmacro approval-test-in (call &rest body)
  "Run BODY in the selected buffer that asks about CALL, its guard over."
  (declare (indent 1))
  `(progn (select-window (display-buffer (toolgate-approval-buffer ,call)))
          (setq toolgate-guard--since 0)
          ,@body))

(ert-deftest toolgate-approval-text ()
  (approval-test-with (list (approval-test-call "tc_1"))
    (with-current-buffer "*Agent Approval*"
      (should (equal (buffer-substring-no-properties (point-min) (point-max))
                     "Edit poem.txt

Tool
  edit_file

Parameters
  path  poem.txt
  old   violets
  new   tulips

Diff
--- a/poem.txt
+++ b/poem.txt
@@ -1,2 +1,2 @@
 roses
-violets
+tulips

Context
  asked because  It changes files.
  rule           tool: write (It changes files.)
  session        song
  sent by        an-agent
  folder         /nowhere/ws
  call           tc_1

Keys
  y approve   n reject   r reject with a reason   a always…
  e edit the params   d whole diff   D ediff   o the file   w copy
  f fold or unfold   ? help   q away, undecided
"))
      (should (equal (substring-no-properties (toolgate-approval--header))
                     " 1 pending · risk medium · y approve  n reject  ? help"))
      (goto-char (point-min))
      (search-forward "+tulips")
      (should (eq 'diff-indicator-added
                  (get-text-property (match-beginning 0) 'face))))))

(ert-deftest toolgate-approval-text-every-byte ()
  "Whatever a param holds is in the buffer, also what is folded."
  (let ((value (concat (make-string 20000 ?x) "\n"
                       (mapconcat #'number-to-string (number-sequence 1 99) "\n")
                       "\n\u202egnp.exe  \n")))
    (with-temp-buffer
      (toolgate-approval-text-insert
       `((tool . "t") (params (content . ,value) (empty . "") (no . :false)
                              (list . [1 2]))))
      (let ((text (buffer-substring-no-properties (point-min) (point-max))))
        (should (string-match-p (regexp-quote value)
                                (replace-regexp-in-string "\\\\\n" "" text)))
        (should (string-match-p (format "102 lines, %d characters in all; f"
                                        (length value))
                                text))
        (should (string-match-p "Holds characters that hide or reorder" text))
        (should (string-match-p "  empty    (empty)\n  no       false\n" text)))
      (goto-char (point-min))
      (search-forward "\n98\n")
      (should (eq 'toolgate-folded (get-text-property (1- (point)) 'invisible))))))

(ert-deftest toolgate-approval-shown-beside ()
  "It appears without taking the focus, and waits while somebody types."
  (approval-test-with nil
    (let ((selected (selected-window)) (free nil))
      (cl-letf (((symbol-function 'toolgate-show--free-p) (lambda () free)))
        (toolgate-store--pend connection (approval-test-call "tc_1"))
        (should-not (get-buffer-window "*Agent Approval*"))
        (toolgate-show--due)
        (should (get-buffer-window "*Agent Approval*"))
        (should (eq selected (selected-window)))
        (should (equal "*scratch*" (buffer-name (window-buffer selected))))
        ;; Another does not take the place of what is being read.
        (setq free t)
        (toolgate-store--pend connection (approval-test-call "tc_2"))
        (should (equal (approval-test-names) '("*Agent Approval*")))))))

(ert-deftest toolgate-approval-display-never ()
  (let ((toolgate-approval-display 'never) (told nil))
    (approval-test-with nil
      (let ((toolgate-notify-function (lambda (&rest texts) (push texts told))))
        (toolgate-store--pend connection (approval-test-call "tc_1")))
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
        (setq toolgate-guard--since 0)
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

(ert-deftest toolgate-approval-always ()
  (approval-test-with (list (approval-test-call "tc_1"))
    (let ((answer "") shown asked sure)
      (cl-letf (((symbol-function 'completing-read)
                 (lambda (_prompt table &optional _ _ _ _ default &rest _)
                   (should-not default)
                   (setq shown (funcall (cdr (assq 'affixation-function
                                                   (cdr (funcall table "" nil
                                                                 'metadata))))
                                        (all-completions "" table)))
                   answer))
                ((symbol-function 'y-or-n-p)
                 (lambda (question) (push question asked) sure)))
        (approval-test-in (approval-test-call "tc_1")
          ;; RET alone chooses nothing.
          (should-error (call-interactively #'toolgate-approval-always)
                        :type 'user-error)
          (setq answer (caar shown))
          (call-interactively #'toolgate-approval-always)
          (should-not approval-test--requests)
          (setq sure t)
          (call-interactively #'toolgate-approval-always)))
      (should (string-match-p
               (regexp-quote "remember {\"effect\":\"allow\",\"match\":{\"tool\":\
\"edit_file\",\"path\":\"poem.txt\"}}")
               (car asked)))
      (should (string-match-p
               (regexp-quote "{\"effect\":\"allow\",\"match\":{\"tool\":\
\"edit_file\",\"path\":\"poem.txt\"}}")
               (nth 2 (car shown))))
      (should (equal approval-test--requests
                     '(("POST" "/calls/tc_1/approve"
                        ((digest . "digest-of-tc_1")
                         (always . "path:session")))))))))

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
        (setq toolgate-guard--since 0)
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
      (toolgate-store--resolve connection "tc_1" '((decision . "rejected")))
      (should (equal (length (approval-test-names)) 1))
      (should (equal "tc_2" (toolgate-get (buffer-local-value
                                           'toolgate-decide-call
                                           (window-buffer window))
                                          'tool_call_id)))
      (toolgate-store--resolve connection "tc_2" '((decision . "approved")))
      (should-not (approval-test-names))
      (should-not (window-live-p window))
      (should (equal "*scratch*" (buffer-name (window-buffer)))))))

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
    (setq toolgate-guard--since 0
          approval-test--requests nil)
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
    (setq toolgate-guard--since 0)
    (toolgate-approval-approve)
    (should (equal (nth 2 (car approval-test--requests))
                   '((digest . "fresh"))))))

(ert-deftest toolgate-approval-list ()
  "The list decides at point by chords, and on marked ones after a question."
  (approval-test-with (list (approval-test-call "tc_1")
                            (approval-test-call "tc_2")
                            (approval-test-strict "tc_3"))
    (toolgate-approvals)
    (setq toolgate-guard--since 0)
    (goto-char (point-min))
    (toolgate-list-approve)
    (forward-line 1)
    (toolgate-list-mark)
    (toolgate-list-mark)
    ;; What comes and goes meanwhile takes no marks away.
    (toolgate-store--resolve connection "tc_1" '((decision . "approved")))
    (should (equal (toolgate-list--marked) '("tc_2" "tc_3")))
    (cl-letf (((symbol-function 'read-multiple-choice)
               (lambda (&rest _) '(?a "approve")))
              ((symbol-function 'yes-or-no-p) (lambda (&rest _) nil)))
      (toolgate-list-decide))
    (should (equal (nreverse (mapcar #'cadr approval-test--requests))
                   '("/calls/tc_1/approve" "/calls/tc_2/approve")))))

(ert-deftest toolgate-approval-proposal ()
  (let ((params '((path . "a.txt") (before . "a\n") (after . "b\n")
                  (diff . "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n")))
        answers)
    (approval-test-with nil
      (cl-flet ((show () (toolgate-diff-show-proposal
                          params "/nowhere/ws/a.txt"
                          (lambda (answer) (push answer answers)))
                  (select-window (get-buffer-window "*Agent Proposal: a.txt*"))
                  (setq toolgate-guard--since 0)))
        (show)
        (toolgate-proposal-accept)
        (show)
        (toolgate-proposal-reject "no")
        (show)
        (toolgate-proposal-edit)
        (insert "more ")
        (toolgate-proposal-edit-accept)
        (funcall (toolgate-diff-show-proposal params "/nowhere" #'ignore))
        (should-not (approval-test-names))
        (should (equal (nreverse answers)
                       '(((decision . "accepted"))
                         ((decision . "rejected") (comment . "no"))
                         ((decision . "accepted") (content . "more b\n")))))))))

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
      (toolgate-store--resolve connection "tc_1" '((decision . "approved")))
      (should-not (get-buffer "poem.txt (before)"))
      (should-not (get-buffer "poem.txt (after)"))
      (should-not (approval-test-names))
      (should (equal "*scratch*" (buffer-name (window-buffer)))))))

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
      (toolgate-store--resolve connection "tc_1" '((decision . "rejected")))
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
      (toolgate-list-approve)
      (should (equal approval-test--requests
                     '(("POST" "/calls/tc_2/approve" ((digest . "other")))))))))

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
              (toolgate-store--pend connection call)
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
      (with-current-buffer (toolgate-ediff--buffer "a" "after" text)
        (should (eq major-mode 'fundamental-mode))
        (kill-buffer))
      (with-current-buffer (toolgate-ediff--buffer "a.pdf" "after" text)
        (should (eq major-mode 'fundamental-mode))
        (kill-buffer))
      (with-current-buffer (toolgate-ediff--buffer "a.py" "after" text)
        (should (eq major-mode 'python-mode))
        (kill-buffer))
      (approval-test-with nil
        (with-current-buffer (toolgate-proposal--buffer
                              `((path . "a.py") (after . ,text)) "/nowhere" #'ignore)
          (toolgate-proposal-edit)
          (should (eq major-mode 'python-mode))
          (set-buffer-modified-p nil)))
      (should-not approval-test--reached))))

(ert-deftest toolgate-approval-large-numbers ()
  "A number that has no end is no reason not to ask."
  (let ((call (approval-test-call "tc_1")))
    (setf (alist-get 'params call)
          (toolgate-json-decode
           "{\"id\":12345678901234567890,\"e\":{},\"l\":[],\"no\":false,\"n\":null}"))
    (approval-test-with (list call)
      (with-current-buffer "*Agent Approval*"
        (should (string-match-p "  id  12345678901234567890\n" (buffer-string)))
        (toolgate-approval-copy)
        (should (equal (current-kill 0)
                       "{\"id\":12345678901234567890,\"e\":{},\"l\":[],\
\"no\":false,\"n\":null}"))
        (toolgate-edit)
        (should (equal (toolgate-json-encode (toolgate-edit--params))
                       (current-kill 0)))
        (goto-char (point-max))
        (delete-char -1)
        (should-error (toolgate-edit--params) :type 'user-error)))))

(ert-deftest toolgate-approval-marks-texts ()
  "No line of a text of others passes for a line of the prompt."
  (with-temp-buffer
    (toolgate-approval-text-insert
     `((tool . "run") (params (command . "ls") (more . "a\nTool\n")
              (long . ,(concat (make-string 8192 ?x) "Tool")))
       (session_id . "song\nTool") (context . "hello\n\nTool\n  harmless")
       (approval (preview (title . "Run") (text . "ls\nTool")
                          (notes . ["b\nTool"])))))
    (goto-char (point-min))
    (let ((marked 0))
      (while (re-search-forward "^Tool$" nil t)
        (if (get-text-property (match-beginning 0) 'toolgate-section)
            (should-not (get-text-property (match-beginning 0) 'line-prefix))
          (setq marked (1+ marked))
          (should (equal "  │ " (get-text-property (match-beginning 0)
                                                  'line-prefix)))))
      (should (= 6 marked)))))

(ert-deftest toolgate-approval-deceptive ()
  "What hides or reorders text is told of and shown; letters and pictures are not."
  (dolist (char '(#xad #x34f #x115f #x180e #x200b #x2028 #x202e #x2066 #x3164
                  #xfe00 #xfeff #xfff9 #xe0001 #xe0041 #xe0100))
    (should (string-match-p toolgate-lines-deceptive (string ?a char)))
    (should (eq 'hex-code (aref (toolgate-lines--as-codes) char))))
  (dotimes (char #x30000)
    (when (eq 'Cf (get-char-code-property char 'general-category))
      (should (string-match-p toolgate-lines-deceptive (string char)))))
  (should-not (string-match-p toolgate-lines-deceptive
                              "azAZ09 -]^\n\täя中ע❤️🦊")))

(ert-deftest toolgate-approval-header-of-diff ()
  "What a title says stands in the header as it is."
  (with-temp-buffer
    (setq toolgate-decide-call
          '((approval (preview (title . "Write \\[delete-file] `q' 5%")))))
    (should (string-prefix-p "Write \\[delete-file] `q' 5%%  C-c C-c approve"
                             (toolgate-diff--header)))))

(ert-deftest toolgate-approval-shown-though-others-fail ()
  (let* ((shown nil)
         (inhibit-message t)
         (toolgate-show--timer (run-with-idle-timer 9999 t #'ignore))
         (toolgate-show--waiting (list (lambda () (setq shown t))
                                       (lambda () (error "No"))))
         (debug-on-error nil))
    (toolgate-show--due)
    (should shown)))

(provide 'approval-test)
;;; approval-test.el ends here
