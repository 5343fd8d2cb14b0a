;;; jobs-test.el --- The list of jobs  -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'approval-world)
(require 'toolgate-jobs)
(require 'toolgate-take)

(defconst jobs-test-address "http://5173-0f.localhost:7700/")

(defun jobs-test-start (connection id &rest fields)
  "Let CONNECTION hear that the job ID was started, with FIELDS."
  (toolgate-take-events
   connection
   `((10 . ((seq . ,(1+ (toolgate-connection-seq connection)))
            (type . "job.started") (task_id . ,id) (command . "npm run dev")
            ,@fields)))))

(ert-deftest toolgate-jobs-ports ()
  "The addresses of a job's ports are listed, and a key opens one in a browser."
  (approval-test-with (list (approval-test-call "tc_1"))
    (jobs-test-start connection "tc_2"
                     `(ports . [((port . 5173) (url . ,jobs-test-address))]))
    (jobs-test-start connection "tc_3")
    (toolgate-jobs)
    (goto-char (point-min))
    (should (search-forward (concat "npm run dev  " jobs-test-address) nil t))
    (setq approval-test--answers
          `(("/jobs/tc_2/ports/5173/link"
             . ((url . ,(concat jobs-test-address ".toolgate/open?code=x"))))))
    (let (opened)
      (cl-letf (((symbol-function 'toolgate-menu-lead-to)
                 (lambda (address) (push address opened))))
        (call-interactively (lookup-key toolgate-jobs-mode-map "o"))
        (should (equal opened
                       (list (concat jobs-test-address ".toolgate/open?code=x"))))
        (should (equal approval-test--requests
                       '(("POST" "/jobs/tc_2/ports/5173/link" nil))))
        (goto-char (point-min))
        (re-search-forward "npm run dev$")
        (should-error (call-interactively (lookup-key toolgate-jobs-mode-map "o"))
                      :type 'user-error)))))

(provide 'jobs-test)
;;; jobs-test.el ends here
