// Git commands that need strict approval: destructive ones, and flags by which any command runs a program.

/** Commands that lose data, or by which git runs programs from its arguments. */
export const STRICT_GIT_COMMANDS: Readonly<Record<string, string>> = {
  push: 'Pushes commits; may overwrite remote history.',
  'filter-branch': 'Rewrites history.',
  'filter-repo': 'Rewrites history.',
  'update-ref': 'Moves or removes references.',
  replace: 'Replaces objects.',
  prune: 'Removes objects permanently.',
  restore: 'Discards uncommitted changes.',
  rm: 'Removes files.',
  difftool: 'Runs a program.',
  mergetool: 'Runs a program.',
  bisect: 'Checks out other commits and may run a program.',
  'send-email': 'Sends mail.',
  instaweb: 'Starts a server.',
  daemon: 'Starts a server.',
  credential: 'Prints or stores credentials.',
  'credential-store': 'Prints or stores credentials.',
  'credential-cache': 'Prints or stores credentials.',
  hook: 'Runs hooks.',
  'fast-import': 'Rewrites the repository.',
  'upload-pack': 'Serves a repository.',
  'receive-pack': 'Serves a repository.',
  shell: 'Starts a shell.',
  rebase: 'Rewrites history.',
  clean: 'Removes untracked files.'
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
    reset: { when: hasAnyFlag('--hard', '--merge', '--keep'), reason: 'Discards uncommitted changes.' },
    checkout: {
      when: args => hasAnyFlag('-f', '--force')(args) || discardsChanges(args),
      reason: 'Discards uncommitted changes.'
    },
    switch: {
      when: hasAnyFlag('-f', '--force', '--discard-changes', '-C', '--force-create'),
      reason: 'Discards uncommitted changes.'
    },
    branch: {
      when: hasAnyFlag('-d', '-D', '-f', '-M', '-C', '--delete', '--force', '--edit-description'),
      reason: 'Removes or overwrites a branch.'
    },
    tag: {
      when: args =>
        hasAnyFlag('-d', '-f', '--delete', '--force', '--local-user', '-u', '--sign', '--verify')(args) ||
        args.some(arg => /^-[afi]*[sv]/.test(arg)),
      reason: 'Removes, overwrites or signs a tag.'
    },
    stash: { when: hasSubcommand('drop', 'clear', 'pop'), reason: 'May drop stashed changes.' },
    worktree: { when: hasSubcommand('remove', 'prune'), reason: 'Removes a working tree.' },
    submodule: {
      when: hasSubcommand('foreach', 'deinit', 'update', 'add'),
      reason: 'Runs commands or fetches code.'
    },
    remote: {
      when: hasSubcommand('remove', 'rm', 'prune', 'set-url', 'add', 'rename'),
      reason: 'Changes the addresses from which the repository fetches.'
    },
    gc: { when: hasAnyFlag('--prune', '--aggressive'), reason: 'Removes objects permanently.' },
    commit: {
      when: args =>
        hasAnyFlag('--amend', '--no-verify', '--gpg-sign')(args) || args.some(arg => /^-[aeiopqsvz]*[nS]/.test(arg)),
      reason: 'Rewrites or signs a commit, or skips git hooks.'
    },
    merge: {
      when: args => hasAnyFlag('--no-verify')(args) || signsCommit(args),
      reason: 'Skips git hooks, or creates a signature.'
    },
    pull: {
      when: args => hasAnyFlag('--no-verify')(args) || signsCommit(args),
      reason: 'Skips git hooks, or creates a signature.'
    },
    apply: { when: hasAnyFlag('--unsafe-paths', '--directory'), reason: 'May write outside the repository.' },
    archive: {
      when: hasAnyFlag('--exec', '--remote', '-o', '--output'),
      reason: 'Runs a program or writes a file.'
    },
    notes: { when: hasSubcommand('remove', 'prune'), reason: 'Removes notes.' },
    lfs: { when: () => true, reason: 'Unknown program.' }
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
