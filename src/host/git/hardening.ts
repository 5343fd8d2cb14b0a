// What keeps git from running what a repository, an environment or a param names. Neither layer of git's configuration that
// belongs to the machine or the user is in force, all else that could name a program is overridden, and nothing is sent.

export type GitSetting = readonly [key: string, value: string]

/** Nobody sits in front of git, and it reaches nobody. */
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
  // Above every `protocol.*.allow` of a repository.
  GIT_ALLOW_PROTOCOL: 'none'
}

/** It finds no settings of the machine or the user. */
export const NO_CONFIG_GIT_ENV: Readonly<Record<string, string>> = {
  HOME: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  // What a repository would show in place of what it holds, and sends.
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null/none'
}

/** An index that is refreshed is not written back: `status` and `blame` respect this, `diff` does not. */
export const NO_LOCKS_GIT_ENV: Readonly<Record<string, string>> = { GIT_OPTIONAL_LOCKS: '0' }

/** Flags of git itself, before its command. */
export const GIT_FLAGS: readonly string[] = ['--no-pager']

/** Settings that win over those of every repository. An empty value takes a program away. */
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
  // Files that a repository may name anywhere, and whose words come back in what git says.
  ['mailmap.file', '/dev/null'],
  ['mailmap.blob', ''],
  ['safe.bareRepository', 'explicit'],
  // Answers look the same whatever a repository configures.
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
  // Whose repository it is does not matter where nothing of it runs.
  ['safe.directory', '*']
]

/** Keys of a repository by which git runs something for files that its attributes choose, each with what to say instead. */
const PROGRAM_SETTINGS: readonly [RegExp, string][] = [
  [/^filter\.(.*)\.(clean|smudge|process)$/s, ''],
  [/^filter\.(.*)\.required$/s, 'false'],
  [/^diff\.(.*)\.(command|textconv)$/s, ''],
  [/^diff\.(.*)\.cachetextconv$/s, 'false'],
  [/^merge\.(.*)\.(driver)$/s, 'false']
]

/** What takes the programs away that these keys name. */
export function neutralizeSettings(keys: Iterable<string>): GitSetting[] {
  const found = new Map<string, string>()
  for (const key of keys) {
    const instead = PROGRAM_SETTINGS.find(([pattern]) => pattern.test(key))?.[1]
    if (instead !== undefined) found.set(key, instead)
  }
  return [...found]
}

/** As variables: so no value is taken for a flag, and children get it too. */
export function toConfigEnv(settings: readonly GitSetting[]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) }
  for (const [i, [key, value]] of settings.entries()) {
    variables[`GIT_CONFIG_KEY_${i}`] = key
    variables[`GIT_CONFIG_VALUE_${i}`] = value
  }
  return variables
}
