// Hardening settings that prevent git from executing programs named by a repository, an environment or a param. The configuration
// of the machine and the user is disabled, everything else that could name a program is overridden, and the network is blocked.

export type GitSetting = readonly [key: string, value: string]

/** No prompts and no network: git runs without a user. */
export const NON_INTERACTIVE_GIT_ENV: Readonly<Record<string, string>> = {
  LC_ALL: 'C',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'false',
  GIT_SEQUENCE_EDITOR: 'false',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  GIT_SSH_COMMAND: 'false',
  GIT_TERMINAL_PROMPT: '0',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_NO_LAZY_FETCH: '1',
  // Takes precedence over every `protocol.*.allow` of a repository.
  GIT_ALLOW_PROTOCOL: 'none'
}

/** Hides the settings of the machine and the user. */
export const NO_CONFIG_GIT_ENV: Readonly<Record<string, string>> = {
  HOME: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  // Replacement objects would be shown, and sent, in place of the real ones.
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null/none'
}

/** A refreshed index is not written back: `status` and `blame` respect this, `diff` does not. */
export const NO_LOCKS_GIT_ENV: Readonly<Record<string, string>> = { GIT_OPTIONAL_LOCKS: '0' }

/** Flags of git itself, before its command. */
export const GIT_FLAGS: readonly string[] = ['--no-pager']

/** Settings that override those of every repository. An empty value disables a program. */
export const HARDENED_SETTINGS: readonly GitSetting[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.sshCommand', 'false'],
  ['core.gitProxy', ''],
  ['core.askPass', 'false'],
  ['core.editor', 'false'],
  ['core.pager', 'cat'],
  ['core.alternateRefsCommand', ''],
  ['core.quotePath', 'true'],
  ['credential.helper', ''],
  ['diff.external', ''],
  ['diff.ignoreSubmodules', 'dirty'],
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
  // Files that a repository may name anywhere, and whose content appears in git's output.
  ['mailmap.file', '/dev/null'],
  ['mailmap.blob', ''],
  ['safe.bareRepository', 'explicit'],
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
  ['core.bigFileThreshold', '50m'],
  // The repository's owner is irrelevant if nothing of it is executed.
  ['safe.directory', '*']
]

/** Repository settings by which git runs programs for files selected by attributes, each with a neutral value. */
const PROGRAM_SETTINGS: readonly [RegExp, string][] = [
  [/^filter\.(.*)\.(clean|smudge|process)$/s, ''],
  [/^filter\.(.*)\.required$/s, 'false'],
  [/^diff\.(.*)\.(command|textconv)$/s, ''],
  [/^diff\.(.*)\.cachetextconv$/s, 'false'],
  [/^merge\.(.*)\.(driver)$/s, 'false']
]

/** Returns settings that disable the programs named by these keys. */
export function neutralizeSettings(keys: Iterable<string>): GitSetting[] {
  const found = new Map<string, string>()
  for (const key of keys) {
    const instead = PROGRAM_SETTINGS.find(([pattern]) => pattern.test(key))?.[1]
    if (instead !== undefined) found.set(key, instead)
  }
  return [...found]
}

/** Passes settings as variables: no value can be taken for a flag, and child processes get them too. */
export function toConfigEnv(settings: readonly GitSetting[]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) }
  for (const [i, [key, value]] of settings.entries()) {
    variables[`GIT_CONFIG_KEY_${i}`] = key
    variables[`GIT_CONFIG_VALUE_${i}`] = value
  }
  return variables
}
