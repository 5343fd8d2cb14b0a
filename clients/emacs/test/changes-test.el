;;; changes-test.el --- Tests of the changes of a session -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'ert)
(require 'cl-lib)
(require 'toolgate-changes)

(defconst changes-test-ids
  (mapcar (lambda (n) (format "tc_01K9ZQ4T8B3V5X7Y9Z1A2B3C4%d" n)) '(0 1))
  "Ids of two calls.")

(defconst changes-test-found
  `((first_call . ,(car changes-test-ids))
    (calls . [((tool_call_id . ,(car changes-test-ids)) (tool . "edit_file")
               (agent . "coder") (finished_at . "2026-01-01T00:00:00Z")
               (undo (available . t)))])
    (files . [((path . "a.txt") (operation . "modified") (added . 1) (removed . 1)
               (diff . "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n")
               (changed_since . t) (calls . ,(vconcat changes-test-ids)))
              ((path . ".env") (operation . "moved") (from . "b\nc")
               (withheld . "not_to_be_shown") (changed_since . :false)
               (calls . [,(cadr changes-test-ids)]))]))
  "Changes of a session.")

(ert-deftest toolgate-session-changes-and-undo ()
  "The sessions are offered, the changes shown, and u undoes the call at point."
  (let (asked undone)
    (cl-letf (((symbol-function 'toolgate-current-connection) #'ignore)
              ((symbol-function 'completing-read)
               (lambda (_ choices _ _ _ _ default)
                 (should (equal '("fix/1 in default" "other in default")
                                (all-completions "" choices)))
                 default))
              ((symbol-function 'toolgate-http-wait)
               (lambda (_ _ path &rest keys)
                 (push path asked)
                 (pcase path
                   ("/calls"
                    `((calls . ,(vconcat
                                 (mapcar
                                  (lambda (session)
                                    `((session_id . ,session)
                                      (workspace . "default")
                                      (changes . [((path . "a.txt"))])))
                                  '("fix/1" "other" "fix/1"))))))
                   ("/sessions/fix%2F1/changes"
                    (should (equal '((workspace . "default"))
                                   (plist-get keys :query)))
                    changes-test-found)
                   (_ `((tool_call_id . ,(substring path 7)))))))
              ((symbol-function 'toolgate-undo-open)
               (lambda (_ call) (push (toolgate-get call 'tool_call_id) undone))))
      (save-window-excursion
        (toolgate-session-changes)
        (should (equal "*Agent Changes: fix/1*" (buffer-name (window-buffer))))
        (should (derived-mode-p 'diff-mode))
        (should (string-match-p
                 (concat "\\`# modified a\\.txt \\+1 -1\n"
                         "#   edit_file by coder, .* ago  " (car changes-test-ids)
                         "\n#   " (cadr changes-test-ids) "\n"
                         "#   The file was changed after the last call\\. "
                         "The diff does not show that\\.\n"
                         "--- a/a\\.txt\n\\+\\+\\+ b/a\\.txt\n@@ -1 \\+1 @@\n"
                         "-one\n\\+two\n# moved b.c → \\.env\n#   "
                         (cadr changes-test-ids)
                         "\n#   Reading requires approval\\.\n\\'")
                 (buffer-string)))
        (goto-char (point-min))
        (should-error (toolgate-changes-undo) :type 'user-error)
        (forward-line 1)
        (toolgate-changes-undo)
        (forward-line 1)
        (toolgate-changes-undo)
        (should (equal changes-test-ids (reverse undone)))
        (revert-buffer)
        (should (= 3 (line-number-at-pos)))
        (should (= 2 (seq-count (lambda (path) (string-prefix-p "/sessions" path))
                                asked)))
        (kill-buffer)))))

;;; changes-test.el ends here
