// Hardening settings that prevent git from executing programs named by a repository, an environment or a param. The configuration
// of the machine and the user is disabled, everything else that could name a program is overridden, and the network is blocked.

import type { GitSetting } from '../git-settings.ts'

/** Runs no program for a prompt or a page, and reaches no other repository, not even for a missing object. */
export const NO_PROGRAMS_GIT_ENV: Readonly<Record<string, string>> = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'false',
  GIT_SEQUENCE_EDITOR: 'false',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  GIT_SSH_COMMAND: 'false',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  // Takes precedence over every `protocol.*.allow` of a repository.
  GIT_ALLOW_PROTOCOL: 'none'
}

/** No prompts and no network: git runs without a user. */
export const NON_INTERACTIVE_GIT_ENV: Readonly<Record<string, string>> = {
  ...NO_PROGRAMS_GIT_ENV,
  LC_ALL: 'C',
  GIT_LITERAL_PATHSPECS: '1'
}

/** Shows objects as they are: replacement objects would be shown, and sent, in place of the real ones. */
export const REAL_OBJECTS_GIT_ENV: Readonly<Record<string, string>> = {
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null/none'
}

/** Hides the files with settings of the machine and the user. */
export const NO_USER_CONFIG_GIT_ENV: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1'
}

/** Hides the settings of the machine and the user, and the user's home. */
export const NO_CONFIG_GIT_ENV: Readonly<Record<string, string>> = {
  HOME: '/dev/null',
  ...NO_USER_CONFIG_GIT_ENV,
  ...REAL_OBJECTS_GIT_ENV
}

/** A refreshed index is not written back: `status` and `blame` respect this, `diff` does not. */
export const NO_LOCKS_GIT_ENV: Readonly<Record<string, string>> = { GIT_OPTIONAL_LOCKS: '0' }

/** Flags of git itself, before its command. */
export const GIT_FLAGS: readonly string[] = ['--no-pager']

/** Settings under fixed names by which a repository could have git run programs. An empty value disables a program. */
export const NO_PROGRAM_SETTINGS: readonly GitSetting[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.sshCommand', 'false'],
  ['core.gitProxy', ''],
  ['core.askPass', 'false'],
  ['core.editor', 'false'],
  ['core.pager', 'cat'],
  ['core.alternateRefsCommand', ''],
  ['credential.helper', ''],
  ['interactive.diffFilter', ''],
  ['gpg.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['gpg.x509.program', 'false'],
  ['gpg.openpgp.program', 'false'],
  ['gpg.ssh.defaultKeyCommand', ''],
  ['log.showSignature', 'false'],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['push.gpgSign', 'false'],
  ['submodule.recurse', 'false'],
  ['status.submoduleSummary', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  // The repository's owner is irrelevant if nothing of it is executed.
  ['safe.directory', '*'],
  // A folder of files that looks like a repository may come from anywhere.
  ['safe.bareRepository', 'explicit']
]

/** Settings that override those of every repository. */
export const HARDENED_SETTINGS: readonly GitSetting[] = [
  ...NO_PROGRAM_SETTINGS,
  ['diff.external', ''],
  ['core.quotePath', 'true'],
  ['diff.ignoreSubmodules', 'dirty'],
  // Files that a repository may name anywhere, and whose content appears in git's output.
  ['mailmap.file', '/dev/null'],
  ['mailmap.blob', ''],
  // Output has the same format whatever a repository configures.
  ['color.ui', 'false'],
  ['i18n.logOutputEncoding', 'UTF-8'],
  ['log.showRoot', 'true'],
  ['log.follow', 'false'],
  ['status.renames', 'true'],
  ['diff.renames', 'true'],
  ['diff.noprefix', 'false'],
  ['diff.mnemonicPrefix', 'false'],
  ['diff.relative', 'false'],
  ['diff.suppressBlankEmpty', 'false'],
  ['diff.submodule', 'short'],
  ['diff.context', '3'],
  ['diff.interHunkContext', '0'],
  ['diff.orderFile', '/dev/null'],
  // Larger files count as binary: a diff of them would take gigabytes of memory.
  ['core.bigFileThreshold', '50m']
]
