;;; files-world.el --- A file of a served folder, for tests -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'toolgate)
(require 'toolgate-fake)

(defvar files-world-folder nil "The folder that the test is in.")
(defvar files-world-connection nil "A connection to the server of it.")
(defvar files-world-seq 0 "The newest event.")

(defmacro files-world-with (text &rest body)
  "Run BODY in a buffer that visits a file a.txt with TEXT, which is served."
  (declare (indent 1))
  `(let* ((files-world-folder (file-name-as-directory
                               (file-truename (make-temp-file "toolgate-" t))))
          (files-world-seq 0)
          (files-world-connection
           (toolgate-connection--make
            :url "http://127.0.0.1:1" :client-id "emacs-1" :status 'live
            :roots (list files-world-folder)))
          (toolgate-connections (list files-world-connection))
          (toolgate-event-functions nil)
          (toolgate-resync-functions nil)
          (toolgate-after-file-changed-functions nil)
          (buffer nil))
     (toolgate-files-setup t)
     (unwind-protect
         (progn
           (write-region ,text nil (concat files-world-folder "a.txt") nil 'quiet)
           (setq buffer (find-file-noselect
                         (concat files-world-folder "a.txt")))
           (with-current-buffer buffer
             (setq buffer-undo-list nil)
             ,@body))
       (when (buffer-live-p buffer)
         (with-current-buffer buffer (set-buffer-modified-p nil))
         (kill-buffer buffer))
       (delete-directory files-world-folder t))))

(defun files-world-write (text file)
  "Make TEXT the content of FILE, as another program would."
  (let ((other (concat file ".new")))
    (write-region text nil other nil 'quiet)
    (rename-file other file t)))

(defun files-world-change (text &optional path by)
  "Make TEXT the content of the file at PATH, tell of it, and wait.
Without TEXT the file is deleted.  BY is the id of the call that did it."
  (let* ((path (or path "a.txt"))
         (file (concat files-world-folder path))
         told)
    (if text
        (progn (files-world-write text file)
               ;; Another second, as if time had gone by.
               (set-file-times file (time-add nil 60)))
      (delete-file file))
    (let ((toolgate-after-file-changed-functions
           (cons (lambda (_ files) (setq told files))
                 toolgate-after-file-changed-functions)))
      (toolgate-take-events
       files-world-connection
       `((100 . ((seq . ,(cl-incf files-world-seq)) (type . "file.changed")
                 (path . ,path) (operation . "modified")
                 (by . ,(if by `((tool_call_id . ,by)) "external"))))))
      (toolgate-test-until told))
    (should (equal told (list file)))))

(provide 'files-world)
;;; files-world.el ends here
