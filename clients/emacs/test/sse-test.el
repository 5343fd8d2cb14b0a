;;; sse-test.el --- Tests of the event parser -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'ert)
(require 'cl-lib)
(require 'toolgate-sse)

(defun sse-test-parse (&rest parts)
  "Return the events in PARTS, each data decoded."
  (let ((parser (toolgate-sse-parser)))
    (unwind-protect
        (mapcar (pcase-lambda (`(,id ,kind ,data))
                  (list id kind (decode-coding-string data 'utf-8)))
                (mapcan (lambda (part) (toolgate-sse-push parser part)) parts))
      (toolgate-sse-end parser))))

(defconst sse-test-stream
  (encode-coding-string
   (concat "\ufeff: hello\nretry: 1000\nid: 1\nevent: a\ndata: é\r\n\r\n"
           ": still here\n\ndata:two\rdata: lines 😀\r\rid\nevent: c\ndata\n\n"
           "data:  x\nunknown: y\nnothing\n\nid: 9\n\nevent: unfinished\ndata: z")
   'utf-8)
  "A stream with all that the standard has.")

(defconst sse-test-events
  '(("1" "a" "é") ("1" "message" "two\nlines 😀") ("" "c" "")
    ("" "message" " x"))
  "What description.")

(ert-deftest toolgate-sse-whole ()
  (should (equal (sse-test-parse sse-test-stream) sse-test-events)))

(ert-deftest toolgate-sse-split-at-every-byte ()
  (dotimes (at (length sse-test-stream))
    (should (equal (sse-test-parse (substring sse-test-stream 0 at)
                                   (substring sse-test-stream at))
                   sse-test-events)))
  (should (equal (apply #'sse-test-parse
                        (mapcar #'unibyte-string
                                (append sse-test-stream nil)))
                 sse-test-events)))

(ert-deftest toolgate-sse-split-at-random ()
  (random "toolgate")
  (dotimes (_ 200)
    (let ((at 0) parts)
      (while (< at (length sse-test-stream))
        (let ((next (min (length sse-test-stream) (+ at 1 (random 9)))))
          (push (substring sse-test-stream at next) parts)
          (setq at next)))
      (should (equal (apply #'sse-test-parse (nreverse parts))
                     sse-test-events)))))

(ert-deftest toolgate-sse-retry-and-id ()
  (let ((parser (toolgate-sse-parser)))
    (toolgate-sse-push parser "retry: 2500\nretry: soon\nid: 4\nid: 5\0\n\n")
    (should (equal (list (toolgate-sse-parser-retry parser)
                         (toolgate-sse-parser-id parser))
                   '(2500 "4")))
    (toolgate-sse-end parser)))

(ert-deftest toolgate-sse-large-event-in-small-parts ()
  (let* ((text (make-string (* 5 1024 1024) ?x))
         (stream (concat "data: " text "\n\n"))
         (parts (cl-loop for at from 0 below (length stream) by 4096
                         collect (substring stream at
                                            (min (length stream)
                                                 (+ at 4096)))))
         (events (apply #'sse-test-parse parts)))
    (should (= 1 (length events)))
    (should (string= text (nth 2 (car events))))))

(ert-deftest toolgate-sse-keeps-nothing-that-was-told ()
  (let ((parser (toolgate-sse-parser)))
    (dotimes (_ 100) (toolgate-sse-push parser "id: 1\ndata: x\n\n"))
    (should (= 0 (buffer-size (toolgate-sse-parser-buffer parser))))
    (toolgate-sse-end parser)))

(ert-deftest toolgate-sse-endless-event-is-refused ()
  (let ((toolgate-sse--most-bytes 1000) (parser (toolgate-sse-parser)))
    (should-error
     (dotimes (_ 100)
       (toolgate-sse-push parser (concat "data: " (make-string 100 ?x) "\n"))))
    (toolgate-sse-end parser)))

(provide 'sse-test)
;;; sse-test.el ends here
