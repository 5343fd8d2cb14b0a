// Parses `git status --porcelain=v2 --branch --show-stash -z`.
import { ToolError } from '../../../errors.ts'

export const STATES = [
  'unmodified',
  'modified',
  'type_changed',
  'added',
  'deleted',
  'renamed',
  'copied',
  'unmerged'
] as const
type State = (typeof STATES)[number]

const STATE_OF: Readonly<Record<string, State>> = {
  '.': 'unmodified',
  M: 'modified',
  T: 'type_changed',
  A: 'added',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  U: 'unmerged'
}

export const CONFLICTS = [
  'both_deleted',
  'added_by_us',
  'deleted_by_them',
  'added_by_them',
  'deleted_by_us',
  'both_added',
  'both_modified'
] as const
type Conflict = (typeof CONFLICTS)[number]

const CONFLICT_OF: Readonly<Record<string, Conflict>> = {
  DD: 'both_deleted',
  AU: 'added_by_us',
  UD: 'deleted_by_them',
  UA: 'added_by_them',
  DU: 'deleted_by_us',
  AA: 'both_added',
  UU: 'both_modified'
}

export const STATUS_ENTRY_KINDS = ['changed', 'renamed', 'unmerged', 'untracked', 'ignored'] as const

/** One path; paths are relative to the repository. */
export interface StatusEntry {
  path: string
  from?: string
  kind: (typeof STATUS_ENTRY_KINDS)[number]
  index: State
  worktree: State
  conflict?: Conflict
  submodule?: { commit_changed: boolean; modified: boolean; untracked: boolean }
}

interface GitStatus {
  /** Null before the first commit. */
  oid: string | null
  /** Name of the branch; null for a detached HEAD. */
  head: string | null
  upstream?: string
  ahead?: number
  behind?: number
  stashes: number
  entries: StatusEntry[]
}

/** Begins every status. */
const HEADER = Buffer.from('# branch.oid ')
/** Number of fields before the path, by line type. */
const FIELDS: Readonly<Record<string, number>> = { 1: 8, 2: 9, u: 10 }

/** Throws EXECUTION_ERROR for what git does not print. */
export function parseStatus(output: Buffer): GitStatus {
  if (!output.subarray(0, HEADER.length).equals(HEADER))
    throw new ToolError(
      'EXECUTION_ERROR',
      'Unexpected output of git status. Check that git works (`git status`), and retry.'
    )
  const status: GitStatus = { oid: null, head: null, stashes: 0, entries: [] }
  let renamed: StatusEntry | undefined
  for (const line of output.toString('utf8').split('\0')) {
    // The previous path of a renamed file is a separate record.
    if (renamed) {
      status.entries.push({ ...renamed, from: line })
      renamed = undefined
    } else if (line.startsWith('# ')) header(status, line)
    else if (line[0] === '2') renamed = { ...parseChanged(line), kind: 'renamed' }
    else if (line[0] === '1') status.entries.push(parseChanged(line))
    else if (line[0] === 'u') status.entries.push(parseUnmerged(line))
    else if (line[0] === '?') status.entries.push(parseUntracked(line, 'untracked'))
    else if (line[0] === '!') status.entries.push(parseUntracked(line, 'ignored'))
  }
  return status
}

function header(status: GitStatus, line: string) {
  const [, name, value = '', more = ''] = line.split(' ')
  if (name === 'branch.oid') status.oid = value === '(initial)' ? null : value
  else if (name === 'branch.head') status.head = value === '(detached)' ? null : value
  else if (name === 'branch.upstream') status.upstream = value
  else if (name === 'branch.ab') Object.assign(status, { ahead: Number(value), behind: Math.abs(Number(more)) })
  else if (name === 'stash') status.stashes = Number(value)
}

function split(line: string): { fields: string[]; path: string } {
  const count = FIELDS[line[0]!]!
  let at = 0
  for (let i = 0; i < count; i += 1) at = line.indexOf(' ', at) + 1
  return { fields: line.slice(0, at).split(' '), path: line.slice(at) }
}

function parseChanged(line: string): StatusEntry {
  const { fields, path } = split(line)
  const [, states = '..', submodule = 'N...'] = fields
  const [index = '.', worktree = '.'] = states
  return {
    path,
    kind: 'changed',
    index: STATE_OF[index] ?? 'modified',
    worktree: STATE_OF[worktree] ?? 'modified',
    ...parseSubmodule(submodule)
  }
}

function parseUnmerged(line: string): StatusEntry {
  const { fields, path } = split(line)
  const [, states = 'UU', submodule = 'N...'] = fields
  return {
    path,
    kind: 'unmerged',
    index: 'unmerged',
    worktree: 'unmerged',
    conflict: CONFLICT_OF[states] ?? 'both_modified',
    ...parseSubmodule(submodule)
  }
}

const parseUntracked = (line: string, kind: 'untracked' | 'ignored'): StatusEntry => ({
  path: line.slice(2),
  kind,
  index: 'unmodified',
  worktree: 'unmodified'
})

function parseSubmodule([sign, commit, modified, untracked]: string) {
  if (sign !== 'S') return {}
  return { submodule: { commit_changed: commit === 'C', modified: modified === 'M', untracked: untracked === 'U' } }
}
