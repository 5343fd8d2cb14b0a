// Git commands that need strict approval: destructive ones, and flags by which any command runs a program.

/** Commands that lose data, or by which git runs programs from its arguments. */
export const STRICT_GIT_COMMANDS: Readonly<Record<string, string>> = {
  push: 'It sends commits away, and may overwrite what is there.',
  'filter-branch': 'It rewrites history.',
  'filter-repo': 'It rewrites history.',
  'update-ref': 'It moves or removes references.',
  replace: 'It replaces objects.',
  prune: 'It removes objects for good.',
  restore: 'It throws changes away.',
  rm: 'It removes files.',
  difftool: 'It runs a program.',
  mergetool: 'It runs a program.',
  bisect: 'It checks out other commits and may run a program.',
  'send-email': 'It sends mail.',
  instaweb: 'It starts a server.',
  daemon: 'It starts a server.',
  credential: 'It shows or stores credentials.',
  'credential-store': 'It shows or stores credentials.',
  'credential-cache': 'It shows or stores credentials.',
  hook: 'It runs hooks.',
  'fast-import': 'It rewrites the repository.',
  'upload-pack': 'It serves a repository.',
  'receive-pack': 'It serves a repository.',
  shell: 'It is a shell.',
  rebase: 'It rewrites history.',
  clean: 'It removes files that git does not keep.'
}

type ArgumentsPredicate = (args: readonly string[]) => boolean
export const hasAnyFlag =
  (...flagNames: string[]): ArgumentsPredicate =>
  args =>
    args.some(arg => flagNames.some(flag => isFlag(arg, flag)))
const hasSubcommand =
  (...names: string[]): ArgumentsPredicate =>
  args =>
    names.includes(args.find(arg => !arg.startsWith('-')) ?? '')

/** Matches a flag, also abbreviated, with an attached value, or combined with other letters. */
export function isFlag(arg: string, flag: string) {
  if (flag.startsWith('--')) {
    const name = arg.split('=')[0]!
    return name.length > 3 && name.startsWith('--') && flag.startsWith(name)
  }
  return /^-[A-Za-z]+/.test(arg) && !arg.startsWith('--') && arg.slice(1).includes(flag.slice(1))
}

export const CONDITIONALLY_STRICT_GIT_COMMANDS: Readonly<Record<string, { when: ArgumentsPredicate; reason: string }>> =
  {
    reset: { when: hasAnyFlag('--hard', '--merge', '--keep'), reason: 'It throws changes away.' },
    checkout: {
      when: args => hasAnyFlag('-f', '--force')(args) || discardsChanges(args),
      reason: 'It throws changes away.'
    },
    switch: {
      when: hasAnyFlag('-f', '--force', '--discard-changes', '-C', '--force-create'),
      reason: 'It throws changes away.'
    },
    branch: {
      when: hasAnyFlag('-d', '-D', '-f', '-M', '-C', '--delete', '--force', '--edit-description'),
      reason: 'It removes or overwrites a branch.'
    },
    tag: {
      when: args =>
        hasAnyFlag('-d', '-f', '--delete', '--force', '--local-user', '-u', '--sign', '--verify')(args) ||
        args.some(arg => /^-[afi]*[sv]/.test(arg)),
      reason: 'It removes, overwrites or signs a tag.'
    },
    stash: { when: hasSubcommand('drop', 'clear', 'pop'), reason: 'It may lose what was put aside.' },
    worktree: { when: hasSubcommand('remove', 'prune'), reason: 'It removes a working tree.' },
    submodule: {
      when: hasSubcommand('foreach', 'deinit', 'update', 'add'),
      reason: 'It runs commands or fetches code.'
    },
    remote: {
      when: hasSubcommand('remove', 'rm', 'prune', 'set-url', 'add', 'rename'),
      reason: 'It changes where the repository fetches from.'
    },
    gc: { when: hasAnyFlag('--prune', '--aggressive'), reason: 'It removes objects for good.' },
    commit: {
      when: args =>
        hasAnyFlag('--amend', '--no-verify', '--gpg-sign')(args) || args.some(arg => /^-[aeiopqsvz]*[nS]/.test(arg)),
      reason: 'It rewrites or signs a commit, or leaves a check out.'
    },
    merge: {
      when: args => hasAnyFlag('--no-verify')(args) || signsCommit(args),
      reason: 'It leaves a check out, or signs.'
    },
    pull: {
      when: args => hasAnyFlag('--no-verify')(args) || signsCommit(args),
      reason: 'It leaves a check out, or signs.'
    },
    apply: { when: hasAnyFlag('--unsafe-paths', '--directory'), reason: 'It may write elsewhere.' },
    archive: {
      when: hasAnyFlag('--exec', '--remote', '-o', '--output'),
      reason: 'It runs a program or writes a file.'
    },
    notes: { when: hasSubcommand('remove', 'prune'), reason: 'It removes notes.' },
    lfs: { when: () => true, reason: 'It is a program of its own.' }
  }
/** Signs with a program that the repository may name. */
const signsCommit: ArgumentsPredicate = args => args.some(arg => /^-[nqv]*S/.test(arg))
/** Returns true if paths are checked out over changes, rather than a branch. */
function discardsChanges(args: readonly string[]) {
  const creates = args.some(arg => ['-b', '-B', '--orphan', '--track', '-t'].includes(arg))
  const operands = args.filter(arg => !arg.startsWith('-'))
  return (
    args.includes('--') ||
    args.includes('-B') ||
    (!creates && operands.some((arg, at) => at > 0 || arg === '.' || arg === ':/'))
  )
}

/** Flags and values by which any git command runs a program, writes or reads a file, or contacts another repository. */
export const UNSAFE_GIT_FLAGS = [
  '--output', '--ext-diff', '--textconv', '--open-files-in-pager', '--contents', '--upload-pack', '--receive-pack',
  '--exec', '--no-index', '--config', '--config-env', '--template', '--show-signature', '--gpg-sign', '--exec-path',
  '--git-dir', '--work-tree', '--namespace', '--super-prefix', '--extcmd', '--filters', '--paginate', '--reference'
] // biome-ignore format: a table
export const TRANSPORTS = /^(?:ext|fd)::|^-[A-Za-z]*(?:ext|fd)::/i
/** A signature is verified by a program that the repository may configure. */
export const SIGNATURE = /%G|%\(\*?signature|^--sort=-?\*?signature/
