;;; toolgate-discover.el --- Find the Toolgate server of a folder  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Toolgate authors

;; Author: The Toolgate authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Each server writes a discovery file with its address, the folders that it
;; serves and its token.  A file is trusted only if no other user can have read
;; or written it, and a server only after it has proven that it has the token:
;; after a server has ended, another program may use its address.

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
Nil means the value of the environment variable TOOLGATE_URL, if set.
Requires `toolgate-token-file', or a secret of auth-source for its host and
the user toolgate, unless the server runs on this machine."
  :group 'toolgate
  :type '(choice (const :tag "Search for it" nil) string))

(defcustom toolgate-token-file nil
  "File with the token for the server at `toolgate-url'.
Nil means the value of the environment variable TOOLGATE_TOKEN_FILE."
  :group 'toolgate
  :type '(choice (const :tag "From TOOLGATE_TOKEN_FILE" nil) file))

(defconst toolgate-discover--protocol 1
  "Version of the protocol that this client uses.")

(defvar toolgate-discover-unasked nil
  "Non-nil during a search that the user did not request, such as from a timer.
Auth-source is then not used, because it may ask for a passphrase: only a
server whose token it has already returned can be used.")

(defvar toolgate-discover--secrets nil
  "Tokens that auth-source has returned, by the URL of the server.")

(define-error 'toolgate-distrust "Toolgate: a file is not trusted")

;;;; Discovery files

(defun toolgate-discover-folders ()
  "Return the folders with discovery files."
  (let* ((state (getenv "XDG_STATE_HOME"))
         (usual (expand-file-name "~/.local/state/toolgate/run"))
         (moved (cond ((toolgate-discover--env "TOOLGATE_RUN_DIR"))
                      ((and state (file-name-absolute-p state))
                       (expand-file-name "toolgate/run" state))
                      (t usual))))
    (delete-dups (list (directory-file-name (expand-file-name moved)) usual))))

(defun toolgate-discover-records ()
  "Return the contents of the discovery files on this machine, newest first."
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
  "Return the names of all discovery files."
  (mapcan (lambda (folder)
            (ignore-errors
              (directory-files folder t "\\`[^.].*\\.json\\'" t)))
          (toolgate-discover-folders)))

(defun toolgate-discover-read (file)
  "Return the contents of the discovery file FILE.
Signal `toolgate-distrust' if it is not trusted."
  (toolgate-discover--check file #o077)
  (let ((record (condition-case nil
                    (toolgate-json-decode (toolgate-discover--contents file))
                  (json-error
                   (signal 'toolgate-distrust (list file "is not valid JSON"))))))
    (unless (and (eql 1 (toolgate-get record 'schema))
                 (cl-every (lambda (field)
                             (stringp (toolgate-get record field)))
                           '(instance url token host started_at))
                 (vectorp (toolgate-get record 'roots)))
      (signal 'toolgate-distrust
              (list file "is not a discovery file")))
    record))

(defun toolgate-discover--check (file others)
  "Signal `toolgate-distrust' unless FILE is private.
The user must own it, and its mode must not have any bit of the mask OTHERS."
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
  "Return the environment variable VARIABLE, or nil if it is unset or empty."
  (let ((value (getenv variable)))
    (and value (not (string-empty-p value)) value)))

;;;; Search

(defun toolgate-discover (folder callback)
  "Look for the server of FOLDER, and call CALLBACK with its record, or nil.
A record is an object with url, token, roots and so on, as in a discovery
file."
  (let* ((named (or toolgate-url (toolgate-discover--env "TOOLGATE_URL")))
         (record (and named (toolgate-discover--named
                             (replace-regexp-in-string "/+\\'" "" named)))))
    (cond ((null named)
           (toolgate-discover--first-live
            (toolgate-discover-candidates folder) callback))
          ;; The certificate proves the identity of an https address.
          ((or (null record)
               (string-prefix-p "https:" (toolgate-get record 'url)))
           (funcall callback record))
          (t (toolgate-discover--first-live (list record) callback)))))

(defun toolgate-discover-likely-p (folder)
  "Return non-nil if a server of FOLDER is configured or has a discovery file."
  (or toolgate-url (toolgate-discover--env "TOOLGATE_URL")
      (toolgate-discover-candidates folder)))

(defun toolgate-discover--named (url)
  "Return the record of the server at URL.
Signal an error if there is no token for it."
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
  "Return the token from auth-source for URL and the user toolgate, or nil.
It is looked up each time, because the token may have changed."
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
  "Return the token in the first line of FILE.
Signal `toolgate-distrust' if others may have read or written it."
  (let ((file (file-truename file)))
    (toolgate-discover--check file #o027)
    (toolgate-discover--token-of
     (car (split-string (toolgate-discover--contents file) "\n")) file)))

(defun toolgate-discover--token-of (line place)
  "Return the token in LINE of PLACE.
Signal `toolgate-distrust' if it is not a valid token."
  (let ((token (string-trim line)))
    (unless (string-match-p "\\`[\x21-\x7e]\\{22,\\}\\'" token)
      (signal 'toolgate-distrust
              (list place "must begin with a line of at least 22 characters")))
    token))

(defun toolgate-discover-candidates (folder)
  "Return the records of servers that serve FOLDER, the closest first."
  (let ((folder (file-name-as-directory (file-truename folder))))
    (mapcar
     #'cdr
     (seq-sort-by
      #'car #'>
      (cl-loop for record in (toolgate-discover-records)
               for closeness = (toolgate-discover--closeness record folder)
               when closeness collect (cons closeness record))))))

(defun toolgate-discover--closeness (record folder)
  "Return the length of the root of RECORD that contains FOLDER, or nil."
  (cl-loop for root in (toolgate-get-list record 'roots)
           when (string-prefix-p (file-name-as-directory root) folder)
           maximize (length root)))

(defun toolgate-discover--first-live (records callback)
  "Call CALLBACK with the first of RECORDS whose server responds, or nil."
  (if (null records) (funcall callback nil)
    (toolgate-discover-health
     (car records)
     (lambda (problem)
       (if problem (toolgate-discover--first-live (cdr records) callback)
         (funcall callback (car records)))))))

(defun toolgate-discover-health (record callback)
  "Verify that the server of RECORD responds and has its token.
Call CALLBACK with nil if so, else with the problem, for people."
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
               (format "the server uses protocol %s, but this client uses protocol %d"
                       (toolgate-get health 'protocol)
                       toolgate-discover--protocol)))))
     :on-error (lambda (problem)
                 (funcall callback (plist-get problem :message))))))

(defvar toolgate-discover--challenges 0
  "Number of challenges created.")

(defun toolgate-discover--challenge (token)
  "Return a new challenge for a server that must prove that it has TOKEN.
It is derived from TOKEN too, so that other programs cannot predict it."
  (substring (secure-hash 'sha256 (format "%s %S %d %d %d" token (current-time)
                                          (emacs-pid) (random)
                                          (cl-incf toolgate-discover--challenges)))
             0 32))

(defun toolgate-discover--key (token)
  "Return an identifier of TOKEN that does not reveal it."
  (substring (secure-hash 'sha256 (concat "key\n" (secure-hash 'sha256 token)))
             0 16))

(defun toolgate-discover--proof (token challenge host)
  "Return the expected answer to CHALLENGE of a server that has TOKEN.
HOST is the address of the request."
  (let ((digest (secure-hash 'sha256 token)))
    (secure-hash 'sha256
                 (concat digest "\n"
                         (secure-hash 'sha256 (concat digest "\n" challenge
                                                      "\n" host))))))

(defun toolgate-discover-endpoint (record)
  "Return the endpoint of RECORD for /health, which needs no token."
  (make-toolgate-endpoint :url (toolgate-get record 'url)
                          :socket (toolgate-get record 'socket)))

(defun toolgate-discover-project (&optional folder)
  "Return the root of the project that contains FOLDER, else FOLDER.
FOLDER is by default that of the current buffer."
  (let* ((folder (or folder default-directory))
         (project (project-current nil folder)))
    (expand-file-name
     (cond ((null project) folder)
           ((fboundp 'project-root) (project-root project))
           (t folder)))))

(provide 'toolgate-discover)
;;; toolgate-discover.el ends here
