;;; toolgate-comment.el --- Comments on lines of a diff  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Comments on lines of the diff of a waiting call.  They are shown below the
;; lines, and sent with a rejection.  A comment is a list of a target and a
;; text; a target is a line of a file, see `toolgate-patch-targets'.

;;; Code:

(require 'cl-lib)
(require 'toolgate-decide)
(require 'toolgate-patch)
(require 'toolgate-place)

(defconst toolgate-comment--most 50
  "Maximum number of comments of a rejection.")
(defconst toolgate-comment--most-chars 2000
  "Maximum number of characters of a comment.")

(defvar toolgate-comment--all nil
  "Alist of the ids of waiting calls and their comments, the oldest first.")

(defun toolgate-comment--of (call)
  "Return the comments on CALL."
  (cdr (assoc (toolgate-get call 'tool_call_id) toolgate-comment--all)))

(defun toolgate-comment--set (call comments)
  "Make COMMENTS the comments on CALL, and show them."
  (let ((id (toolgate-get call 'tool_call_id)))
    (setq toolgate-comment--all (assoc-delete-all id toolgate-comment--all))
    (when comments (push (cons id comments) toolgate-comment--all))
    (dolist (buffer (buffer-list))
      (with-current-buffer buffer
        (when (equal id (toolgate-get toolgate-decide-call 'tool_call_id))
          (toolgate-comment-show))))))

(defun toolgate-comment-count (call)
  "Return the number of comments on CALL as text, or nil if there are none."
  (when-let ((comments (toolgate-comment--of call)))
    (toolgate-comment--number (length comments))))

(defun toolgate-comment--number (count)
  "Return COUNT comments as text."
  (format "%d comment%s" count (if (= count 1) "" "s")))

(defun toolgate-comment-check (call)
  "Signal a `user-error' if CALL has comments: an approval does not send them."
  (when-let ((count (toolgate-comment-count call)))
    (user-error "Not approved: %s can only be sent with a rejection (c removes one)"
                count)))

