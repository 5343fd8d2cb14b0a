;;; toolgate-discover.el --- Finding the Toolgate server of a folder  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Each server leaves a file that says where it is, which folders it serves and
;; with which token to speak to it.  A file is believed only where nobody else
;; can have read or written it, and a server only once it has proven that it
;; knows the token: after a server has ended, any program may answer there.

;;; Code:

(require 'cl-lib)
(require 'project)
(require 'seq)
(require 'auth-source)
(require 'url-parse)
(require 'toolgate-http)
(require 'toolgate-json)

(defcustom toolgate-url nil
  "URL of the server to use, instead of searching for one.
Nil means what the environment says in TOOLGATE_URL, if it says anything.  Needs
`toolgate-token-file', or a secret of auth-source for its host and the user
toolgate, unless the server runs on this machine."
  :group 'toolgate
  :type '(choice (const :tag "Search for it" nil) string))

(defcustom toolgate-token-file nil
  "File with the token for the server at `toolgate-url'.
Nil means what the environment says in TOOLGATE_TOKEN_FILE."
  :group 'toolgate
  :type '(choice (const :tag "From the environment" nil) file))

(defconst toolgate-discover--protocol 1
  "The version of the protocol that we speak.")

(defvar toolgate-discover-unasked nil
  "Non-nil where nobody has just asked for a server, as in a timer.
Then auth-source is left alone, which may want a passphrase: a server whose
token it has told before is known by that, another one is not known.")

(defvar toolgate-discover--secrets nil
  "Tokens that auth-source has told, by the address of the server.")

(define-error 'toolgate-distrust "Toolgate: a file is not believed")

;;;; Files that servers leave

(defun toolgate-discover-folders ()
  "Return the folders where servers leave their files."
  (let* ((state (getenv "XDG_STATE_HOME"))
         (usual (expand-file-name "~/.local/state/toolgate/run"))
         (moved (cond ((toolgate-discover--env "TOOLGATE_RUN_DIR"))
                      ((and state (file-name-absolute-p state))
                       (expand-file-name "toolgate/run" state))
                      (t usual))))
    (delete-dups (list (directory-file-name (expand-file-name moved)) usual))))

(defun toolgate-discover-records ()
  "Return what the files of servers on this machine say, the newest first."
  (let (records)
    (dolist (file (toolgate-discover-files))
      (let ((record (ignore-errors (toolgate-discover-read file))))
        (when (and record
                   (equal (toolgate-get record 'host) (system-name))
                   (not (seq-find (lambda (other)
                                    (equal (toolgate-get other 'instance)
                                           (toolgate-get record 'instance)))
                                  records)))
          (push record records))))
    (sort records (lambda (a b) (string> (toolgate-get a 'started_at)
                                         (toolgate-get b 'started_at))))))

(defun toolgate-discover-files ()
  "Return the names of all files that servers have left."
  (mapcan (lambda (folder)
            (ignore-errors
              (directory-files folder t "\\`[^.].*\\.json\\'" t)))
          (toolgate-discover-folders)))

(defun toolgate-discover-read (file)
  "Return what FILE of a server says.
Signal `toolgate-distrust' where it must not be believed."
  (toolgate-discover--check file #o077)
  (let ((record (condition-case nil
                    (toolgate-json-decode (toolgate-discover--contents file))
                  (json-error
                   (signal 'toolgate-distrust (list file "is not JSON"))))))
    (unless (and (eql 1 (toolgate-get record 'schema))
                 (cl-every (lambda (field)
                             (stringp (toolgate-get record field)))
                           '(instance url token host started_at))
                 (vectorp (toolgate-get record 'roots)))
      (signal 'toolgate-distrust
              (list file "is not a discovery file")))
    record))

(defun toolgate-discover--check (file others)
  "Signal `toolgate-distrust' unless FILE is ours and has no mode of OTHERS."
  (let* ((attributes (file-attributes file 'integer))
         (modes (file-modes file 'nofollow))
         (fault (cond ((null attributes) "does not exist")
                      ((file-attribute-type attributes) "is not a regular file")
                      ((eq system-type 'windows-nt) nil)
                      ((/= 0 (logand modes others))
                       "is accessible to other users; run chmod 600 on it")
                      ((/= (user-uid) (file-attribute-user-id attributes))
                       "belongs to another user"))))
    (when fault (signal 'toolgate-distrust (list file fault)))))

(defun toolgate-discover--contents (file)
  "Return the bytes of FILE."
  (with-temp-buffer
    (set-buffer-multibyte nil)
    (insert-file-contents-literally file)
    (buffer-string)))

(defun toolgate-discover--env (variable)
  "Return what VARIABLE of the environment says, or nil where that is nothing."
  (let ((value (getenv variable)))
    (and value (not (string-empty-p value)) value)))

;;;; The server of a folder

(defun toolgate-discover (folder callback)
  "Look for the server of FOLDER, and call CALLBACK with what is found, or nil.
That is an object with url, token, roots and so on, as a server's file says."
  (let* ((named (or toolgate-url (toolgate-discover--env "TOOLGATE_URL")))
         (record (and named (toolgate-discover--named
                             (replace-regexp-in-string "/+\\'" "" named)))))
    (cond ((null named)
           (toolgate-discover--first-live
            (toolgate-discover-candidates folder) callback))
          ;; The certificate proves what an https address is.
          ((or (null record)
               (string-prefix-p "https:" (toolgate-get record 'url)))
           (funcall callback record))
          (t (toolgate-discover--first-live (list record) callback)))))

(defun toolgate-discover-likely-p (folder)
  "Return whether a server of FOLDER was named or has left a file."
  (or toolgate-url (toolgate-discover--env "TOOLGATE_URL")
      (toolgate-discover-candidates folder)))

(defun toolgate-discover--named (url)
  "Return what is known of the server at URL.
Signal an error where there is no token for it."
  (let ((file (or toolgate-token-file
                  (toolgate-discover--env "TOOLGATE_TOKEN_FILE")))
        (record (seq-find (lambda (record)
                            (equal url (toolgate-get record 'url)))
                          (toolgate-discover-records))))
    (cond (file `((url . ,url) (token . ,(toolgate-discover-token file))
                  (token_file . ,file)
                  ,@(seq-remove (lambda (field) (memq (car field) '(url token)))
                                record)))
          (record)
          (toolgate-discover-unasked
           (when-let ((token (cdr (assoc url toolgate-discover--secrets))))
             `((url . ,url) (token . ,token))))
          (t `((url . ,url)
               (token . ,(or (toolgate-discover--secret url)
                             (user-error "There is no token for %s: set \
`toolgate-token-file' or TOOLGATE_TOKEN_FILE to its file, or add one to \
auth-source for the user toolgate" url))))))))

(defun toolgate-discover--secret (url)
  "Return the token that auth-source has for URL and the user toolgate, or nil.
It is asked anew each time: a token may be another by now."
  (let* ((address (url-generic-parse-url url))
         (host (url-host address))
         (port (number-to-string (url-port address))))
    (auth-source-forget+ :host host)
    (when-let* ((found (car (auth-source-search
                             :host host :port port :user "toolgate"
                             :max 1 :require '(:secret))))
                (secret (plist-get found :secret))
                (token (if (functionp secret) (funcall secret) secret)))
      (setf (alist-get url toolgate-discover--secrets nil nil #'equal)
            (toolgate-discover--token-of
             token (format "auth-source for %s" host))))))

(defun toolgate-discover-token (file)
  "Return the token that is in the first line of FILE.
Signal `toolgate-distrust' where others may read or have written it."
  (let ((file (file-truename file)))
    (toolgate-discover--check file #o027)
    (toolgate-discover--token-of
     (car (split-string (toolgate-discover--contents file) "\n")) file)))

(defun toolgate-discover--token-of (line place)
  "Return the token that LINE of PLACE is.
Signal `toolgate-distrust' where it can't be one."
  (let ((token (string-trim line)))
    (unless (string-match-p "\\`[\x21-\x7e]\\{22,\\}\\'" token)
      (signal 'toolgate-distrust
              (list place "must begin with a line of at least 22 characters")))
    token))

(defun toolgate-discover-candidates (folder)
  "Return the records of servers that hold FOLDER, the closest first."
  (let ((folder (file-name-as-directory (file-truename folder))))
    (mapcar
     #'cdr
     (seq-sort-by
      #'car #'>
      (cl-loop for record in (toolgate-discover-records)
               for closeness = (toolgate-discover--closeness record folder)
               when closeness collect (cons closeness record))))))

(defun toolgate-discover--closeness (record folder)
  "Return how closely RECORD holds FOLDER: the length of its root, or nil."
  (cl-loop for root in (toolgate-get-list record 'roots)
           when (string-prefix-p (file-name-as-directory root) folder)
           maximize (length root)))

(defun toolgate-discover--first-live (records callback)
  "Call CALLBACK with the first of RECORDS whose server answers, or nil."
  (if (null records) (funcall callback nil)
    (toolgate-discover-health
     (car records)
     (lambda (problem)
       (if problem (toolgate-discover--first-live (cdr records) callback)
         (funcall callback (car records)))))))

(defun toolgate-discover-health (record callback)
  "Ask the server of RECORD whether it is that one, and knows its token.
Call CALLBACK with nil if it is, else with what is wrong, for people."
  (let* ((endpoint (toolgate-discover-endpoint record))
         (token (toolgate-get record 'token))
         (instance (toolgate-get record 'instance))
         (challenge (toolgate-discover--challenge token)))
    (toolgate-http-request
     endpoint "GET" "/health" :timeout 2
     :query `((challenge . ,challenge) (key . ,(toolgate-discover--key token)))
     :on-success
     (lambda (health)
       (funcall
        callback
        (cond ((not (and (or (null instance)
                             (equal (toolgate-get health 'instance) instance))
                         (equal (toolgate-get health 'proof)
                                (toolgate-discover--proof
                                 token challenge
                                 (toolgate-http-host endpoint)))))
               "another program responds at this address")
              ((not (eql (toolgate-get health 'protocol)
                         toolgate-discover--protocol))
               (format "it uses protocol %s, but this client %d"
                       (toolgate-get health 'protocol)
                       toolgate-discover--protocol)))))
     :on-error (lambda (problem)
                 (funcall callback (plist-get problem :message))))))

(defvar toolgate-discover--challenges 0
  "How many challenges were made.")

(defun toolgate-discover--challenge (token)
  "Return a new challenge for a server that must prove to know TOKEN.
No other program can foresee it, for it comes from TOKEN, too."
  (substring (secure-hash 'sha256 (format "%s %S %d %d %d" token (current-time)
                                          (emacs-pid) (random)
                                          (cl-incf toolgate-discover--challenges)))
             0 32))

(defun toolgate-discover--key (token)
  "Return what identifies TOKEN, and does not reveal it."
  (substring (secure-hash 'sha256 (concat "key\n" (secure-hash 'sha256 token)))
             0 16))

(defun toolgate-discover--proof (token challenge host)
  "Return the answer to CHALLENGE of a server that knows TOKEN.
HOST is the address at which it was asked."
  (let ((digest (secure-hash 'sha256 token)))
    (secure-hash 'sha256
                 (concat digest "\n"
                         (secure-hash 'sha256 (concat digest "\n" challenge
                                                      "\n" host))))))

(defun toolgate-discover-endpoint (record)
  "Return where the server of RECORD is asked /health, which needs no token."
  (make-toolgate-endpoint :url (toolgate-get record 'url)
                          :socket (toolgate-get record 'socket)))

(defun toolgate-discover-project (&optional folder)
  "Return the root of the project that FOLDER is in, else FOLDER.
FOLDER is by default that of the current buffer."
  (let* ((folder (or folder default-directory))
         (project (project-current nil folder)))
    (expand-file-name
     (cond ((null project) folder)
           ((fboundp 'project-root) (project-root project))
           (t folder)))))

(provide 'toolgate-discover)
;;; toolgate-discover.el ends here
