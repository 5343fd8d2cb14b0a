;;; call-test.el --- Tests of calls from Lisp and of gptel tools -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'ert)
(require 'toolgate-fake)
(require 'toolgate-gptel)

(defmacro call-test-with (fake answers &rest body)
  "Run BODY with FAKE bound to a server that gives ANSWERS, one per request.
An answer is an object, or nil to close the connection."
  (declare (indent 2))
  `(let* ((answers ,answers)
          (,fake (toolgate-fake-start
                  (lambda (_ client _)
                    (let ((answer (pop answers)))
                      (if answer (toolgate-fake-json client answer)
                        (delete-process client)))))))
     (unwind-protect (progn ,@body) (toolgate-fake-stop ,fake))))

(defun call-test-endpoint (fake)
  "Return the endpoint of FAKE."
  (make-toolgate-endpoint :url (toolgate-fake-url fake) :token "secret"))

(defun call-test-requests (fake)
  "Return the methods and paths of the requests to FAKE, in order."
  (mapcar (lambda (request)
            (format "%s %s" (alist-get 'method request)
                    (replace-regexp-in-string
                     "tc_[0-9A-Z]\\{26\\}\\|\\?.*" ""
                     (alist-get 'target request))))
          (reverse (toolgate-fake-requests fake))))

(defun call-test-body (fake)
  "Return the decoded body of the first request to FAKE."
  (toolgate-json-decode
   (alist-get 'body (car (last (toolgate-fake-requests fake))))))

(ert-deftest toolgate-call-waits-through-the-decision ()
  (call-test-with fake (list '((status . "awaiting_approval")) nil
                             '((status . "running"))
                             '((status . "success") (result (content . "done"))))
    (let* (result
           (id (toolgate-call "edit_file" '((path . "a"))
                              (lambda (call problem)
                                (setq result (list call problem)))
                              :connection (call-test-endpoint fake)
                              :session "s" :agent "coder")))
      (should (string-match-p "\\`tc_[0-9A-HJKMNP-TV-Z]\\{26\\}\\'" id))
      (toolgate-test-until result)
      (should (equal (apply #'toolgate-call-text result) "done"))
      (should (equal (call-test-requests fake)
                     '("POST /calls" "GET /calls/" "GET /calls/" "GET /calls/")))
      (should (equal (call-test-body fake)
                     `((tool_call_id . ,id) (tool . "edit_file")
                       (params (path . "a")) (session_id . "s")
                       (agent . "coder")))))))

(ert-deftest toolgate-call-reports-what-the-server-refuses ()
  (let (result
        (fake (toolgate-fake-start
               (lambda (_ client _)
                 (toolgate-fake-json client '((code . "UNKNOWN_TOOL")
                                              (detail . "No such tool."))
                                     404)))))
    (unwind-protect
        (progn
          (toolgate-call "nope" nil
                         (lambda (call problem) (setq result (list call problem)))
                         :connection (call-test-endpoint fake))
          (toolgate-test-until result)
          (should-not (car result))
          (should (equal (apply #'toolgate-call-text result)
                         "UNKNOWN_TOOL: No such tool.")))
      (toolgate-fake-stop fake))))

(ert-deftest toolgate-call-describes-each-end ()
  (should (equal (toolgate-call-text '((status . "rejected") (reason . "no")
                                       (user_message . "make a branch"))
                                     nil)
                 "The call was rejected. no make a branch"))
  (should (equal (toolgate-call-text
                  '((status . "rejected")
                    (comments . [((path . "a") (line . 2) (text . "why?"))
                                 ((path . "a") (line . 3) (side . "old")
                                  (text . "keep"))]))
                  nil)
                 "The call was rejected.\na:2: why?\na:3 (removed line): keep"))
  (should (equal (toolgate-call-text
                  '((status . "error") (error (code . "STALE_FILE")
                                              (message . "It changed.")))
                  nil)
                 "STALE_FILE: It changed.")))

(ert-deftest toolgate-gptel-passes-arguments-by-name ()
  (call-test-with fake
      (list '((tools . [((function
                          (name . "todo") (description . "Writes.")
                          (parameters
                           (required . ["items"])
                           (properties
                            (items (type . "array")
                                   (items (type . "object")
                                          (properties (done (type . "boolean")))))
                            (note (type . "string") (enum . ["a" "b"]))))))]))
            '((status . "success") (result (content . "ok"))))
    (cl-letf* ((made nil)
               ((symbol-function 'gptel-make-tool)
                (lambda (&rest slots) (setq made slots))))
      (toolgate-gptel-tools (call-test-endpoint fake))
      (should (equal (plist-get made :args)
                     '((:name "items" :type "array"
                              :items (:type "object" :properties
                                            (:done (:type "boolean"))))
                       (:name "note" :type "string" :enum ["a" "b"]
                              :optional t))))
      (should (eq (plist-get made :async) t))
      (let (text)
        (funcall (plist-get made :function) (lambda (said) (setq text said))
                 [(:done :json-false)] nil)
        (toolgate-test-until text)
        (should (equal text "ok"))
        (should (equal (alist-get 'params
                                  (toolgate-json-decode
                                   (alist-get 'body
                                              (car (toolgate-fake-requests fake)))))
                       '((items . [((done . :false))]))))))))

;;; call-test.el ends here
