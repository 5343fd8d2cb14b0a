;;; doctor-test.el --- Tests of the doctor -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'ert)
(require 'discover-test)
(require 'toolgate-doctor)

(ert-deftest toolgate-doctor-finds-what-is-wrong ()
  (discover-test-with home
    (let* ((toolgate-program "no-such-program") (toolgate-connections nil)
           (toolgate-mode nil) (default-directory home)
           (run (car (toolgate-discover-folders)))
           (fake (toolgate-fake-start
                  (lambda (fake client request)
                    (toolgate-fake-health fake client request "secret"
                                          '((instance . "live")
                                            (protocol . 1)))))))
      (unwind-protect
          (progn
            (discover-test-leave "live" home `(url . ,(toolgate-fake-url fake)))
            (set-file-modes (discover-test-leave "open" home) #o644)
            (set-file-modes run #o755)
            (should
             (equal
              (mapcar (lambda (finding)
                        (list (car finding)
                              (replace-regexp-in-string
                               "[0-9]+\\.[0-9.]+[0-9]\\(:[0-9]+\\)?" "N"
                               (string-replace
                                emacs-version "N"
                                (string-replace home "~/" (nth 1 finding))))))
                      (save-window-excursion (toolgate-doctor)))
              '((ok "Emacs N with native JSON")
                (warn "The program no-such-program was not found; see the option \
toolgate-program")
                (fail "~/.local/state/toolgate/run is accessible to other users")
                (ok "A server runs at http://N, for ~/")
                (fail "~/.local/state/toolgate/run/open.json is not trusted: \
the file is accessible to other users; run chmod 600 on it")
                (ok "~/ has a server")
                (warn "Not connected")
                (warn "`toolgate-mode' is off, so calls are not shown")))))
        (kill-buffer "*Toolgate Doctor*")
        (toolgate-fake-stop fake)))))

(provide 'doctor-test)
;;; doctor-test.el ends here
