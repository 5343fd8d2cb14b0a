;;; toolgate-http.el --- HTTP client for Toolgate servers  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Requests use `make-network-process' and HTTP/1.0, so that responses are not
;; chunked, to a TCP port or a unix socket.  Requests to https URLs use curl.
;; Responses are passed to callbacks, which must not ask the user anything:
;; keys typed by then are meant for something else.  A command that needs the
;; response before it asks must wait for it with `toolgate-http-wait'.

;;; Code:

(require 'cl-lib)
(require 'subr-x)
(require 'url-parse)
(require 'url-util)
(require 'toolgate-json)

(cl-defstruct (toolgate-endpoint
               (:copier nil)
               (:constructor make-toolgate-endpoint
                             (&key url socket renew token
                                   &aux (secret (toolgate-http--secret token)))))
  "Address and credentials of a server."
  (url nil :documentation "Its URL, without a slash at the end.")
  (socket nil :documentation
          "Its unix socket, which is preferred if it exists.")
  (secret nil :documentation
          "Token, as the value of a symbol: if this structure is printed, for
instance in an error, the token does not appear.")
  (renew nil :documentation
         "Function that looks the token up again, and returns non-nil if it has
changed."))

(defun toolgate-http--secret (token)
  "Return a symbol whose value is TOKEN, and whose name does not reveal it."
  (let ((secret (make-symbol "secret")))
    (set secret token)
    secret))

(defun toolgate-endpoint-token (endpoint)
  "Return the token for ENDPOINT, or nil."
  (when-let ((secret (toolgate-endpoint-secret endpoint)))
    (symbol-value secret)))

(defun toolgate-endpoint-set-token (endpoint token)
  "Set the token for ENDPOINT to TOKEN."
  (setf (toolgate-endpoint-secret endpoint) (toolgate-http--secret token)))

(cl-defun toolgate-http-request
    (connection method path
                &key body query pages on-success on-error (timeout 30))
  "Send a request METHOD PATH to CONNECTION.
BODY is an object that is sent as JSON, QUERY an alist of names and values.
PAGES is the key of a list that is split into pages: all pages are read, and
the result is the first page with the items of all pages.  On success,
ON-SUCCESS is called with the decoded response.  Otherwise ON-ERROR is called
with a plist: :status, the HTTP status, or 0 if there was no response or none
within TIMEOUT seconds; :code, such as \"CONFLICT\" or \"NO_ANSWER\";
:message, for people; :details, an object or nil; and :errors, the invalid
fields.  Return a function that cancels the request; then neither is called."
  (let* (ask over timer process parts status content-type length first items
         (retry (toolgate-endpoint-renew connection))
         (bytes (and body (toolgate-json-encode body)))
         (finish (lambda (function argument)
                   (unless over
                     (setq over t)
                     (when timer (cancel-timer timer))
                     (when process (toolgate-http-close process))
                     (when function
                       (with-demoted-errors "Toolgate: %S"
                         (let ((inhibit-interaction t))
                           (funcall function argument)))))))
         (succeed
          (lambda (answer)
            (if (null pages) (funcall finish on-success answer)
              (setq first (or first answer)
                    items (append items (toolgate-get-list answer pages)))
              (if-let ((next (toolgate-get answer 'cursor)))
                  (setq query (cons (cons 'cursor next)
                                    (assq-delete-all 'cursor (copy-sequence query)))
                        process (funcall ask))
                (funcall finish on-success
                         (cons (cons pages (vconcat items)) first)))))))
    (setq ask
          (lambda ()
            (setq parts nil status nil)
            (toolgate-http-open
             connection method path :query query :body bytes
             :on-head (lambda (code headers)
                        (setq status code
                              content-type (cdr (assoc "content-type" headers))
                              length (cdr (assoc "content-length" headers))))
             :on-bytes (lambda (part) (push part parts))
             :on-end
             (lambda (reason)
               (let ((text (apply #'concat (nreverse parts))))
                 (cond
                  (over)
                  ((and (eql status 401) retry (funcall retry))
                   (setq retry nil process (funcall ask)))
                  ((or (null status)
                       (and length (< (length text) (string-to-number length))))
                   (funcall finish on-error
                            (toolgate-http--no-answer
                             connection (or reason "the response was incomplete"))))
                  ((< 199 status 300)
                   (funcall succeed (toolgate-http--decode text content-type)))
                  (t (funcall finish on-error
                              (toolgate-http--problem status text)))))))))
    (when timeout
      (setq timer (run-at-time
                   timeout nil
                   (lambda ()
                     (funcall finish on-error
                              (toolgate-http--no-answer
                               connection
                               (format "no response for %s s" timeout)))))))
    (setq process (funcall ask))
    (lambda () (funcall finish nil nil))))

(cl-defun toolgate-http-wait (connection method path &rest options
                                         &key on-error &allow-other-keys)
  "Send a request METHOD PATH to CONNECTION with OPTIONS, and wait.
Only for commands; \\`C-g' cancels the request.  Return the decoded response.
On failure signal a `user-error', or with ON-ERROR call it with the problem
and return nil."
  (let* (answer problem
         (give-up (apply #'toolgate-http-request connection method path
                         :on-success (lambda (said) (setq answer (list said)))
                         :on-error (lambda (found) (setq problem found))
                         options)))
    (unwind-protect
        (let ((waited 0))
          (while (not (or answer problem))
            (accept-process-output nil 0.1)
            (when (= 4 (setq waited (1+ waited)))
              (message "Waiting for the server… (C-g cancels)"))))
      (funcall give-up))
    (cond ((null problem) (car answer))
          (on-error (funcall on-error problem) nil)
          (t (user-error "%s" (toolgate-http-problem-text problem))))))

(defun toolgate-http--decode (text content-type)
  "Return TEXT of CONTENT-TYPE decoded if it is JSON, else unchanged."
  (cond ((string-empty-p text) nil)
        ((string-match-p "json" (or content-type ""))
         (toolgate-json-decode text))
        (t (decode-coding-string text 'utf-8))))

(defun toolgate-http--problem (status text)
  "Return the problem in a response with STATUS and TEXT."
  (let ((document (ignore-errors (toolgate-json-decode text))))
    (list :status status
          :code (or (toolgate-get document 'code) "NO_TOOLGATE")
          :message (or (toolgate-get document 'detail)
                       (format "Status %d, but the response is not from a Toolgate server"
                               status))
          :details (toolgate-get document 'details)
          :errors (toolgate-get-list document 'errors))))

(defun toolgate-http--no-answer (endpoint reason)
  "Return the problem that ENDPOINT did not respond, for REASON."
  (list :status 0 :code "NO_ANSWER" :details nil :errors nil
        :message (format "No response from %s: %s"
                         (toolgate-endpoint-url endpoint) reason)))

;;;; Connections

(cl-defun toolgate-http-open
    (endpoint method path &key query headers body on-head on-bytes on-end)
  "Send a request METHOD PATH to ENDPOINT, and return its process.
QUERY and HEADERS are alists, BODY is bytes of JSON.  When the head of the
response has arrived, ON-HEAD is called with its status and headers, an alist
with names in lower case; then ON-BYTES with each part of the body; finally
ON-END, once, with the reason of the end, or nil if the connection was closed."
  (let* ((url (url-generic-parse-url (toolgate-endpoint-url endpoint)))
         (target (concat (directory-file-name (or (url-filename url) ""))
                         path (toolgate-http--query query)))
         (headers (toolgate-http--headers endpoint headers body))
         (read (toolgate-http--reader on-head on-bytes))
         ended
         (end (lambda (reason)
                (unless ended
                  (setq ended t)
                  (funcall on-end reason)))))
    (condition-case problem
        (if (equal (url-type url) "https")
            (toolgate-http--by-curl endpoint url method target headers body
                                    read end)
          (toolgate-http--by-network endpoint url method target headers body
                                     read end))
      ;; Report it asynchronously like any other end.
      ((file-error error)
       (run-at-time 0 nil end (error-message-string problem))
       nil))))

(defun toolgate-http-close (process)
  "Close PROCESS of `toolgate-http-open' without calling its callbacks."
  (set-process-filter process #'ignore)
  (set-process-sentinel process #'ignore)
  (delete-process process))

(defun toolgate-http--query (query)
  "Return QUERY, an alist, as the query string of a URL."
  (let ((pairs (cl-loop for (name . value) in query
                        when value
                        collect (format "%s=%s" name
                                        (url-hexify-string
                                         (format "%s" value))))))
    (if pairs (concat "?" (string-join pairs "&")) "")))

(defun toolgate-http--headers (endpoint headers body)
  "Return HEADERS with those that ENDPOINT and BODY require."
  `(("X-Toolgate-Client" . "emacs")
    ,@(when-let ((token (toolgate-endpoint-token endpoint)))
        `(("Authorization" . ,(concat "Bearer " token))))
    ,@(and body '(("Content-Type" . "application/json")))
    ,@headers))

(defun toolgate-http--reader (on-head on-bytes)
  "Return a function that parses parts of a response for ON-HEAD and ON-BYTES."
  (let ((head "") done)
    (lambda (bytes)
      (unless done
        (setq head (concat head bytes) bytes "")
        ;; Informational responses such as 100 and 103 precede another head.
        (while (and (not done)
                    (string-match "\r?\n\r?\n" head))
          (let ((rest (substring head (match-end 0)))
                (parsed (toolgate-http--parse-head
                         (substring head 0 (match-beginning 0)))))
            (if (and (car parsed) (< (car parsed) 200)) (setq head rest)
              (setq done t bytes rest head nil)
              (funcall on-head (car parsed) (cdr parsed))))))
      (unless (string-empty-p bytes) (funcall on-bytes bytes)))))

(defun toolgate-http--parse-head (head)
  "Return the status in HEAD, or nil, and an alist of its headers."
  (let ((lines (split-string head "\r?\n")))
    (cons (and (string-match "\\`HTTP/[0-9.]+ \\([0-9]+\\)" (car lines))
               (string-to-number (match-string 1 (car lines))))
          (cl-loop for line in (cdr lines)
                   when (string-match "\\`\\([^:]+\\):[ \t]*\\(.*\\)\\'" line)
                   collect (cons (downcase (match-string 1 line))
                                 (match-string 2 line))))))

(defun toolgate-http--by-network
    (endpoint url method target headers body read end)
  "Send a request to ENDPOINT at URL over a network process.
METHOD, TARGET, HEADERS and BODY are the request; READ is called with the
bytes of the response, END with the reason of its end."
  (let* ((socket (toolgate-endpoint-socket endpoint))
         (local (and socket (file-exists-p socket)))
         (request
          (concat
           (format "%s %s HTTP/1.0\r\nHost: %s\r\n" method target
                   (if local "localhost" (toolgate-http--host url)))
           (mapconcat (lambda (header)
                        (format "%s: %s\r\n" (car header) (cdr header)))
                      headers "")
           (and body (format "Content-Length: %d\r\n" (length body)))
           "\r\n")))
    (apply
     #'make-network-process
     :name "toolgate" :noquery t :coding 'binary
     :filter (lambda (_ bytes) (funcall read bytes))
     :sentinel (toolgate-http--sentinel
                (concat (encode-coding-string request 'utf-8) body) end)
     :nowait t
     (if local (list :family 'local :service socket)
       (list :host (replace-regexp-in-string "[][]" "" (url-host url))
             :service (url-port url))))))

(defun toolgate-http-host (endpoint)
  "Return the Host header for requests to ENDPOINT."
  (let ((socket (toolgate-endpoint-socket endpoint)))
    (if (and socket (file-exists-p socket)) "localhost"
      (toolgate-http--host
       (url-generic-parse-url (toolgate-endpoint-url endpoint))))))

(defun toolgate-http--host (url)
  "Return the host and port of URL, as in the Host header."
  (if (eq (url-port url) 80) (url-host url)
    (format "%s:%d" (url-host url) (url-port url))))

(defun toolgate-http--sentinel (request end)
  "Return a sentinel that sends REQUEST once connected, and finally calls END."
  (lambda (process event)
    (cond ((string-prefix-p "open" event)
           ;; A connection that is closed immediately is reported by the next
           ;; event.
           (ignore-errors (process-send-string process request)))
          ;; Deleting the process causes another event, which must not come
          ;; first.
          ((not (process-live-p process))
           (funcall end (and (string-prefix-p "failed" event)
                             (toolgate-http--failure event)))
           (delete-process process)))))

(defun toolgate-http--failure (event)
  "Return the error in EVENT of a network process, for people."
  (let ((code (and (string-match "code \\([0-9]+\\)" event)
                   (string-to-number (match-string 1 event)))))
    (pcase code
      (111 "connection refused")
      ((or 101 113) "host unreachable")
      (_ (string-trim event)))))

;;;; curl, for https

(defvar toolgate-curl-program "curl"
  "Program for requests to https URLs.")

(defun toolgate-http--by-curl
    (endpoint url method target headers body read end)
  "Send a request to ENDPOINT at URL with curl.
METHOD, TARGET, HEADERS and BODY are the request; READ is called with the
bytes of the response, END with the reason of its end.  Curl reads all
arguments from its standard input, so that the token is not visible in the
process list."
  (ignore endpoint)
  (let* ((process-adaptive-read-buffering nil)
         (errors (generate-new-buffer " *toolgate curl*" t))
         (file (and body (toolgate-http--body-file body)))
         (stderr (make-pipe-process :name "toolgate curl" :noquery t
                                    :buffer errors :sentinel #'ignore))
         (process
          (make-process
           :name "toolgate" :noquery t :coding 'binary :connection-type 'pipe
           :command (list toolgate-curl-program
                          "-q" "--noproxy" "*" "-N" "-sS" "-i" "-K" "-")
           :stderr stderr
           :filter (lambda (_ bytes) (funcall read bytes))
           :sentinel
           (lambda (process _)
             (unless (process-live-p process)
               ;; Output of curl may arrive after the event of its exit.
               (while (accept-process-output process 0))
               (while (accept-process-output stderr 0))
               (let ((said (with-current-buffer errors
                             (string-trim (buffer-string)))))
                 (delete-process stderr)
                 (kill-buffer errors)
                 (when file (delete-file file))
                 (funcall end (if (string-empty-p said) nil said))))))))
    (process-send-string
     process
     (encode-coding-string
      (toolgate-http--curl-config
       `(("url" . ,(format "https://%s%s" (toolgate-http--host url) target))
         ("request" . ,method)
         ,@(cl-loop for (name . value) in (cons '("Expect" . "") headers)
                    collect (cons "header" (format "%s: %s" name value)))
         ,@(and file `(("data-binary" . ,(concat "@" file))))))
      'utf-8))
    (process-send-eof process)
    process))

(defun toolgate-http--body-file (body)
  "Return a new private file that contains BODY."
  (let ((coding-system-for-write 'binary))
    (make-temp-file "toolgate-" nil nil body)))

(defun toolgate-http--curl-config (options)
  "Return OPTIONS, an alist, in the format of a curl configuration."
  (mapconcat (lambda (option)
               (format "%s = \"%s\"\n" (car option)
                       (replace-regexp-in-string "[\\\"]" "\\\\\\&"
                                                 (cdr option))))
             options ""))

(defun toolgate-http-problem-text (problem)
  "Return the message of PROBLEM, with the invalid fields."
  (mapconcat #'identity
             (cons (plist-get problem :message)
                   (mapcar (lambda (wrong)
                             (format "%s %s" (toolgate-get wrong 'pointer)
                                     (toolgate-get wrong 'message)))
                           (append (plist-get problem :errors) nil)))
             "; "))

(provide 'toolgate-http)
;;; toolgate-http.el ends here
