;;; live.el --- The Emacs client and the server as they are -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Run in a project that holds a.txt with three lines, with a home of its own.
;; The server is the one that the client came with.

;;; Code:

(require 'ert)
(require 'toolgate)
(require 'toolgate-editor)
(require 'toolgate-show)
(require 'toolgate-fake)

(defun live-ask (connection method path &optional body)
  "Return what CONNECTION answers to METHOD of PATH with BODY."
  (let (result)
    (toolgate-http-request
     connection method path :body body
     :on-success (lambda (answer) (setq result (list answer)))
     :on-error (lambda (problem) (setq result (list problem))))
    (car (toolgate-test-until result))))

(defun live-call (connection tool params)
  "Return the call of TOOL with PARAMS at CONNECTION."
  (live-ask connection "POST" "/calls" `((tool . ,tool) (params . ,params))))

(defun live-connection ()
  "Return the connection, once it is live."
  (toolgate-test-until
   (and toolgate-connections
        (eq 'live (toolgate-connection-status (car toolgate-connections)))
        (toolgate-connection-workspaces (car toolgate-connections))))
  (car toolgate-connections))

(ert-deftest toolgate-live ()
  (let ((toolgate-notify-function #'ignore)
        (toolgate-editor--patience 0.1)
        (selected (selected-window)))
    (toolgate-mode 1)
    (find-file "a.txt")
    (toolgate-start)
    (let ((connection (live-connection)) answer)
      ;; A call waits, is shown, approved as it was shown, and its file reverted.
      (goto-char (point-max))
      (live-call connection "edit_file"
                 '((path . "a.txt") (old . "two") (new . "2")))
      (let ((call (car (toolgate-test-until (toolgate-store-pending)))))
        (should (equal (substring-no-properties toolgate-mode-line) " TG:1"))
        (toolgate-approve call :digest (toolgate-get call 'approval 'digest)
                          :callback (lambda (result problem)
                                      (setq answer (or problem result)))))
      (should (member (toolgate-get (toolgate-test-until answer) 'status)
                      '("queued" "running" "success")))
      (toolgate-test-until (equal (buffer-string) "one\n2\nthree\n"))
      (should (eobp))
      (should-not (buffer-modified-p))
      (should (string-empty-p toolgate-mode-line))
      ;; The changes of the session are shown as a diff.
      (let ((completing-read-function
             (lambda (_ _ _ _ _ _ default &rest _) default)))
        (save-window-excursion
          (toolgate-session-changes)
          (should (string-match-p "\\`# modified a\\.txt \\+1 -1\n#   edit_file by "
                                  (buffer-string)))
          (should (string-search "\n-two\n+2\n" (buffer-string)))
          (kill-buffer)))
      (should (equal (buffer-name) "a.txt"))
      ;; The session mode is set, shown, and taken back.
      (let ((call (car (toolgate-store-calls connection))))
        (toolgate-set-session-mode call "accept-edits")
        (toolgate-test-until (equal (substring-no-properties toolgate-mode-line)
                                    " TG accept-edits"))
        (toolgate-set-session-mode call nil)
        (toolgate-test-until (string-empty-p toolgate-mode-line)))
      ;; What is not saved is what others read.
      (insert "typed é\n")
      (toolgate-test-until toolgate-buffers--held)
      (should (string-search
               "typed é"
               (toolgate-get (live-call connection "read_file" '((path . "a.txt")))
                             'result 'content)))
      ;; Asked to show a file, it does, and takes no focus.
      (should (equal (toolgate-get (live-call connection "editor_open"
                                              '((path . "b.txt") (line . 2)))
                                   'result 'content)
                     "emacs shows b.txt at line 2."))
      (should (get-buffer-window "b.txt"))
      (should (eq selected (selected-window)))
      (set-buffer-modified-p nil)
      (revert-buffer t t t)
      (toolgate-test-until (null toolgate-buffers--held))
      ;; The server is killed and started again: nothing is lost.
      (live-call connection "edit_file"
                 '((path . "a.txt") (old . "three") (new . "3")))
      (let ((id (toolgate-get (car (toolgate-test-until
                                    (toolgate-store-pending)))
                              'tool_call_id))
            (instance (toolgate-connection-instance connection)))
        (signal-process (toolgate-connection-pid connection) 'SIGKILL)
        (toolgate-test-until
         (eq 'lost (toolgate-connection-status connection)))
        (toolgate-start)
        (toolgate-test-until
         (not (equal instance (toolgate-connection-instance
                               (car toolgate-connections)))))
        (should (equal (mapcar (lambda (call) (toolgate-get call 'tool_call_id))
                               (toolgate-store-pending (live-connection)))
                       (list id))))
      (dolist (each (copy-sequence toolgate-connections)) (toolgate-stop each))
      (toolgate-test-until (null toolgate-server--processes))
      (toolgate-mode -1))))

;;; live.el ends here
