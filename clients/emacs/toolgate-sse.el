;;; toolgate-sse.el --- Parse server-sent events  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A parser of server-sent events, as specified in the standard.  Its input is
;; bytes: characters, line ends and events may be split at any byte, and lines
;; may have any length.  No byte is scanned twice, so that the cost of a long
;; event is proportional to its length.

;;; Code:

(require 'cl-lib)

(cl-defstruct (toolgate-sse-parser (:constructor toolgate-sse-parser--make)
                                   (:copier nil))
  "State of a stream between two chunks."
  (buffer nil :documentation
          "Buffer with the bytes from the last incomplete line on.")
  (retry nil :documentation
         "Reconnection time in milliseconds that the server requests.")
  (id nil :documentation "Last event id.")
  (event nil :documentation "Type of the incomplete event.")
  (data nil :documentation "Its data lines, the last first.")
  (held 0 :documentation "Total size of these lines in bytes.")
  (after-cr nil :documentation
            "Non-nil if a line feed here belongs to the previous CR.")
  (begun nil :documentation "Non-nil if the first three bytes were seen."))

(defconst toolgate-sse--most-bytes (* 64 1024 1024)
  "Maximum size of an event in bytes.")

(defun toolgate-sse-parser ()
  "Return a parser for one stream.  Release it with `toolgate-sse-end'."
  (let ((buffer (generate-new-buffer " *toolgate events*" t)))
    (with-current-buffer buffer
      (set-buffer-multibyte nil)
      (setq buffer-undo-list t))
    (toolgate-sse-parser--make :buffer buffer)))

(defun toolgate-sse-end (parser)
  "Release PARSER."
  (when (buffer-live-p (toolgate-sse-parser-buffer parser))
    (kill-buffer (toolgate-sse-parser-buffer parser))))

(defun toolgate-sse-push (parser bytes)
  "Return the events that BYTES complete for PARSER, in order.
Each is a list of its id, or the last id before it; its type; and its data,
bytes in UTF-8.  Signal an error if an event is too long."
  (with-current-buffer (toolgate-sse-parser-buffer parser)
    ;; Point is where the search for the end of the line continues.
    (save-excursion (goto-char (point-max)) (insert bytes))
    (when (> (+ (buffer-size) (toolgate-sse-parser-held parser))
             toolgate-sse--most-bytes)
      (error "The stream contains an event that is too long"))
    (when (toolgate-sse--begun-p parser)
      (toolgate-sse--events parser))))

(defun toolgate-sse--begun-p (parser)
  "Return non-nil if PARSER is past a possible byte order mark."
  (or (toolgate-sse-parser-begun parser)
      (let ((start (buffer-substring (point-min)
                                     (min (point-max) (+ 3 (point-min))))))
        (unless (string-prefix-p start "\357\273")
          (when (equal start "\357\273\277")
            (delete-region (point-min) (+ 3 (point-min))))
          (setf (toolgate-sse-parser-begun parser) t)))))

(defun toolgate-sse--events (parser)
  "Return the events that are complete in the current buffer of PARSER."
  (let ((start (point-min)) events)
    (while (progn
             (when (and (toolgate-sse-parser-after-cr parser) (not (eobp)))
               (setf (toolgate-sse-parser-after-cr parser) nil)
               (when (eq (char-after) ?\n)
                 (forward-char)
                 (setq start (point))))
             (skip-chars-forward "^\r\n")
             (not (eobp)))
      (let ((event (if (= start (point)) (toolgate-sse--dispatch parser)
                     (toolgate-sse--line parser start (point)))))
        (when event (push event events)))
      (when (eq (char-after) ?\r)
        (setf (toolgate-sse-parser-after-cr parser) t))
      (forward-char)
      (setq start (point)))
    (delete-region (point-min) start)
    (nreverse events)))

(defun toolgate-sse--line (parser start end)
  "Process the line of PARSER between START and END; return nil."
  (goto-char start)
  (skip-chars-forward "^:" end)
  (let ((colon (point)))
    (unless (= colon start)
      (toolgate-sse--field
       parser (buffer-substring start colon)
       (buffer-substring (cond ((= colon end) end)
                               ((eq (char-after (1+ colon)) ?\s)
                                (min end (+ 2 colon)))
                               (t (1+ colon)))
                         end))))
  (goto-char end)
  nil)

(defun toolgate-sse--field (parser field value)
  "Process FIELD of PARSER with VALUE."
  (pcase field
    ("data" (push value (toolgate-sse-parser-data parser))
     (cl-incf (toolgate-sse-parser-held parser) (length value)))
    ("event" (setf (toolgate-sse-parser-event parser) value))
    ("id" (unless (string-match-p "\0" value)
            (setf (toolgate-sse-parser-id parser) value)))
    ("retry" (when (string-match-p "\\`[0-9]+\\'" value)
               (setf (toolgate-sse-parser-retry parser)
                     (string-to-number value))))))

(defun toolgate-sse--dispatch (parser)
  "Return the event that PARSER has collected, or nil if it has no data."
  (let ((data (toolgate-sse-parser-data parser))
        (event (toolgate-sse-parser-event parser)))
    (setf (toolgate-sse-parser-data parser) nil
          (toolgate-sse-parser-held parser) 0
          (toolgate-sse-parser-event parser) nil)
    (when data
      (list (toolgate-sse-parser-id parser)
            (if (member event '(nil "")) "message" event)
            (if (cdr data) (mapconcat #'identity (nreverse data) "\n")
              (car data))))))

(provide 'toolgate-sse)
;;; toolgate-sse.el ends here
