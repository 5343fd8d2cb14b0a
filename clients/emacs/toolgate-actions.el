;;; toolgate-actions.el --- Deciding on calls, ending and undoing them  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What a person does to a call.  CALL is a call of the store or its id.
;; Each function answers through CALLBACK, called with RESULT and PROBLEM, of
;; which one is nil.  RESULT is what the server says the call is now; PROBLEM
;; is a plist, see `toolgate-http-request'.  Its :code is for instance
;; PREVIEW_CHANGED, when what would happen is no longer what was shown (the
;; store has the fresh call then), or CONFLICT, when it was decided already.

;;; Code:

(require 'cl-lib)
(require 'toolgate-store)

(cl-defun toolgate-approve
    (call &key digest whole-digest params params-digest always confirm reason
          connection callback)
  "Let CALL run.
DIGEST is required: that of the preview that was shown; WHOLE-DIGEST too where
that is cut in the call: it comes with the whole.  PARAMS, an object, are
run in the place of those that were asked for; PARAMS-DIGEST, of a dry run of
them, binds that to what they were shown to do.  ALWAYS is the id of one of
the call's `always_options' to be remembered.  CONFIRM says yes to a strict
call, REASON why.  Answer through CALLBACK.  CONNECTION is needed for a call
that the store does not know."
  (toolgate-actions--post
   call connection "approve"
   `((digest . ,digest)
     ,@(and whole-digest `((whole_digest . ,whole-digest)))
     ,@(and params `((modified_params . ,params)))
     ,@(and params-digest `((modified_digest . ,params-digest)))
     ,@(and always `((always . ,always)))
     ,@(and confirm '((confirm . t)))
     ,@(and reason `((reason . ,reason))))
   callback))

(cl-defun toolgate-reject (call &key reason message connection callback)
  "Reject CALL for REASON; MESSAGE instructs its sender what to do instead.
Answer through CALLBACK.  CONNECTION is needed for a call that the store does
not know."
  (toolgate-actions--post
   call connection "reject"
   `(,@(and reason `((reason . ,reason)))
     ,@(and message `((user_message . ,message))))
   callback))

(cl-defun toolgate-cancel-call (call &key reason connection callback)
  "End CALL, which waits or runs, or the job that it left, for REASON.
Answer through CALLBACK.  CONNECTION is needed for a call that the store does
not know."
  (toolgate-actions--post call connection "cancel"
                          (and reason `((reason . ,reason))) callback))

(cl-defun toolgate-undo-preview (call &key scope connection callback)
  "Ask what undoing CALL would do now.
SCOPE is `since' for all since that call, nil for that call alone.  RESULT for
CALLBACK has `available', `reason', `files' and `digest'.  CONNECTION is needed
for a call that the store does not know."
  (toolgate-actions--request
   call connection "GET" "undo" :query (and scope `((scope . ,scope)))
   :pages 'files :callback callback))

(cl-defun toolgate-undo
    (call &key digest confirm scope connection callback)
  "Undo what CALL changed in files.
With the DIGEST that `toolgate-undo-preview' gave this is approved by that; with
CONFIRM also where it is strict.  SCOPE, CALLBACK and CONNECTION are as there."
  (toolgate-actions--post
   call connection "undo"
   `(,@(and digest `((digest . ,digest)))
     ,@(and confirm '((confirm . t)))
     ,@(and scope `((scope . ,(format "%s" scope)))))
   callback))

(defun toolgate-actions--post (call connection verb body callback)
  "Post BODY to VERB of CALL at CONNECTION, and tell CALLBACK."
  (toolgate-actions--request call connection "POST" verb
                             :body (or body (make-hash-table))
                             :callback callback))

(cl-defun toolgate-actions--request
    (call connection method verb &key body query pages callback)
  "Request METHOD of VERB of CALL at CONNECTION with BODY, QUERY and PAGES.
Tell CALLBACK; where there is none, a problem is shown."
  (let* ((id (if (stringp call) call (toolgate-get call 'tool_call_id)))
         (connection (or connection (toolgate-store-connection id)
                         (user-error "No connection has the call %s" id))))
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
  "Take the fresh preview of call ID of CONNECTION that PROBLEM brings.
MODIFIED holds the params that were sent with the decision, which the call has
then, or is nil."
  (let ((call (toolgate-store-call id connection))
        (approval (toolgate-get (plist-get problem :details) 'approval)))
    (when (and call approval
               (equal (plist-get problem :code) "PREVIEW_CHANGED"))
      (toolgate-store-renew connection `((approval . ,approval)
                           ,@(and modified `((params . ,(cdr modified))))
                           ,@call)))))

(provide 'toolgate-actions)
;;; toolgate-actions.el ends here
