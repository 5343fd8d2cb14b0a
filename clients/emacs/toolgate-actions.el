;;; toolgate-actions.el --- Approve, reject, cancel and undo calls  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Actions of the user on a call.  CALL is a call object of the store or its
;; id.  Each function reports its outcome by calling CALLBACK with RESULT and
;; PROBLEM, of which one is nil.  RESULT is the new state of the call from the
;; server; PROBLEM is a plist, see `toolgate-http-request'.  Its :code is for
;; instance PREVIEW_CHANGED, if the preview has changed since it was shown (the
;; store then has the new preview), or CONFLICT, if the call was already
;; decided.

;;; Code:

(require 'cl-lib)
(require 'toolgate-store)

(cl-defun toolgate-approve
    (call &key digest whole-digest params params-digest always always-limits
          confirm reason connection callback)
  "Approve CALL.
DIGEST is required: the digest of the preview that was shown.  WHOLE-DIGEST is
required too if the preview in the call is truncated; it comes with the whole
preview.  PARAMS, an object, replaces the requested params; PARAMS-DIGEST,
from a dry run with them, binds the approval to the effect that the dry run
showed.  ALWAYS is the id of one of the call's `always_options', to be saved;
ALWAYS-LIMITS, an alist, sets its end with `for', `uses' and `scope'.
CONFIRM confirms a strict call.  REASON is the reason.  Report the outcome to
CALLBACK.  CONNECTION is required for a call that the store does not have."
  (toolgate-actions--post
   call connection "approve"
   `((digest . ,digest)
     ,@(and whole-digest `((whole_digest . ,whole-digest)))
     ,@(and params `((modified_params . ,params)))
     ,@(and params-digest `((modified_digest . ,params-digest)))
     ,@(and always `((always . ,always)))
     ,@(and always-limits `((always_limits . ,always-limits)))
     ,@(and confirm '((confirm . t)))
     ,@(and reason `((reason . ,reason))))
   callback))

(cl-defun toolgate-reject
    (call &key reason message comments connection callback)
  "Reject CALL for REASON; MESSAGE instructs its sender what to do instead.
COMMENTS is a vector of comments on lines of the diff, objects with `path',
`line' and `text', and with `side' \"old\" for a removed line.
Report the outcome to CALLBACK.  CONNECTION is required for a call that the
store does not have."
  (toolgate-actions--post
   call connection "reject"
   `(,@(and reason `((reason . ,reason)))
     ,@(and message `((user_message . ,message)))
     ,@(and (length> comments 0) `((comments . ,comments))))
   callback))

(cl-defun toolgate-cancel-call (call &key reason connection callback)
  "Cancel CALL, waiting or running, or its background job, for REASON.
Report the outcome to CALLBACK.  CONNECTION is required for a call that the
store does not have."
  (toolgate-actions--post call connection "cancel"
                          (and reason `((reason . ,reason))) callback))

(cl-defun toolgate-undo-preview (call &key scope connection callback)
  "Request a preview of the undo of CALL.
SCOPE is `since' for all changes since that call, nil for that call alone.
RESULT for CALLBACK has `available', `reason', `files' and `digest'.
CONNECTION is required for a call that the store does not have."
  (toolgate-actions--request
   call connection "GET" "undo" :query (and scope `((scope . ,scope)))
   :pages 'files :callback callback))

(cl-defun toolgate-undo
    (call &key digest confirm scope connection callback)
  "Undo the file changes of CALL.
DIGEST, from `toolgate-undo-preview', approves the undo that was shown;
CONFIRM confirms a strict undo.  SCOPE, CALLBACK and CONNECTION are as in
`toolgate-undo-preview'."
  (toolgate-actions--post
   call connection "undo"
   `(,@(and digest `((digest . ,digest)))
     ,@(and confirm '((confirm . t)))
     ,@(and scope `((scope . ,(format "%s" scope)))))
   callback))

(defun toolgate-actions--post (call connection verb body callback)
  "POST BODY to the action VERB of CALL at CONNECTION, and call CALLBACK."
  (toolgate-actions--request call connection "POST" verb
                             :body (or body (make-hash-table))
                             :callback callback))

(cl-defun toolgate-actions--request
    (call connection method verb &key body query pages callback)
  "Send METHOD to the action VERB of CALL at CONNECTION with BODY, QUERY, PAGES.
Call CALLBACK with the outcome; if it is nil, display a problem as a message."
  (let* ((id (if (stringp call) call (toolgate-get call 'tool_call_id)))
         (connection (or connection (toolgate-store-connection id)
                         (user-error "No connected server has the call %s" id))))
    (toolgate-http-request
     connection method (format "/calls/%s/%s" id verb)
     :body body :query query :pages pages
     :on-success (lambda (result) (when callback (funcall callback result nil)))
     :on-error (lambda (problem)
                 (toolgate-actions--refresh connection id problem
                                            (assq 'modified_params body))
                 (if callback (funcall callback nil problem)
                   (message "Toolgate: %s" (plist-get problem :message)))))))

(defun toolgate-actions--refresh (connection id problem modified)
  "Store the new preview of call ID of CONNECTION that PROBLEM contains.
MODIFIED contains the params that were sent with the decision, which become
the params of the call, or is nil."
  (let ((call (toolgate-store-call id connection))
        (approval (toolgate-get (plist-get problem :details) 'approval)))
    (when (and call approval
               (equal (plist-get problem :code) "PREVIEW_CHANGED"))
      (toolgate-store-renew connection `((approval . ,approval)
                           ,@(and modified `((params . ,(cdr modified))))
                           ,@call)))))

(provide 'toolgate-actions)
;;; toolgate-actions.el ends here
