;;; looking-test.el --- Output, events, and params by their schema  -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'ert)
(require 'cl-lib)
(require 'toolgate-output)
(require 'toolgate-log)
(require 'toolgate-schema)
(require 'toolgate-menu)
(require 'toolgate-call)
(require 'toolgate-undo)
(require 'toolgate-fake)

(ert-deftest toolgate-lines-broken ()
  "Overlong lines are broken, however they come, and nothing is lost."
  (with-temp-buffer
    (dotimes (_ 5) (toolgate-lines-append (make-string 5000 ?x)))
    (toolgate-lines-append "\nend\n")
    (should (equal (concat (make-string 25000 ?x) "\nend\n")
                   (replace-regexp-in-string "\\\\\n" "" (buffer-string))))
    (goto-char (point-min))
    (should (= 8193 (- (line-end-position) (point))))))

(ert-deftest toolgate-output-follows ()
  "Colours are shown, who reads above stays there, and the oldest lines go."
  (with-temp-buffer
    (toolgate-output-mode)
    (cl-letf (((symbol-function 'toolgate-output--read-after) #'ignore))
      (toolgate-output--take '((text . "\e[31mred\e[0m\r\nplain\n")
                               (next_offset . 21)))
      (should (equal (buffer-string) "red\nplain\n"))
      (should (get-text-property (point-min) 'font-lock-face))
      (should (eobp))
      (goto-char (point-min))
      (toolgate-output--take '((text . "more\n") (next_offset . 26)))
      (should (bobp))
      (setq toolgate-output--max 10)
      (toolgate-output--append "the newest\n")
      (should (string-match-p "\\`Earlier output is omitted.*\n" (buffer-string)))
      (toolgate-output--take '((text . "") (next_offset . 26) (ended . t)))
      (should (equal toolgate-output--state "ended")))))

(ert-deftest toolgate-output-buffers ()
  "Each command has one buffer, however often it is asked for."
  (let ((inhibit-message t))
    (save-window-excursion
      (cl-letf (((symbol-function 'toolgate-output--read) #'ignore))
        (dolist (id '("tc_1234" "tc_5678" "tc_1234"))
          (toolgate-output-show id nil "npm\nstart"))
        (let ((names (seq-filter (lambda (name)
                                   (string-prefix-p "*Agent Output" name))
                                 (mapcar #'buffer-name (buffer-list)))))
          (should (equal (sort names #'string<)
                         '("*Agent Output: npm start 5678*"
                           "*Agent Output: npm start*")))
          (mapc #'kill-buffer names))))))

(ert-deftest toolgate-output-in-another-mode ()
  "It is followed there as well, and asked for no more once its buffer goes."
  (let ((inhibit-message t) (asked nil) (given-up 0))
    (save-window-excursion
      (cl-letf (((symbol-function 'toolgate-http-request)
                 (lambda (connection _ path &rest words)
                   (push (list connection path (plist-get words :query)) asked)
                   (lambda () (cl-incf given-up)))))
        (toolgate-output-show "tc_1" 'here "make")
        (with-current-buffer "*Agent Output: make*"
          (text-mode)
          (cl-letf (((symbol-function 'toolgate-output--read-after) #'ignore))
            (toolgate-output--take '((text . "one\n") (next_offset . 4))))
          (toolgate-output--read)
          (should (equal (buffer-string) "one\n"))
          (should (equal (car asked)
                         '(here "/calls/tc_1/output"
                                ((offset . 4) (wait_ms . 20000)))))
          (kill-buffer))
        (should (= given-up 1))))))

(ert-deftest toolgate-log-shows-comments ()
  "The line of a rejection has the comments on lines of the diff."
  (should (string-search
           "rejected not today a.txt:2 (removed line): keep b.txt:1: why?"
           (toolgate-log--line
            '((type . "tool.result") (status . "rejected") (reason . "not today")
              (comments . [((path . "a.txt") (line . 2) (side . "old")
                            (text . "keep"))
                           ((path . "b.txt") (line . 1) (text . "why?"))]))))))

(ert-deftest toolgate-log-in-another-mode ()
  "What was told is not told again by the mode that one goes back to."
  (with-temp-buffer
    (toolgate-log-mode)
    (let ((events '(((seq . 1) (type . "tool.call") (tool . "grep")))))
      (toolgate-log--append events)
      (text-mode)
      (toolgate-log-mode)
      (toolgate-log--append events)
      (should (= 1 (count-lines (point-min) (point-max)))))))

(ert-deftest toolgate-log-appends ()
  "Each event is a line, told once."
  (with-temp-buffer
    (toolgate-log-mode)
    (let ((events '(((seq . 1) (type . "tool.call") (tool . "grep"))
                    ((seq . 2) (type . "file.changed") (operation . "created")
                     (path . "a\nb"))
                    ((seq . 3) (type . "agent.state") (state . "idle"))
                    ((seq . 4) (type . "tool.call") (tool . "edit_file")
                     (approval (preview (title . "Edit a.txt")))
                     (tool_call_id . "tc_1"))
                    ((seq . 5) (type . "tool.decision") (decision . "approved")
                     (by (client . "emacs")) (tool_call_id . "tc_1")))))
      (toolgate-log--append events)
      (toolgate-log--append events)
      (should (equal (substring-no-properties (buffer-string))
                     "         tool.call                grep
         file.changed             created a b
         tool.call                edit_file Edit a.txt tc_1
         tool.decision            approved emacs tc_1\n"))
      (goto-char (point-min))
      (should (equal (car events)
                     (get-text-property (point) 'toolgate-event))))))

(ert-deftest toolgate-undo-of-the-latest ()
  "RET takes back the latest; what has changed since is shown anew."
  (let* ((looks 0) undone
         (calls (vconcat
                 (mapcar (lambda (id)
                           `((tool_call_id . ,id) (tool . "edit_file")
                             (result (title . "a.txt"))
                             (changes . ,(if (equal id "tc_3") []
                                           [((path . "a.txt"))]))
                             (finished_at . "2026-01-01T00:00:00Z")))
                         '("tc_3" "tc_2" "tc_1"))))
         (look (lambda (id)
                 (cl-incf looks)
                 `((available . t) (digest . ,(format "%s-%d" id looks))
                   (files . [((action . "restore") (path . "a.txt")
                              (diff . "-b\n+a\n"))])))))
    (cl-letf (((symbol-function 'toolgate-current-connection) #'ignore)
              ((symbol-function 'completing-read)
               (lambda (_ choices _ _ _ _ default)
                 (should (string-match-p
                          "\\`edit_file a.txt, .* ago  tc_2\\'" default))
                 (should (equal '("tc_2" "tc_1")
                                (mapcar (lambda (choice) (substring choice -4))
                                        (all-completions "" choices))))
                 default))
              ((symbol-function 'toolgate-http-wait)
               (lambda (_ _ path &rest _)
                 (pcase path
                   ("/calls" `((calls . ,calls)))
                   ("/calls/tc_2/undo" (funcall look "tc_2")))))
              ((symbol-function 'toolgate-undo-preview)
               (cl-function
                (lambda (call &key callback &allow-other-keys)
                  (funcall callback
                           (funcall look (toolgate-get call 'tool_call_id))
                           nil))))
              ((symbol-function 'toolgate-undo)
               (cl-function
                (lambda (_ &key digest callback &allow-other-keys)
                  (push digest undone)
                  (if (cdr undone)
                      (funcall callback '((tool_call_id . "tc_9")
                                          (status . "success"))
                               nil)
                    (funcall callback nil '(:code "PREVIEW_CHANGED"
                                            :message "Look again.")))))))
      (save-window-excursion
        (toolgate-undo-call)
        (should (equal "*Agent Undo*" (buffer-name (window-buffer))))
        (should (equal "# restore a.txt\n-b\n+a\n" (buffer-string)))
        (setq toolgate-guard--since 0)
        ;; It is not done before it was displayed.
        (should-error (toolgate-undo-do) :type 'user-error)
        (should-not undone)
        (toolgate-displayed-add (point-min) (point-max))
        (setq toolgate-guard--since 0)
        (toolgate-undo-do)
        (should (equal 2 looks))
        ;; It is shown where it was, and a key that was meant for what was
        ;; there before does nothing.
        (should (equal "*Agent Undo*" (buffer-name (window-buffer))))
        (should (= 1 (length (get-buffer-window-list "*Agent Undo*" nil t))))
        (toolgate-displayed-add (point-min) (point-max))
        (should-error (toolgate-undo-do) :type 'user-error)
        (setq toolgate-guard--since 0)
        (toolgate-undo-do)
        (should-not (get-buffer-window "*Agent Undo*" t)))
      ;; That buffers were reverted by it would hide that it was done.
      (should (toolgate-decide-here-p '((tool_call_id . "tc_9"))))
      (should (equal '("tc_2-2" "tc_2-1") undone)))))

(defun looking-test-undo (answer anew)
  "Do an undo that ANSWER is given to, the arguments of its callback.
ANEW is what is told when it is looked at anew.  Return what a person is told,
and whether they still see what they were shown."
  (let (told)
    (cl-letf (((symbol-function 'toolgate-message)
               (lambda (&rest words) (push (apply #'format words) told)))
              ((symbol-function 'toolgate-undo-preview)
               (cl-function
                (lambda (_ &key callback &allow-other-keys)
                  (apply callback anew))))
              ((symbol-function 'toolgate-undo)
               (cl-function
                (lambda (_ &key callback &allow-other-keys)
                  (apply callback answer)))))
      (save-window-excursion
        (pop-to-buffer
         (toolgate-undo--buffer
          nil '((tool_call_id . "tc_1") (tool . "edit_file")
                (result (title . "a.txt")))
          '((available . t) (digest . "d")
            (files . [((action . "restore") (path . "a.txt")
                       (diff . "-b\n+a\n"))]))))
        (toolgate-displayed-add (point-min) (point-max))
        (setq toolgate-guard--since 0)
        (toolgate-undo-do)
        (prog1 (list (nreverse told)
                     (and (get-buffer-window "*Agent Undo*" t)
                          (with-current-buffer "*Agent Undo*"
                            (buffer-string))))
          (kill-buffer "*Agent Undo*"))))))

(ert-deftest toolgate-undo-tells-what-is-in-the-way ()
  "Only an undo that was done closes what was shown for it."
  (let ((seen "# restore a.txt\n-b\n+a\n")
        (changed '(nil (:code "PREVIEW_CHANGED" :message "Look again."))))
    (should (equal '(("Undone: edit_file a.txt") nil)
                   (looking-test-undo '(((status . "success")) nil) nil)))
    (should (equal `(("Not undone: edit_file a.txt (Nothing was changed.)") ,seen)
                   (looking-test-undo
                    '(((status . "error")
                       (error (message . "Nothing was\nchanged.")))
                      nil)
                    nil)))
    (should (equal `(("No response from http://x") ,seen)
                   (looking-test-undo
                    '(nil (:status 0 :message "No response from http://x")) nil)))
    (should (equal
             `(("Look again."
                "Cannot be undone: A later change conflicts.
a.txt: lines 1 to 2: the same lines were changed later
a.txt: line 9: the same lines were changed later
b.bin: not kept")
               ,seen)
             (looking-test-undo
              changed
              '(((available . :false) (reason . "A later change conflicts.")
                 (files . [((action . "conflict") (path . "a.txt")
                            (conflicts
                             . [((message . "lines 1 to 2: the same lines \
were changed later") (now . "x") (before . "a"))
                                ((message . "line 9: the same lines were \
changed later"))]))
                           ((action . "not_kept") (path . "b.bin")
                            (conflicts . [((message . "not kept"))]))
                           ((action . "restore") (path . "c.txt")
                            (note . "Not in the way."))]))
                nil))))))

(ert-deftest toolgate-commands-ask-at-once ()
  "A command asks before it has returned, and never later."
  (let* (asked
         (fake (toolgate-fake-start
                (lambda (_ client request)
                  (if (equal (alist-get 'target request) "/tools")
                      (run-at-time
                       0.05 nil #'toolgate-fake-json client
                       '((tools . [((name . "grep") (description . "Search.")
                                    (input (properties)))])))
                    (setq asked (cons 'sent asked))))))
         (connection (toolgate-connection--make :url (toolgate-fake-url fake)))
         (toolgate-connections (list connection)))
    (unwind-protect
        (cl-letf (((symbol-function 'completing-read)
                   (lambda (prompt &rest _) (push prompt asked) "grep")))
          (toolgate-call-tool)
          (should (equal asked '("Tool: ")))
          (toolgate-test-until (equal asked '(sent "Tool: "))))
      (toolgate-fake-stop fake))))

(ert-deftest toolgate-commands-can-be-left ()
  "Where the server says nothing, a command that waits is left by \\`C-g'."
  (let* ((fake (toolgate-fake-start
                (lambda (&rest _) (run-at-time 0 nil #'keyboard-quit))))
         (toolgate-connections
          (list (toolgate-connection--make :url (toolgate-fake-url fake)))))
    (unwind-protect
        (should (eq 'quit (condition-case nil (toolgate-call-tool)
                            (quit 'quit))))
      (toolgate-fake-stop fake))))

(ert-deftest toolgate-nothing-asks-by-itself ()
  "What an answer or an event leads to may not ask anything."
  (let* ((fake (toolgate-fake-start
                (lambda (_ client _) (toolgate-fake-json client '((a . 1))))))
         (connection (toolgate-connection--make :url (toolgate-fake-url fake)))
         (told nil)
         (ask (lambda (&rest _)
                (push (condition-case problem (read-from-minibuffer "Who? ")
                        (error (car problem)))
                      told)))
         (toolgate-event-functions (list ask)))
    (unwind-protect
        (progn
          (toolgate-http-request connection "GET" "/tools" :on-success ask)
          (toolgate-test-until told)
          (toolgate-connection-run 'toolgate-event-functions connection nil)
          (should (equal told '(inhibited-interaction inhibited-interaction))))
      (toolgate-fake-stop fake))))

(ert-deftest toolgate-schema-asks ()
  "What is needed is asked for, by type, and the rest is offered."
  (let ((schema (toolgate-json-decode
                 "{\"required\":[\"path\",\"count\"],\"properties\":{
\"path\":{\"type\":\"string\",\"minLength\":1},
\"count\":{\"type\":\"integer\",\"minimum\":1},
\"all\":{\"type\":\"boolean\"},\"case\":{\"enum\":[\"smart\",\"exact\"]}}}"))
        (texts '("" "a.txt"))
        (numbers '(0 2.5 3))
        (choices '("all" "true" "")))
    (cl-letf (((symbol-function 'read-string) (lambda (&rest _) (pop texts)))
              ((symbol-function 'read-number) (lambda (&rest _) (pop numbers)))
              ((symbol-function 'completing-read) (lambda (&rest _) (pop choices)))
              ((symbol-function 'sit-for) #'ignore))
      (should (equal (toolgate-schema-read-object schema)
                     '((path . "a.txt") (count . 3) (all . t)))))))

(ert-deftest toolgate-menu-commands ()
  "Every command of the menu is there, once the client is loaded."
  (require 'toolgate)
  (dolist (group toolgate-menu--commands)
    (dolist (command (cdr group))
      (should (commandp (nth 2 command))))))

(ert-deftest toolgate-menu-console ()
  "The code is in a file of this person alone, and in no argument of a browser."
  (let* ((folder (file-name-as-directory
                  (expand-file-name "run" (make-temp-file "toolgate-run" t))))
         (process-environment (cons (concat "TOOLGATE_RUN_DIR=" folder)
                                    process-environment))
         opened)
    (unwind-protect
        (cl-letf (((symbol-function 'toolgate-current-connection)
                   (lambda () (toolgate-connection--make
                               :url "http://127.0.0.1:9")))
                  ((symbol-function 'toolgate-http-request)
                   (lambda (&rest arguments)
                     (funcall (plist-get (nthcdr 3 arguments) :on-success)
                              '((path . "/?a&b#code=se\"cret")))
                     #'ignore))
                  ((symbol-function 'browse-url)
                   (lambda (address &rest _) (push address opened))))
          (toolgate-open-console)
          (let ((page (directory-files folder t "\\`open-.*\\.html\\'")))
            (should (equal opened (list (concat "file://" (car page)))))
            (should (= #o600 (file-modes (car page))))
            (should (= #o700 (file-modes folder)))
            (with-temp-buffer
              (insert-file-contents (car page))
              (should (search-forward "content=\"0; url=http://127.0.0.1:9/?a&amp;b\
#code=se&quot;cret\"")))))
      (delete-directory (file-name-directory (directory-file-name folder)) t))))

(provide 'looking-test)
;;; looking-test.el ends here
