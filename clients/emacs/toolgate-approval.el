;;; toolgate-approval.el --- Approval buffers  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; One *Agent Approval* buffer for each waiting call, and the keys that decide
;; it.  Burying or killing the buffer does not decide the call.  See
;; `toolgate-appear.el' for how it appears and disappears automatically.

;;; Code:

(require 'seq)
(require 'text-property-search)
(require 'toolgate-keys)
(require 'toolgate-modes)
(require 'toolgate-store)
(require 'toolgate-comment)
(require 'toolgate-decide)
(require 'toolgate-displayed)
(require 'toolgate-diff)
(require 'toolgate-approval-text)
(require 'toolgate-place)

(autoload 'toolgate-edit "toolgate-edit" nil t)
(autoload 'toolgate-ediff "toolgate-ediff" nil t)
(autoload 'toolgate-approval-help "toolgate-always" nil t)
(autoload 'toolgate-approval-always "toolgate-always" nil t)
(autoload 'toolgate-approvals "toolgate-list" nil t)
(autoload 'toolgate-list-show "toolgate-list")

(defvar toolgate-approval-mode-map
  (toolgate-keys "y" #'toolgate-approval-approve
                 "n" #'toolgate-approval-reject
                 "r" #'toolgate-approval-reject-because
                 "c" #'toolgate-comment
                 "a" #'toolgate-approval-always
                 "e" #'toolgate-edit
                 "m" #'toolgate-set-session-mode
                 "d" #'toolgate-approval-diff
                 "D" #'toolgate-ediff
                 "o" #'toolgate-approval-visit
                 "w" #'toolgate-approval-copy
                 "f" #'toolgate-approval-fold
                 "RET" #'toolgate-approval-fold
                 "SPC" #'toolgate-displayed-page
                 "?" #'toolgate-approval-help
                 "C-c C-c" #'toolgate-approval-approve
                 "C-c C-k" #'toolgate-approval-reject
                 "TAB" #'toolgate-approval-next-section
                 "<backtab>" #'toolgate-approval-previous-section
                 "M-n" #'toolgate-approval-next
                 "M-p" #'toolgate-approval-previous
                 "q" #'quit-window)
  "Keys of `toolgate-approval-mode'.")