(defun toolgate-comment-objects (call)
  "Return the comments on CALL as the server expects them."
  (vconcat (mapcar (pcase-lambda (`((,path ,side ,line) ,text))
                     `((path . ,path)
                       (line . ,line)
                       ,@(and (eq side 'old) '((side . "old")))
                       (text . ,text)))
                   (toolgate-comment--of call))))

(defun toolgate-comment-line (comment)
  "Return COMMENT, an object of the server, as a line of text."
  (format "%s:%s%s: %s" (toolgate-get comment 'path) (toolgate-get comment 'line)
          (if (equal (toolgate-get comment 'side) "old") " (removed line)" "")
          (toolgate-get comment 'text)))

;;;; Lines of the diff

(defun toolgate-comment--targets (call)
  "Return the lines of the diff of CALL that can have comments.
An edited call has none: a rejection is about the requested one."
  (when-let ((diff (and (not (toolgate-get call 'edited))
                        (toolgate-get call 'approval 'preview 'diff))))
    (toolgate-patch-targets diff (toolgate-place-named call))))

(defun toolgate-comment--start ()
  "Return the position where the diff of the current buffer starts."
  (or (text-property-any (point-min) (point-max) 'toolgate-diff t)
      (point-min)))

(defun toolgate-comment--continues-p ()
  "Return non-nil if the line of point ends with the break of an overlong line."
  (get-text-property (line-end-position) 'toolgate-break))

(defun toolgate-comment--here ()
  "Return the number of the diff line at point, or nil if it is not in the diff."
  (let ((end (line-beginning-position)) (start (toolgate-comment--start)))
    (when (>= end start)
      (save-excursion
        (goto-char start)
        (let ((count 0))
          (while (< (point) end)
            (unless (toolgate-comment--continues-p) (cl-incf count))
            (forward-line 1))
          count)))))

(defun toolgate-comment--after (line)
  "Return the position after LINE of the diff, counted from 0."
  (save-excursion
    (goto-char (toolgate-comment--start))
    (while (and (>= line 0) (not (eobp)))
      (unless (toolgate-comment--continues-p) (cl-decf line))
      (forward-line 1))
    (point)))

(defun toolgate-comment-show ()
  "Show the comments on the call of the current buffer below their lines."
  (remove-overlays (point-min) (point-max) 'toolgate-comment t)
  (when-let* ((comments (toolgate-comment--of toolgate-decide-call))
              (targets (toolgate-comment--targets toolgate-decide-call)))
    (pcase-dolist (`(,target ,text) comments)
      (when-let* ((line (car (rassoc target targets)))
                  (after (toolgate-comment--after line))
                  (overlay (make-overlay after after)))
        (overlay-put overlay 'toolgate-comment t)
        (overlay-put overlay 'before-string
                     (propertize
                      (concat "  » " (string-replace "\n" "\n  » " text) "\n")
                      'face 'toolgate-comment)))))
  (force-mode-line-update))

(defun toolgate-comment-keep (call)
  "Drop the comments on lines that the diff of CALL does not contain any more.
A truncated diff is not complete yet.  Return a text with the number of
dropped comments, or nil."
  (let* ((comments (toolgate-comment--of call))
         (targets (and comments (toolgate-comment--targets call)))
         (kept (seq-filter (lambda (comment) (rassoc (car comment) targets))
                           comments))
         (dropped (- (length comments) (length kept))))
    (unless (or (zerop dropped) (toolgate-get call 'approval 'preview 'cut))
      (toolgate-comment--set call kept)
      (format "%s dropped, because the lines are no longer in the diff"
              (toolgate-comment--number dropped)))))

;;;; Commands

(defun toolgate-comment ()
  "Comment on the line of the diff at point, or edit the comment on it.
An empty text removes the comment.  Rejecting the call sends its comments."
  (interactive)
  (unless (toolgate-store-pending-p toolgate-decide-call)
    (user-error "This call no longer waits"))
  (when (toolgate-get toolgate-decide-call 'edited)
    (user-error "A call with edited params takes no comments"))
  (let* ((call toolgate-decide-call)
         (target (or (cdr (assq (toolgate-comment--here)
                                (toolgate-comment--targets call)))
                     (user-error "This is not a line of a file in the diff")))
         (comments (toolgate-comment--of call))
         (before (assoc target comments)))
    (unless (or before (< (length comments) toolgate-comment--most))
      (user-error "A rejection has at most %d comments" toolgate-comment--most))
    (toolgate-comment--put call target
                           (toolgate-comment--read target (cadr before)))))

(defun toolgate-comment--read (target before)
  "Ask for a comment on TARGET, which has the comment BEFORE or nil."
  (pcase-let* ((`(,_ ,side ,line) target)
               (text (string-trim
                      (read-string (format "Comment on %sline %d: "
                                           (if (eq side 'old) "removed " "")
                                           line)
                                   before))))
    (when (> (length text) toolgate-comment--most-chars)
      (user-error "A comment has at most %d characters"
                  toolgate-comment--most-chars))
    text))

(defun toolgate-comment--put (call target text)
  "Make TEXT the comment on TARGET of CALL; remove it if TEXT is empty."
  (let ((others (seq-remove (lambda (comment) (equal target (car comment)))
                            (toolgate-comment--of call))))
    (toolgate-comment--set
     call (if (string-empty-p text) others
            (append others (list (list target text)))))))

(defun toolgate-comment--resolved (_connection call _decision)
  "Forget the comments on CALL, which no longer waits."
  (setq toolgate-comment--all
        (assoc-delete-all (toolgate-get call 'tool_call_id)
                          toolgate-comment--all)))

(add-hook 'toolgate-approval-resolved-hook #'toolgate-comment--resolved)

(provide 'toolgate-comment)
;;; toolgate-comment.el ends here
