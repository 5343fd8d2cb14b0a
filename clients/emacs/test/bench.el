;;; bench.el --- How fast events are read -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; emacs -Q --batch -L clients/emacs -L clients/emacs/test -l bench
;;
;; Compiles what it measures, in memory.  Each figure is the best of three.

;;; Code:

(require 'benchmark)
(require 'toolgate-store)
(require 'toolgate-stream)
(require 'toolgate-fake)

(defun toolgate-bench--event (seq size)
  "Return an event SEQ with a text of SIZE letters, as it comes."
  (encode-coding-string
   (format "id: %d\nevent: tool.progress\ndata: {\"seq\":%d,\"time\":\"2026-11-22T10:00:00.000Z\",\"type\":\"tool.progress\",\"session_id\":\"default\",\"workspace\":\"default\",\"tool_call_id\":\"tc_01KA0000000000000000000000\",\"delta\":{\"stream\":\"output\",\"text\":\"%s\",\"offset\":%d}}\n\n"
           seq seq (make-string size ?é) (* seq size))
   'utf-8))

(defun toolgate-bench--parse (bytes)
  "Return the seconds that it takes to parse BYTES, 4096 at a time."
  (let ((parser (toolgate-sse-parser)))
    (prog1 (car (benchmark-run 1
                  (let ((at 0))
                    (while (< at (length bytes))
                      (mapc #'toolgate-stream--decode
                            (toolgate-sse-push
                             parser (substring bytes at
                                               (min (length bytes)
                                                    (+ at 4096)))))
                      (setq at (+ at 4096))))))
      (toolgate-sse-end parser))))

(defun toolgate-bench--follow (bytes count)
  "Return the seconds until COUNT events in BYTES came from another Emacs."
  (let* ((file (make-temp-file "toolgate-bench" nil nil))
         (start (float-time)) (seen 0) end stream sender)
    (let ((coding-system-for-write 'binary))
      (write-region (concat "HTTP/1.1 200 OK\r\n\r\n" bytes) nil file nil 'quiet))
    (setq sender
          (make-network-process
           :name "bench" :server t :noquery t :coding 'binary :host 'local
           :family 'ipv4 :service t
           :filter (lambda (client _)
                     (setq start (float-time))
                     (process-send-string
                      client (with-temp-buffer
                               (set-buffer-multibyte nil)
                               (insert-file-contents-literally file)
                               (buffer-string)))))
          stream
          (toolgate-stream-open
           (make-toolgate-endpoint
            :url (format "http://127.0.0.1:%d"
                         (process-contact sender :service)))
           :on-events (lambda (events)
                        (setq seen (+ seen (length events)))
                        (when (>= seen count) (setq end (float-time))))))
    (toolgate-test-until end)
    (toolgate-stream-close stream)
    (delete-process sender)
    (delete-file file)
    (- end start)))

(dolist (file '("json" "http" "sse" "stream"))
  (load (concat (file-name-as-directory (expand-file-name ".." (file-name-directory load-file-name)))
                "toolgate-" file) nil t))
(mapatoms (lambda (symbol)
            (when (and (string-prefix-p "toolgate-" (symbol-name symbol))
                       (functionp symbol)
                       (not (byte-code-function-p (symbol-function symbol)))
                       (consp (symbol-function symbol)))
              (let ((byte-compile-warnings nil)) (byte-compile symbol)))))

(let ((many (apply #'concat (cl-loop for seq from 1 to 20000
                                     collect (toolgate-bench--event seq 20))))
      (large (toolgate-bench--event 1 (/ (* 5 1024 1024) 2))))
  (pcase-dolist (`(,what ,bytes ,count)
                 `(("20,000 events" ,many 20000) ("one event of 5 MB" ,large 1)))
    (message "%s: parsed in %.2f s, from a connection in %.2f s" what
             (cl-loop repeat 3 minimize (toolgate-bench--parse bytes))
             (cl-loop repeat 3 minimize (toolgate-bench--follow bytes count)))))

;;; bench.el ends here