(define-derived-mode toolgate-approval-mode special-mode "Agent-Approval"
  "A call that waits for approval.

\\{toolgate-approval-mode-map}"
  (setq buffer-invisibility-spec '(toolgate-folded)
        header-line-format '(:eval (toolgate-approval--header)))
  (setq-local revert-buffer-function
              (lambda (&rest _) (toolgate-approval--render)))
  (toolgate-lines-setup)
  (toolgate-displayed-setup)
  (toolgate-guard-start))

(with-eval-after-load 'evil
  (when (fboundp 'evil-make-overriding-map)
    (evil-make-overriding-map toolgate-approval-mode-map)))

;;;; Buffers

(defun toolgate-approval-buffer (call)
  "Return the approval buffer of CALL; create it if there is none."
  (or (toolgate-approval--find call)
      (with-current-buffer (toolgate-show-new-buffer
                            "*Agent Approval*" (toolgate-get call 'tool_call_id))
        (toolgate-approval-mode)
        (setq toolgate-decide-call call
              toolgate-buffer-connection (toolgate-store-connection call))
        (toolgate-approval--render)
        (toolgate-approval--load-whole call)
        (current-buffer))))

(defun toolgate-approval--find (call)
  "Return the approval buffer of CALL, or nil."
  (let ((id (toolgate-get call 'tool_call_id)))
    (seq-find (lambda (buffer)
                (equal id (toolgate-get (buffer-local-value
                                         'toolgate-decide-call buffer)
                                        'tool_call_id)))
              (toolgate-approval--all))))

(defun toolgate-approval--all ()
  "Return all approval buffers."
  (seq-filter (lambda (buffer)
                (provided-mode-derived-p (buffer-local-value 'major-mode buffer)
                                         'toolgate-approval-mode))
              (buffer-list)))

(defun toolgate-approval--window ()
  "Return a visible window with an approval buffer, or nil."
  (seq-some (lambda (buffer) (get-buffer-window buffer 'visible))
            (toolgate-approval--all)))

(defun toolgate-approval--render ()
  "Render the current buffer again, from the call that it shows."
  (let* ((inhibit-read-only t)
         (call toolgate-decide-call)
         (place (toolgate-place-of call))
         (diff (toolgate-get call 'approval 'preview 'diff)))
    (when-let ((folder (plist-get place :folder)))
      (when (file-directory-p folder)
        (setq default-directory (file-name-as-directory folder))))
    (erase-buffer)
    (let ((end (apply #'toolgate-approval-text-insert call
                      :diff (and diff (toolgate-diff-text diff)) place)))
      (toolgate-lines-order)
      (toolgate-comment-show)
      (set-buffer-modified-p nil)
      (goto-char (point-min))
      (dolist (window (get-buffer-window-list nil nil t))
        (set-window-point window (point-min))
        (set-window-start window (point-min)))
      (toolgate-displayed-start end))))

(defun toolgate-approval--show-changed (call)
  "Replace the call in the approval buffer of CALL with CALL, and render it."
  (when-let ((buffer (toolgate-approval--find call)))
    (with-current-buffer buffer
      (setq toolgate-decide-call call)
      (toolgate-approval--render)
      (toolgate-guard-renew))
    (toolgate-approval--load-whole call))
  (toolgate-diff-renew call))

(defun toolgate-approval--load-whole (call)
  "Load the whole preview of CALL if the call has a truncated one."
  (let ((connection (toolgate-store-connection call))
        (digest (toolgate-get call 'approval 'digest)))
    (when (and connection (toolgate-get call 'approval 'preview 'cut)
               (not (toolgate-get call 'edited)))
      (toolgate-http-request
       connection "GET"
       (format "/calls/%s/preview" (toolgate-get call 'tool_call_id))
       :query `((digest . ,digest))
       :on-success
       (lambda (whole) (toolgate-approval--take-whole call whole))
       ;; The call may have been decided or may have a new preview: events
       ;; report that.
       :on-error #'ignore))))

(defun toolgate-approval--take-whole (call whole)
  "Show CALL with the preview of WHOLE, if CALL is displayed and unchanged."
  (when (toolgate-approval--showing call)
    (let* ((approval (toolgate-get call 'approval))
           (complete
            `((approval (preview . ,(toolgate-get whole 'preview))
                        (whole_digest . ,(toolgate-get whole 'whole_digest))
                        ,@(assq-delete-all 'preview (copy-sequence approval)))
              ,@(assq-delete-all 'approval (copy-sequence call))))
           (dropped (toolgate-comment-keep complete)))
      (toolgate-approval--show-changed complete)
      (when dropped (toolgate-message "%s" dropped)))))

(defun toolgate-approval--show-overtaken (id file)
  "Show that FILE has changed in the approval buffer of the call ID, if any."
  (when-let ((buffer (toolgate-approval--find `((tool_call_id . ,id)))))
    (with-current-buffer buffer
      (push (cons 'overtaken
                  (cons file (toolgate-get toolgate-decide-call 'overtaken)))
            toolgate-decide-call)
      (let ((inhibit-read-only t)) (toolgate-approval-text-add-change file))
      (set-buffer-modified-p nil)
      (toolgate-displayed-refresh)
      (toolgate-guard-renew)
      (force-mode-line-update))))

(defun toolgate-approval--header ()
  "Return the header line: waiting calls, expiry, level, mode and keys."
  (let* ((call toolgate-decide-call)
         (expires (toolgate-get call 'approval 'expires_at))
         (parts (list (format "%d pending" (toolgate-store-pending-count))
                      (and expires
                           (concat "expires in "
                                   (toolgate-faces-duration
                                    (- (toolgate-faces-seconds-since expires)))))
                      (toolgate-faces-level call)
                      (concat "mode " (toolgate-modes-text call))
                      (toolgate-comment-count call)
                      (and (toolgate-get call 'overtaken)
                           (toolgate-faces-text "file changed" 'toolgate-stale))
                      (concat (toolgate-faces-text "y" 'toolgate-key) " approve  "
                              (toolgate-faces-text "n" 'toolgate-key) " reject  "
                              (toolgate-faces-text "?" 'toolgate-key) " help"))))
    (concat " " (string-join (delq nil parts) " · "))))

(defun toolgate-approval--replace (window buffer)
  "Show BUFFER in WINDOW, which is removed when no approval is left."
  (let ((restore (window-parameter window 'quit-restore)))
    (set-window-buffer window buffer)
    (when (and restore (nth 3 restore))
      (set-window-parameter window 'quit-restore
                            (append (seq-take restore 3) (list buffer))))
    (with-current-buffer buffer (toolgate-guard-renew))))

;;;; Displayed text

(defun toolgate-approval--diff-start ()
  "Return the position of the diff in the current buffer, or nil."
  (text-property-any (point-min) (point-max) 'toolgate-diff t))

(defun toolgate-approval-displayed (call start end)
  "Record that the diff of CALL was displayed from START to END elsewhere."
  (when-let ((buffer (toolgate-approval--showing call)))
    (with-current-buffer buffer
      (when-let ((diff (toolgate-approval--diff-start)))
        (toolgate-displayed-add (+ diff start -1) (+ diff end -1))))))

(defun toolgate-approval--showing (call)
  "Return the approval buffer that shows exactly CALL, or nil."
  (when-let ((buffer (toolgate-approval--find call)))
    (let ((shown (buffer-local-value 'toolgate-decide-call buffer)))
      (and (equal (toolgate-get shown 'approval 'digest)
                  (toolgate-get call 'approval 'digest))
           (equal (toolgate-get shown 'edited) (toolgate-get call 'edited))
           buffer))))

(defun toolgate-approval-displayed-p (call)
  "Return non-nil if all parts of CALL needed for a decision were displayed."
  (when-let ((buffer (toolgate-approval--showing call)))
    (with-current-buffer buffer (not (toolgate-displayed-missing)))))

(defun toolgate-approval-check (call)
  "Signal a `user-error' unless CALL has been displayed in its current state.
If its approval buffer is not current, switch to it."
  (unless (toolgate-approval-displayed-p call)
    (let ((buffer (toolgate-approval--showing call)))
      (cond ((eq buffer (current-buffer)) (toolgate-displayed-check))
            ((and buffer (derived-mode-p 'toolgate-diff-mode)
                  (toolgate-displayed-missing))
             (toolgate-displayed-check))
            (t (toolgate-approval-open call)
               (with-current-buffer (toolgate-approval-buffer call)
                 (toolgate-guard-renew))
               (user-error "Not decided: review the call in this buffer first"))))))

;;;; Commands

(defun toolgate-approval-approve ()
  "Approve this call."
  (interactive nil toolgate-approval-mode)
  (toolgate-decide-approve (toolgate-decide-here)))

(defun toolgate-approval-reject ()
  "Reject this call."
  (interactive nil toolgate-approval-mode)
  (toolgate-decide-reject (toolgate-decide-here)))

(defun toolgate-approval-reject-because ()
  "Reject this call with a reason, which is sent to the caller."
  (interactive nil toolgate-approval-mode)
  (let ((call (toolgate-decide-here)))
    (toolgate-decide-reject call (toolgate-decide-read-reason call))))

(defun toolgate-approval-diff ()
  "Go to the whole diff of this call."
  (interactive nil toolgate-approval-mode)
  (pop-to-buffer (toolgate-diff-buffer toolgate-decide-call)))

(defun toolgate-approval-visit ()
  "Visit the file that this call is about."
  (interactive nil toolgate-approval-mode)
  (find-file-other-window
   (or (car (toolgate-place-files toolgate-decide-call))
       (user-error "The call has no file in its workspace"))))

(defun toolgate-approval-copy ()
  "Copy the command of this call, or its params as JSON if it has none."
  (interactive nil toolgate-approval-mode)
  (let* ((params (toolgate-get toolgate-decide-call 'params))
         (command (toolgate-get params 'command)))
    (kill-new (if (stringp command) command
                (decode-coding-string (toolgate-json-encode params) 'utf-8)))
    (message "Copied %s" (if (stringp command) "the command" "the params"))))

(defun toolgate-approval-fold ()
  "Unfold long params, or fold them again."
  (interactive nil toolgate-approval-mode)
  (setq buffer-invisibility-spec
        (if (memq 'toolgate-folded buffer-invisibility-spec)
            '(toolgate-unfolded)
          '(toolgate-folded)))
  (force-window-update (current-buffer)))

(defun toolgate-approval-next-section (&optional backwards)
  "Go to the next section, or to the previous one if BACKWARDS; wrap around."
  (interactive nil toolgate-approval-mode)
  (let* ((starts (save-excursion
                   (goto-char (point-min))
                   (let (found match)
                     (while (setq match (text-property-search-forward
                                         'toolgate-section t t))
                       (push (prop-match-beginning match) found))
                     (if backwards found (nreverse found)))))
         (next (or (seq-find (lambda (start)
                               (if backwards (< start (point)) (> start (point))))
                             starts)
                   (car starts))))
    (goto-char next)))

(defun toolgate-approval-previous-section ()
  "Go to the previous section."
  (interactive nil toolgate-approval-mode)
  (toolgate-approval-next-section t))

(defun toolgate-approval-next (&optional step)
  "Show the next waiting call, or the one STEP further, in this window."
  (interactive nil toolgate-approval-mode)
  (let* ((calls (toolgate-store-pending))
         (here (seq-position calls toolgate-decide-call
                             (lambda (a b)
                               (equal (toolgate-get a 'tool_call_id)
                                      (toolgate-get b 'tool_call_id)))))
         (next (and calls (nth (mod (+ (or here 0) (or step 1)) (length calls))
                               calls))))
    (if (or (null next) (and here (= 1 (length calls))))
        (message "No other call is waiting")
      (toolgate-approval--replace (selected-window)
                                  (toolgate-approval-buffer next)))))

(defun toolgate-approval-previous ()
  "Show the previous waiting call in this window."
  (interactive nil toolgate-approval-mode)
  (toolgate-approval-next -1))

;;;###autoload
(defun toolgate-approval-open (call)
  "Switch to the approval buffer of CALL."
  (pop-to-buffer (toolgate-approval-buffer call)))

;;;###autoload
(defun toolgate-next-approval ()
  "Switch to the call that has waited longest."
  (interactive)
  (toolgate-approval-open (or (car (toolgate-store-pending))
                              (user-error "No calls waiting for approval"))))

(provide 'toolgate-approval)
;;; toolgate-approval.el ends here
