;;; toolgate-http.el --- Requests to a Toolgate server  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Requests go over `make-network-process', by HTTP/1.0, which is answered
;; unchunked, to a TCP port or a unix socket.  An https address is asked by
;; curl.  Nothing ever waits: answers come to functions.

;;; Code:

(require 'cl-lib)
(require 'subr-x)
(require 'toolgate-json)

(cl-defstruct (toolgate-endpoint (:copier nil))
  "Where a server is, and what lets us speak to it."
  (url nil :documentation "Its address, without a slash at the end.")
  (socket nil :documentation "Its unix socket, which is used if it is there.")
  (token nil :documentation "What lets us call and decide; never shown."))

(cl-defun toolgate-http-request
    (connection method path &key body query on-success on-error (timeout 30))
  "Request METHOD of PATH at CONNECTION.
BODY is an object that is sent as JSON, QUERY an alist of names and values.
Once answered, ON-SUCCESS is called with what the answer says, decoded.  Else
ON-ERROR is called with a plist: :status, the HTTP status, or 0 where there was
no answer within TIMEOUT seconds or at all; :code, such as \"CONFLICT\" or
\"NO_ANSWER\"; :message, for people; :details, an object or nil; and :errors,
which fields were wrong.
Return a function that gives the request up; then neither is called."
  (ignore connection method path body query on-success on-error timeout)
  (error "Not there yet"))

(provide 'toolgate-http)
;;; toolgate-http.el ends here
