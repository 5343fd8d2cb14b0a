;;; http-test.el --- Tests of requests -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'ert)
(require 'toolgate-fake)
(require 'toolgate-http)

(defmacro http-test-with (fake answer &rest body)
  "Run BODY with FAKE bound to a server that does ANSWER.
There the variables `fake-client' and `request' are bound."
  (declare (indent 2))
  `(let ((,fake (toolgate-fake-start
                 (lambda (_ fake-client request)
                   (ignore fake-client request)
                   ,answer))))
     (unwind-protect (progn ,@body) (toolgate-fake-stop ,fake))))

(cl-defun http-test-ask (endpoint method path &rest options)
  "Ask ENDPOINT by METHOD for PATH with OPTIONS.
Return a list of `ok' and the answer, or of `problem' and what it is."
  (let (result)
    (apply #'toolgate-http-request endpoint method path
           :on-success (lambda (answer) (setq result (list 'ok answer)))
           :on-error (lambda (problem) (setq result (list 'problem problem)))
           options)
    (toolgate-test-until result)))

(defun http-test-endpoint (fake)
  "Return the endpoint of FAKE."
  (make-toolgate-endpoint :url (toolgate-fake-url fake) :token "secret"))

(ert-deftest toolgate-http-sends-and-decodes ()
  (http-test-with fake
      (toolgate-fake-json fake-client '((text . "ä😀") (no . :false)))
    (should (equal (http-test-ask (http-test-endpoint fake) "POST" "/calls/x"
                                  :query '((a . "ü&b") (none) (n . 1))
                                  :body '((path . "é.txt") (list . [])))
                   '(ok ((text . "ä😀") (no . :false)))))
    (let ((request (car (toolgate-fake-requests fake))))
      (should (equal (alist-get 'method request) "POST"))
      (should (equal (alist-get 'target request) "/calls/x?a=%C3%BC%26b&n=1"))
      (should (equal (toolgate-json-decode (alist-get 'body request))
                     '((path . "é.txt") (list . []))))
      (should (equal (sort (alist-get 'headers request)
                           (lambda (a b) (string< (car a) (car b))))
                     `(("authorization" . "Bearer secret")
                       ("content-length" . "27")
                       ("content-type" . "application/json")
                       ("host" . ,(format "127.0.0.1:%d"
                                          (toolgate-fake-port fake)))
                       ("x-toolgate-client" . "emacs")))))))

(ert-deftest toolgate-http-reads-all-pages ()
  (http-test-with fake
      (toolgate-fake-json
       fake-client
       (if (string-search "cursor=" (alist-get 'target request))
           '((modes . [3]) (default . "plan"))
         '((modes . [1 2]) (default . "ask") (cursor . "YQ"))))
    (should (equal (http-test-ask (http-test-endpoint fake) "GET" "/modes"
                                  :query '((a . 1)) :pages 'modes)
                   '(ok ((modes . [1 2 3]) (modes . [1 2])
                         (default . "ask") (cursor . "YQ")))))
    (should (equal (mapcar (lambda (request) (alist-get 'target request))
                           (toolgate-fake-requests fake))
                   '("/modes?cursor=YQ&a=1" "/modes?a=1")))))

(ert-deftest toolgate-http-token-is-never-printed ()
  (should-not (string-search
               "hush-hush"
               (format "%S" (make-toolgate-endpoint :token "hush-hush")))))

(ert-deftest toolgate-http-problem ()
  (http-test-with fake
      (toolgate-fake-json fake-client
                          '((status . 409) (code . "CONFLICT")
                            (detail . "Too late.") (details . ((by . "x"))))
                          409)
    (should (equal (http-test-ask (http-test-endpoint fake) "POST" "/x")
                   '(problem (:status 409 :code "CONFLICT" :message "Too late."
                                      :details ((by . "x")) :errors nil))))))

(ert-deftest toolgate-http-answer-of-another-program ()
  (http-test-with fake
      (progn (toolgate-fake-send fake-client "HTTP/1.1 502 Bad\r\n\r\n<html>")
             (delete-process fake-client))
    (should (equal (plist-get (cadr (http-test-ask (http-test-endpoint fake)
                                                   "GET" "/x"))
                              :code)
                   "NO_TOOLGATE"))))

(ert-deftest toolgate-http-cut-off ()
  (http-test-with fake
      (progn (toolgate-fake-send
              fake-client "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
             (delete-process fake-client))
    (should (equal (http-test-ask (http-test-endpoint fake) "GET" "/x")
                   `(problem (:status 0 :code "NO_ANSWER" :details nil
                                      :errors nil :message
                                      ,(format "No response from %s: the response was incomplete"
                                               (toolgate-fake-url fake))))))))

(ert-deftest toolgate-http-nobody-there ()
  (let* ((fake (toolgate-fake-start #'ignore))
         (endpoint (http-test-endpoint fake)))
    (toolgate-fake-stop fake)
    (should (equal (plist-get (cadr (http-test-ask endpoint "GET" "/x"))
                              :message)
                   (format "No response from %s: connection refused"
                           (toolgate-endpoint-url endpoint))))))

(ert-deftest toolgate-http-timeout-and-giving-up ()
  (http-test-with fake nil
    (should (equal (plist-get (cadr (http-test-ask (http-test-endpoint fake)
                                                   "GET" "/x" :timeout 0.1))
                              :code)
                   "NO_ANSWER"))
    (let (called)
      (funcall (toolgate-http-request
                (http-test-endpoint fake) "GET" "/x" :timeout 0.05
                :on-success (lambda (_) (setq called t))
                :on-error (lambda (_) (setq called t))))
      (http-test-ask (http-test-endpoint fake) "GET" "/y" :timeout 0.2)
      (should-not called))))

(ert-deftest toolgate-http-unix-socket ()
  (let* ((folder (make-temp-file "toolgate-" t))
         (socket (expand-file-name "s" folder))
         (fake (toolgate-fake-start
                (lambda (_ client _) (toolgate-fake-json client '((ok . t))))
                socket)))
    (unwind-protect
        (progn
          (should (equal (http-test-ask
                          (make-toolgate-endpoint :url "http://127.0.0.1:1"
                                                  :socket socket)
                          "GET" "/health")
                         '(ok ((ok . t)))))
          (should (equal (cdr (assoc "host" (alist-get 'headers
                                                       (car (toolgate-fake-requests fake)))))
                         "localhost")))
      (toolgate-fake-stop fake)
      (delete-directory folder t))))

(ert-deftest toolgate-http-looks-the-token-up-anew ()
  (http-test-with fake
      (if (equal (cdr (assoc "authorization" (alist-get 'headers request)))
                 "Bearer fresh")
          (toolgate-fake-json fake-client '((ok . t)))
        (toolgate-fake-json fake-client '((code . "UNAUTHORIZED")
                                          (detail . "No."))
                            401))
    (let ((endpoint (http-test-endpoint fake)))
      (setf (toolgate-endpoint-renew endpoint)
            (lambda () (toolgate-endpoint-set-token endpoint "fresh") t))
      (should (equal (http-test-ask endpoint "GET" "/x") '(ok ((ok . t)))))
      (should (= 2 (length (toolgate-fake-requests fake))))
      (toolgate-endpoint-set-token endpoint "old")
      (setf (toolgate-endpoint-renew endpoint) #'ignore)
      (should (equal (plist-get (cadr (http-test-ask endpoint "GET" "/x"))
                                :code)
                     "UNAUTHORIZED")))))

(ert-deftest toolgate-http-curl-shows-no-token ()
  "What curl is started with and told, by a program in its place."
  (let* ((folder (make-temp-file "toolgate-" t))
         (toolgate-curl-program (expand-file-name "curl" folder))
         (seen (expand-file-name "seen" folder)))
    (unwind-protect
        (progn
          (with-temp-file toolgate-curl-program
            (insert "#!/bin/sh\necho \"$@\" > " seen "\ncat >> " seen
                    "\nprintf 'HTTP/1.1 100 Continue\\r\\n\\r\\nHTTP/2 200\\r\\n"
                    "content-type: application/json\\r\\n\\r\\n{\"ok\":true}'\n"))
          (set-file-modes toolgate-curl-program #o700)
          (should (equal (http-test-ask
                          (make-toolgate-endpoint :url "https://host.test:8443"
                                                  :token "sec\"ret")
                          "GET" "/x" :query '((a . "b")))
                         '(ok ((ok . t)))))
          (should (equal (with-temp-buffer (insert-file-contents seen)
                                           (buffer-string))
                         "-q --noproxy * -N -sS -i -K -
url = \"https://host.test:8443/x?a=b\"
request = \"GET\"
header = \"Expect: \"
header = \"X-Toolgate-Client: emacs\"
header = \"Authorization: Bearer sec\\\"ret\"
")))
      (delete-directory folder t))))

(ert-deftest toolgate-json-takes-what-the-native-reader-refuses ()
  (should (equal (toolgate-json-decode "{\"a\":\"x\\u0000\",\"n\":12345678901234567890123,\"e\":{},\"l\":[null,false]}")
                 '((a . "x\0") (n . 12345678901234567890123) (e)
                   (l . [:null :false]))))
  (should-error (toolgate-json-decode "{\"a\":1} x") :type 'json-error)
  (should-error (toolgate-json-decode "{\"a\":") :type 'json-error))

(ert-deftest toolgate-json-is-written-as-it-was-read ()
  (dolist (text '("{\"a\":{},\"b\":[],\"c\":null,\"d\":false,\"e\":true,\"f\":[1,\"é\"]}"
                  "{\"a\":1.1,\"b\":{},\"c\":[0.1,{\"d\":1.5e+300}],\"e\":[{},null,false]}"
                  "{}" "[]"))
    (should (equal (decode-coding-string
                    (toolgate-json-encode (toolgate-json-decode text)) 'utf-8)
                   text))))

(provide 'http-test)
;;; http-test.el ends here
