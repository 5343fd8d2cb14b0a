;;; toolgate-stream.el --- Event stream with reconnection  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Follows `GET /events'.  A connection that is lost or silent is replaced by a
;; new one that continues after the last event, so that no event is lost or
;; repeated.

;;; Code:

(require 'cl-lib)
(require 'toolgate-http)
(require 'toolgate-json)
(require 'toolgate-sse)

(defconst toolgate-stream--retry 0.5
  "Seconds before the first reconnection; each further delay is doubled.")
(defconst toolgate-stream--longest-retry 10
  "Maximum seconds before a reconnection.")
(defvar toolgate-stream-silence 45
  "Seconds of silence after which a connection is closed.
The server sends data every 15 seconds.")

(cl-defstruct (toolgate-stream (:constructor toolgate-stream--make)
                               (:copier nil))
  "An event stream."
  endpoint query on-events on-status rediscover
  (last-id nil :documentation "Id of the last processed event.")
  (retry nil :documentation
         "Reconnection delay in seconds that the server requests.")
  (tries 0 :documentation "Number of consecutive failed connections.")
  process parser timer heard closed)

(cl-defun toolgate-stream-open
    (endpoint &key query on-events on-status rediscover)
  "Follow the events of ENDPOINT that QUERY selects.
ON-EVENTS is called with lists of pairs, size in bytes and event.  ON-STATUS
is called with a status, see `toolgate-connection', and a reason or nil.
REDISCOVER is called with ENDPOINT and a callback after a connection was lost,
to look for the server; it calls that callback with nil if it was found, else
with the reason why it was not: then no request is sent, and the search is
repeated later."
  (let ((stream (toolgate-stream--make
                 :endpoint endpoint :query query :on-events on-events
                 :on-status on-status :rediscover rediscover)))
    (toolgate-stream--connect stream)
    stream))

(defun toolgate-stream-close (stream)
  "Stop following STREAM."
  (setf (toolgate-stream-closed stream) t)
  (toolgate-stream--drop stream))

(defun toolgate-stream--connect (stream)
  "Open a connection for STREAM."
  (toolgate-stream--drop stream)
  (toolgate-stream--status stream 'connecting)
  (let* ((parser (toolgate-sse-parser))
         (last-id (toolgate-stream-last-id stream))
         status (refusal ""))
    (setf (toolgate-stream-parser stream) parser
          (toolgate-stream-process stream)
          (toolgate-http-open
           (toolgate-stream-endpoint stream) "GET" "/events"
           :query (toolgate-stream-query stream)
           :headers `(("Accept" . "text/event-stream")
                      ,@(and last-id `(("Last-Event-ID" . ,last-id))))
           :on-head (lambda (code _) (setq status code))
           :on-bytes (lambda (bytes)
                       (when (eq parser (toolgate-stream-parser stream))
                         (if (eql status 200)
                             (toolgate-stream--heard stream bytes)
                           (setq refusal (concat refusal bytes)))))
           :on-end (lambda (reason)
                     (when (eq parser (toolgate-stream-parser stream))
                       (toolgate-stream--ended stream status refusal reason))))))
  (toolgate-stream--watch stream))

