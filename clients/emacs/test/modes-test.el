;;; modes-test.el --- Modes of sessions  -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'approval-world)
(require 'toolgate)
(require 'toolgate-list)

(defun modes-test-answer (mode &optional expires)
  "Return what the server answers where MODE is set until EXPIRES."
  `((default . "ask")
    (modes . [((session_id . "song") (workspace . "default") (mode . ,mode)
               (expires_at . ,expires))])))

(defun modes-test-hear (connection answer)
  "Let CONNECTION hear that a mode was set, and read ANSWER."
  (setq approval-test--answers `(("/modes" . ,answer)))
  (toolgate-take-events
   connection `((10 . ((seq . ,(1+ (toolgate-connection-seq connection)))
                       (type . "session.mode"))))))

(ert-deftest toolgate-modes-shown ()
  "A mode is shown in the prompt, in the list and in the mode line, until it ends."
  (approval-test-with (list (approval-test-call "tc_1"))
    (let ((toolgate-mode-line nil)
          (toolgate-state-changed-hook '(toolgate--update-mode-line)))
      (toolgate-approvals)
      (should (string-match-p "edit_file +ask " (buffer-string)))
      (modes-test-hear connection (modes-test-answer "accept-edits"))
      (should (string-match-p "edit_file +accept-edits " (buffer-string)))
      (should (equal " TG:1 accept-edits"
                     (substring-no-properties toolgate-mode-line)))
      (with-current-buffer (toolgate-approval-buffer (toolgate-store-call "tc_1"))
        (should (string-match-p "mode accept-edits" (toolgate-approval--header))))
      (modes-test-hear connection (modes-test-answer "plan" "2026-01-01T00:00:00Z"))
      (should (equal "ask" (toolgate-modes-of (toolgate-store-call "tc_1"))))
      (should (equal " TG:1" (substring-no-properties toolgate-mode-line))))))

(ert-deftest toolgate-modes-set-by-key ()
  "The keys of the prompt and of the list set the session mode of the call."
  (should (eq 'toolgate-set-session-mode
              (lookup-key toolgate-approval-mode-map "m")))
  (approval-test-with (list (approval-test-call "tc_1"))
    (toolgate-approvals)
    (goto-char (point-min))
    (let ((choices '("plan: calls can only read; all other calls are rejected"
                     "as configured")))
      (cl-letf (((symbol-function 'completing-read)
                 (lambda (prompt &rest _)
                   (should (equal prompt "Mode of the session song, now ask: "))
                   (pop choices))))
        (dotimes (_ 2)
          (call-interactively (lookup-key toolgate-list-mode-map "M")))))
    (should (equal (reverse approval-test--requests)
                   '(("PUT" "/sessions/song/mode"
                      ((mode . "plan") (workspace . "default")))
                     ("DELETE" "/sessions/song/mode" nil))))))

;;; modes-test.el ends here
