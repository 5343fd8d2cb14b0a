;;; toolgate-fake.el --- A server for tests -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A server that answers as a test tells it to, and keeps what it was asked.

;;; Code:

(require 'cl-lib)
(require 'ert)
(require 'subr-x)
(require 'toolgate-discover)
(require 'toolgate-json)

(cl-defstruct (toolgate-fake (:constructor toolgate-fake--make))
  "A fake server."
  process port socket answer (requests nil) (clients nil))

(defun toolgate-fake-start (answer &optional socket port)
  "Start a server that calls ANSWER with itself, a client and each request.
A request is an alist with method, target, headers and body.  With SOCKET or
PORT it listens there."
  (let* ((fake (toolgate-fake--make :answer answer :socket socket))
         (process
          (apply #'make-network-process
                 :name "toolgate-fake" :server t :noquery t :coding 'binary
                 :filter (lambda (client bytes)
                           (toolgate-fake--read fake client bytes))
                 :sentinel (lambda (client _)
                             (cl-pushnew client (toolgate-fake-clients fake)))
                 (if socket (list :family 'local :service socket)
                   (list :host 'local :family 'ipv4 :service (or port t))))))
    (setf (toolgate-fake-process fake) process
          (toolgate-fake-port fake)
          (unless socket (process-contact process :service)))
    fake))

(defun toolgate-fake-url (fake)
  "Return the address of FAKE."
  (format "http://127.0.0.1:%d" (toolgate-fake-port fake)))

(defun toolgate-fake-stop (fake)
  "Stop FAKE and all its connections."
  (mapc #'delete-process (toolgate-fake-clients fake))
  (delete-process (toolgate-fake-process fake))
  (when (toolgate-fake-socket fake)
    (ignore-errors (delete-file (toolgate-fake-socket fake)))))

(defun toolgate-fake--read (fake client bytes)
  "Take BYTES of CLIENT of FAKE; answer once the request is whole."
  (cl-pushnew client (toolgate-fake-clients fake))
  (let ((all (concat (process-get client 'bytes) bytes)))
    (process-put client 'bytes all)
    (when (string-match "\r\n\r\n" all)
      (let* ((body (substring all (match-end 0)))
             (head (split-string (substring all 0 (match-beginning 0)) "\r\n"))
             (first (split-string (car head) " "))
             (headers (mapcar (lambda (line)
                                (string-match "\\`\\([^:]+\\): \\(.*\\)" line)
                                (cons (downcase (match-string 1 line))
                                      (match-string 2 line)))
                              (cdr head)))
             (length (string-to-number
                      (or (cdr (assoc "content-length" headers)) "0"))))
        (when (and (>= (length body) length)
                   (not (process-get client 'asked)))
          (process-put client 'asked t)
          (let ((request `((method . ,(car first)) (target . ,(cadr first))
                           (headers . ,headers)
                           (body . ,(and (> length 0) body)))))
            (push request (toolgate-fake-requests fake))
            (funcall (toolgate-fake-answer fake) fake client request)))))))

(defun toolgate-fake-send (client text)
  "Send TEXT to CLIENT, in UTF-8."
  (when (process-live-p client)
    (process-send-string
     client (if (multibyte-string-p text) (encode-coding-string text 'utf-8)
              text))))

(defun toolgate-fake-json (client value &optional status)
  "Answer CLIENT with VALUE as JSON and STATUS."
  (let ((body (toolgate-json-encode value)))
    (toolgate-fake-send
     client (concat (format "HTTP/1.1 %d X\r\nContent-Type: application/json\r\n"
                            (or status 200))
                    (format "Content-Length: %d\r\n\r\n" (length body))
                    body))
    (delete-process client)))

(defun toolgate-fake-health (fake client request token fields)
  "Answer CLIENT of FAKE its REQUEST of /health with FIELDS.
With a proof that TOKEN is known, if that is non-nil."
  (let ((target (alist-get 'target request)))
    (string-match "challenge=\\([0-9a-f]+\\)" target)
    (toolgate-fake-json
     client
     (append fields
             (and token
                  `((proof . ,(toolgate-discover--proof
                               token (match-string 1 target)
                               (format "127.0.0.1:%d"
                                       (toolgate-fake-port fake))))))))))

(defun toolgate-fake-stream (client &rest events)
  "Begin a stream at CLIENT with EVENTS."
  (toolgate-fake-send client
                      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
  (apply #'toolgate-fake-events client events))

(defun toolgate-fake-events (client &rest events)
  "Send EVENTS to CLIENT."
  (dolist (event events)
    (toolgate-fake-send
     client
     (format "%sevent: %s\ndata: %s\n\n"
             (if (and (assq 'seq event)
                      (not (equal (cdr (assq 'type event)) "stream.snapshot")))
                 (format "id: %s\n" (cdr (assq 'seq event))) "")
             (cdr (assq 'type event))
             (decode-coding-string (toolgate-json-encode event) 'utf-8)))))

(defmacro toolgate-test-until (condition)
  "Wait until CONDITION holds, and return what it gives."
  (let ((limit (make-symbol "limit")) (value (make-symbol "value")))
    `(let ((,limit (+ (float-time) 120)) ,value)
       (while (not (setq ,value ,condition))
         (when (> (float-time) ,limit)
           (ert-fail (list "never came true" ',condition)))
         (accept-process-output nil 0.02))
       ,value)))

(provide 'toolgate-fake)
;;; toolgate-fake.el ends here
