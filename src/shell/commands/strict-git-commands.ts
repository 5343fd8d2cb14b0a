// What git is asked about strictly for: commands that lose something, and flags by which any command runs a program.

/** Commands that lose something, or by which git runs what it is told. */
export const ALWAYS_STRICT: Readonly<Record<string, string>> = {
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

type When = (args: readonly string[]) => boolean
export const has =
  (...flagNames: string[]): When =>
  args =>
    args.some(arg => flagNames.some(flag => isFlag(arg, flag)))
const sub =
  (...names: string[]): When =>
  args =>
    names.includes(args.find(arg => !arg.startsWith('-')) ?? '')

/** A flag, also abbreviated, with its value attached, or among other letters. */
export function isFlag(arg: string, flag: string) {
  if (flag.startsWith('--')) {
    const name = arg.split('=')[0]!
    return name.length > 3 && name.startsWith('--') && flag.startsWith(name)
  }
  return /^-[A-Za-z]+/.test(arg) && !arg.startsWith('--') && arg.slice(1).includes(flag.slice(1))
}

export const STRICT_WHEN: Readonly<Record<string, { when: When; reason: string }>> = {
  reset: { when: has('--hard', '--merge', '--keep'), reason: 'It throws changes away.' },
  checkout: { when: args => has('-f', '--force')(args) || discards(args), reason: 'It throws changes away.' },
  switch: {
    when: has('-f', '--force', '--discard-changes', '-C', '--force-create'),
    reason: 'It throws changes away.'
  },
  branch: {
    when: has('-d', '-D', '-f', '-M', '-C', '--delete', '--force', '--edit-description'),
    reason: 'It removes or overwrites a branch.'
  },
  tag: {
    when: args =>
      has('-d', '-f', '--delete', '--force', '--local-user', '-u', '--sign', '--verify')(args) ||
      args.some(arg => /^-[afi]*[sv]/.test(arg)),
    reason: 'It removes, overwrites or signs a tag.'
  },
  stash: { when: sub('drop', 'clear', 'pop'), reason: 'It may lose what was put aside.' },
  worktree: { when: sub('remove', 'prune'), reason: 'It removes a working tree.' },
  submodule: { when: sub('foreach', 'deinit', 'update', 'add'), reason: 'It runs commands or fetches code.' },
  remote: {
    when: sub('remove', 'rm', 'prune', 'set-url', 'add', 'rename'),
    reason: 'It changes where the repository fetches from.'
  },
  gc: { when: has('--prune', '--aggressive'), reason: 'It removes objects for good.' },
  commit: {
    when: args => has('--amend', '--no-verify', '--gpg-sign')(args) || args.some(arg => /^-[aeiopqsvz]*[nS]/.test(arg)),
    reason: 'It rewrites or signs a commit, or leaves a check out.'
  },
  merge: { when: args => has('--no-verify')(args) || signs(args), reason: 'It leaves a check out, or signs.' },
  pull: { when: args => has('--no-verify')(args) || signs(args), reason: 'It leaves a check out, or signs.' },
  apply: { when: has('--unsafe-paths', '--directory'), reason: 'It may write elsewhere.' },
  archive: { when: has('--exec', '--remote', '-o', '--output'), reason: 'It runs a program or writes a file.' },
  notes: { when: sub('remove', 'prune'), reason: 'It removes notes.' },
  lfs: { when: () => true, reason: 'It is a program of its own.' }
}
/** By a program that the repository may name. */
const signs: When = args => args.some(arg => /^-[nqv]*S/.test(arg))
/** Whether paths are checked out over changes, rather than a branch. */
function discards(args: readonly string[]) {
  const creates = args.some(arg => ['-b', '-B', '--orphan', '--track', '-t'].includes(arg))
  const operands = args.filter(arg => !arg.startsWith('-'))
  return (
    args.includes('--') ||
    args.includes('-B') ||
    (!creates && operands.some((arg, at) => at > 0 || arg === '.' || arg === ':/'))
  )
}

/** Flags and values by which any command of git runs a program, writes or reads a file, or asks another repository. */
export const RUNS = [
  '--output', '--ext-diff', '--textconv', '--open-files-in-pager', '--contents', '--upload-pack', '--receive-pack',
  '--exec', '--no-index', '--config', '--config-env', '--template', '--show-signature', '--gpg-sign', '--exec-path',
  '--git-dir', '--work-tree', '--namespace', '--super-prefix', '--extcmd', '--filters', '--paginate', '--reference'
] // biome-ignore format: a table
export const TRANSPORTS = /^(?:ext|fd)::|^-[A-Za-z]*(?:ext|fd)::/i
/** A signature is checked by a program that the repository may configure. */
export const SIGNATURE = /%G|%\(\*?signature|^--sort=-?\*?signature/