(defun toolgate-stream--heard (stream bytes)
  "Process BYTES received for STREAM."
  (setf (toolgate-stream-heard stream) (float-time))
  (let* ((parser (toolgate-stream-parser stream))
         (events (condition-case problem (toolgate-sse-push parser bytes)
                   (error (toolgate-stream--lost
                           stream (error-message-string problem))
                          nil))))
    (when events
      (setf (toolgate-stream-tries stream) 0)
      (when (toolgate-sse-parser-retry parser)
        (setf (toolgate-stream-retry stream)
              (/ (toolgate-sse-parser-retry parser) 1000.0)))
      (toolgate-stream--status stream 'live)
      (funcall (toolgate-stream-on-events stream)
               (delq nil (mapcar #'toolgate-stream--decode events)))
      ;; Only after processing: events that could not be processed are sent
      ;; again.
      (setf (toolgate-stream-last-id stream)
            (or (car (car (last events))) (toolgate-stream-last-id stream))))))

(defun toolgate-stream--decode (event)
  "Return a pair of the size of EVENT and its decoded data, or nil."
  (condition-case problem
      (let ((data (nth 2 event)))
        (cons (length data)
              (toolgate-json-decode (decode-coding-string data 'utf-8))))
    (error (message "Toolgate: the event %s could not be read: %s"
                    (car event) (error-message-string problem))
           nil)))

(defun toolgate-stream--ended (stream status refusal reason)
  "Handle the end of a connection of STREAM, with STATUS and REFUSAL, or REASON.
Reconnect unless the server has rejected the request.  An unknown token is
retried, because the server may have restarted."
  (if (and status (/= status 200) (/= status 401) (< status 500))
      (progn
        (toolgate-stream-close stream)
        (toolgate-stream--status
         stream 'closed
         (plist-get (toolgate-http--problem status refusal) :message)))
    (toolgate-stream--lost
     stream
     (cond ((eql status 401) "the token was rejected")
           ((and status (/= status 200)) (format "status %d" status))
           (reason)
           (t "the connection was closed")))))

(defun toolgate-stream--lost (stream reason)
  "Schedule a new connection for STREAM, which was lost for REASON."
  (toolgate-stream--drop stream)
  (toolgate-stream--status stream 'lost reason)
  (let ((delay (min (* (or (toolgate-stream-retry stream)
                           toolgate-stream--retry)
                       (expt 2 (min 10 (toolgate-stream-tries stream))))
                    toolgate-stream--longest-retry)))
    (cl-incf (toolgate-stream-tries stream))
    (setf (toolgate-stream-timer stream)
          (run-at-time (* delay (+ 0.5 (/ (random 1000) 2000.0))) nil
                       #'toolgate-stream--come-back stream))))

(defun toolgate-stream--come-back (stream)
  "Look for the server of STREAM, and reconnect."
  (let ((go-on (lambda (&optional problem)
                 (cond ((toolgate-stream-closed stream))
                       (problem (toolgate-stream--lost stream problem))
                       (t (toolgate-stream--connect stream))))))
    (if (toolgate-stream-rediscover stream)
        (funcall (toolgate-stream-rediscover stream)
                 (toolgate-stream-endpoint stream) go-on)
      (funcall go-on))))

(defun toolgate-stream-retry-now (stream)
  "Reconnect STREAM immediately, if it has no connection."
  (when (timerp (toolgate-stream-timer stream))
    (unless (toolgate-stream-process stream)
      (toolgate-stream--drop stream)
      (toolgate-stream--come-back stream))))

(defun toolgate-stream--watch (stream)
  "Close the connection of STREAM if it is silent for too long."
  (setf (toolgate-stream-heard stream) (float-time)
        (toolgate-stream-timer stream)
        (run-at-time toolgate-stream-silence nil
                     #'toolgate-stream--check-silence stream)))

(defun toolgate-stream--check-silence (stream)
  "Close the connection of STREAM if it is silent, else check again later."
  (let ((left (- (+ (toolgate-stream-heard stream) toolgate-stream-silence)
                 (float-time))))
    (if (> left 0.01)
        (setf (toolgate-stream-timer stream)
              (run-at-time left nil #'toolgate-stream--check-silence stream))
      (toolgate-stream--lost stream "the server does not respond"))))

(defun toolgate-stream--drop (stream)
  "Close the connection of STREAM, and cancel its timer."
  (when (timerp (toolgate-stream-timer stream))
    (cancel-timer (toolgate-stream-timer stream)))
  (when (processp (toolgate-stream-process stream))
    (toolgate-http-close (toolgate-stream-process stream)))
  (when (toolgate-stream-parser stream)
    (toolgate-sse-end (toolgate-stream-parser stream)))
  (setf (toolgate-stream-timer stream) nil
        (toolgate-stream-process stream) nil
        (toolgate-stream-parser stream) nil))

(defun toolgate-stream--status (stream status &optional reason)
  "Report that STREAM has STATUS for REASON."
  (when (toolgate-stream-on-status stream)
    (funcall (toolgate-stream-on-status stream) status reason)))

(provide 'toolgate-stream)
;;; toolgate-stream.el ends here
