;;; toolgate-server.el --- Start and stop Toolgate servers  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A server that Emacs starts ends with Emacs, even if Emacs crashes: it exits
;; when its standard input is closed.  With `toolgate-server-outlives-emacs' it
;; keeps running.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'toolgate-connect)
(require 'toolgate-program)

(defcustom toolgate-server-arguments nil
  "Additional arguments for a started server, such as \"--read-only\"."
  :group 'toolgate
  :type '(repeat string))

(defcustom toolgate-server-outlives-emacs nil
  "Non-nil means a server started by Emacs keeps running when Emacs ends."
  :group 'toolgate
  :type 'boolean)

(defvar toolgate-server--processes nil
  "Pairs of a root and the process that was started to serve it.")

;;;###autoload
(defun toolgate-start (&optional folder)
  "Start a server for FOLDER, by default the project of the current buffer.
Then connect to it.  If a server for FOLDER is already running, connect to
that.  With a prefix argument, ask for FOLDER."
  (interactive (list (and current-prefix-arg
                          (read-directory-name "Serve: "
                                               (toolgate-discover-project)))))
  (let* ((root (file-name-as-directory
                (file-truename (or folder (toolgate-discover-project)))))
         (_ (when (file-remote-p root)
              (user-error "%s is on another machine; start a server on that machine" root)))
         (program (toolgate-program-command)))
    (when (toolgate-server--starting-p root)
      (user-error "A server for %s is already starting"
                  (abbreviate-file-name root)))
    (if-let ((build (toolgate-program-build)))
        (toolgate-server--build
         root build (lambda () (toolgate-server--start root program)))
      (toolgate-server--start root program))))

(defun toolgate-server--starting-p (root)
  "Return non-nil if a server for ROOT is being built or started."
  (let ((process (alist-get root toolgate-server--processes nil nil #'equal)))
    (and process (process-live-p process) (not (process-get process 'ready)))))

(defun toolgate-server--build (root build done)
  "Run BUILD, so that a server of ROOT can be started, and then call DONE."
  (let ((default-directory (toolgate-program-folder))
        (log (toolgate-server--log root)))
    (message "Toolgate: building the server, which is needed only once...")
    (setf (alist-get root toolgate-server--processes nil t #'equal)
          (make-process
           :name "toolgate build" :noquery t :connection-type 'pipe :buffer log
           :command build :filter #'toolgate-server--write-log
           :sentinel
           (lambda (process event)
             (unless (process-live-p process)
               (if (eql 0 (process-exit-status process)) (funcall done)
                 (message "Toolgate: the server could not be built: %s"
                          (toolgate-server--last-words log event)))))))))

(defun toolgate-server--start (root program)
  "Start PROGRAM to serve ROOT, and connect to it."
  (message "Toolgate: starting a server for %s..." (abbreviate-file-name root))
  (let* ((default-directory root)
         (log (toolgate-server--log root))
         (stderr (make-pipe-process :name "toolgate server log" :noquery t
                                    :buffer log :sentinel #'ignore
                                    :filter #'toolgate-server--write-log))
         (told "")
         (process
          (make-process
           :name "toolgate server" :noquery t :connection-type 'pipe
           :coding 'utf-8 :stderr stderr
           :command (append program
                            `("serve" "--root" ,root "--port" "0"
                              "--ready" "json" "--reuse" "--log-level" "warn"
                              ,(if toolgate-server-outlives-emacs "--detach"
                                 "--exit-with-stdin"))
                            toolgate-server-arguments)
           :filter (lambda (process text)
                     (setq told (concat told text))
                     (when (and (not (process-get process 'ready))
                                (string-search "\n" told))
                       (process-put process 'ready t)
                       (toolgate-server--ready root told)))
           :sentinel (lambda (process event)
                       (toolgate-server--ended process event root log)))))
    (setf (alist-get root toolgate-server--processes nil t #'equal) process)
    process))

(defun toolgate-server--ready (root line)
  "Connect to the server of ROOT, which has reported by LINE that it is ready."
  (condition-case problem
      (let* ((told (toolgate-json-decode line))
             (record (toolgate-discover-read
                      (toolgate-get told 'discovery_file)))
             (connection (or (toolgate-connect-known record)
                             (toolgate-connect-by record root))))
        (toolgate-connect--tell root connection))
    (error (message "Toolgate: message of the server of %s: %s (%s)" root
                    (string-trim line) (error-message-string problem)))))

(defun toolgate-server--ended (process event root log)
  "Handle the end of PROCESS that served ROOT, from EVENT; LOG has its output."
  (unless (process-live-p process)
    (when (eq process (alist-get root toolgate-server--processes
                                 nil nil #'equal))
      (setf (alist-get root toolgate-server--processes nil t #'equal) nil))
    (unless (or (process-get process 'ready) (process-get process 'stopped))
      ;; Output may arrive after the event of the exit.
      (run-at-time 0.1 nil
                   (lambda ()
                     (message "Toolgate: the server of %s did not start: %s"
                              (abbreviate-file-name root)
                              (toolgate-server--last-words log event)))))))

(defun toolgate-server--last-words (log event)
  "Return the last lines of LOG, or EVENT if there are none."
  (let ((words (with-current-buffer log
                 (save-excursion
                   (goto-char (point-max))
                   (forward-line -4)
                   (string-trim (buffer-substring (point) (point-max)))))))
    (if (string-empty-p words) (string-trim event) words)))

(defun toolgate-server--log (root)
  "Return the log buffer for a server of ROOT."
  (with-current-buffer (get-buffer-create
                        (format "*Toolgate Server %s*"
                                (abbreviate-file-name
                                 (directory-file-name root))))
    (unless (derived-mode-p 'special-mode)
      (special-mode)
      (setq buffer-undo-list t truncate-lines t))
    (current-buffer)))

(defconst toolgate-server--most-log (* 256 1024)
  "Maximum number of characters of a server's log.")

(defun toolgate-server--write-log (process text)
  "Append TEXT to the log of PROCESS."
  (when (buffer-live-p (process-buffer process))
    (with-current-buffer (process-buffer process)
      (let ((inhibit-read-only t))
        (save-excursion
          (goto-char (point-max))
          (insert text)
          (when (> (buffer-size) toolgate-server--most-log)
            (delete-region (point-min)
                           (- (point-max)
                              (/ toolgate-server--most-log 2)))))))))

;;;###autoload
(defun toolgate-stop (&optional connection)
  "Stop the server of CONNECTION, by default that of the current buffer.
Running calls may finish first.  Ask for confirmation, unless this Emacs has
started the server."
  (interactive)
  (let* ((connection (or connection (toolgate-current-connection)))
         (ours (toolgate-server--process connection))
         (pid (toolgate-connection-pid connection))
         (name (toolgate-connection-name connection)))
    (unless (or ours pid)
      (user-error "The server of %s does not run on this machine" name))
    (when (or ours
              (y-or-n-p (format "Other programs may use the server of %s.  Stop it? "
                                name)))
      (toolgate-disconnect connection)
      (if ours
          (progn (process-put ours 'stopped t)
                 (signal-process ours 'SIGTERM))
        (signal-process pid 'SIGTERM))
      (message "Toolgate: stopped the server of %s" name))))

(defun toolgate-server--process (connection)
  "Return the process in this Emacs that is the server of CONNECTION, or nil."
  (seq-find (lambda (process)
              (and (process-live-p process)
                   (eql (process-id process)
                        (toolgate-connection-pid connection))))
            (mapcar #'cdr toolgate-server--processes)))

(provide 'toolgate-server)
;;; toolgate-server.el ends here
