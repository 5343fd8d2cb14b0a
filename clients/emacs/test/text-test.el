;;; text-test.el --- What a person reads before deciding  -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'approval-world)
(require 'toolgate-edit)

(ert-deftest toolgate-approval-text ()
  (approval-test-with (list (approval-test-call "tc_1"))
    (with-current-buffer "*Agent Approval*"
      (should (equal (buffer-substring-no-properties (point-min) (point-max))
                     "Edit poem.txt

Request
  reason         Modifies files.
  tool           edit_file
  from           an-agent · session song
  folder         /nowhere/ws

Diff
--- a/poem.txt
+++ b/poem.txt
@@ -1,2 +1,2 @@
 roses
-violets
+tulips

Parameters
  path  poem.txt

Parameters that the diff shows
  old  violets
  new  tulips

Details
  rule           tool: write (Modifies files.)
  call           tc_1

Keys
  y approve   n reject   r reject with a reason   c comment   a always…
  e edit the params   m session mode   d whole diff   D ediff   o the file
  w copy   SPC next part   f fold or unfold   ? help   q close, undecided
"))
      (should (equal (substring-no-properties (toolgate-approval--header))
                     " 1 pending · ask · mode ask · y approve  n reject  ? help"))
      (goto-char (point-min))
      (search-forward "+tulips")
      (should (eq 'diff-indicator-added
                  (get-text-property (match-beginning 0) 'face))))))

(ert-deftest toolgate-approval-text-every-byte ()
  "Whatever a param holds is in the buffer, also what is folded.
Only a param that the diff shows is folded."
  (let ((value (concat (make-string 20000 ?x) "\n"
                       (mapconcat #'number-to-string (number-sequence 1 99) "\n")
                       "\n\u202egnp.exe  \n"))
        (params '((empty . "") (no . :false) (list . [1 2]))))
    (with-temp-buffer
      (toolgate-approval-text-insert
       `((tool . "t") (params (content . ,value) ,@params)))
      (should (string-match-p "\n98\n" (buffer-string)))
      (should-not (text-property-not-all (point-min) (point-max)
                                         'invisible nil)))
    (with-temp-buffer
      (toolgate-approval-text-insert
       `((tool . "t") (params (content . ,value) ,@params)) :diff "+1\n")
      (let ((text (buffer-substring-no-properties (point-min) (point-max))))
        (should (string-match-p (regexp-quote value)
                                (replace-regexp-in-string "\\\\\n" "" text)))
        (should (string-match-p (format "102 lines, %d characters in total; f"
                                        (length value))
                                text))
        (should (string-match-p "Contains characters that hide or reorder" text))
        (should (string-match-p "  empty  (empty)\n  no     false\n" text)))
      (goto-char (point-min))
      (search-forward "\n98\n")
      (should (eq 'toolgate-folded (get-text-property (1- (point)) 'invisible))))))

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
                          (notes . ["b\nTool"])
                          (information . ["c\nTool"])))))
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
                  #x2800 #x1d159 #xfe00 #xfeff #xfff9 #xe0001 #xe0041
                  #xe0100))
    (should (string-match-p toolgate-lines-deceptive (string ?a char)))
    (should (eq 'hex-code (aref (toolgate-lines--as-codes) char))))
  (dotimes (char #x30000)
    (when (eq 'Cf (get-char-code-property char 'general-category))
      (should (string-match-p toolgate-lines-deceptive (string char)))))
  (should-not (string-match-p toolgate-lines-deceptive
                              "azAZ09 -]^\n\täя中ע❤️🦊"))
  (should (string-match-p toolgate-lines-deceptive "a\ufe0f"))
  (with-temp-buffer
    (insert "❤\ufe0f a\ufe0f")
    (toolgate-lines-order)
    (should-not (get-text-property 2 'display))
    (should (equal "\\u{fe0f}" (get-text-property 5 'display)))))

(ert-deftest toolgate-approval-header-of-diff ()
  "What a title says stands in the header as it is."
  (with-temp-buffer
    (setq toolgate-decide-call
          '((approval (preview (title . "Write \\[delete-file] `q' 5%")))))
    (should (string-prefix-p "Write \\[delete-file] `q' 5%%  C-c C-c approve"
                             (toolgate-diff--header)))))

(provide 'text-test)
;;; text-test.el ends here
