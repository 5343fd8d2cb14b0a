// Reads commits and their changes from a git repository.
import { execaSync } from 'execa'

/** One side of a change: git's version of a file. */
export interface FileVersion {
  path: string
  /** 100644, 100755, or 120000 for a link. */
  mode: string
  blob: string
}

export interface CommittedChange {
  before?: FileVersion
  after?: FileVersion
  /** The diff as git shows it; text where the bytes are text, so that the diff of the whole commit can be assembled. */
  diff: Buffer
}

export interface CommitChanges {
  id: string
  changes: CommittedChange[]
}

const MAX_OUTPUT_BYTES = 1024 * 1024 * 1024
const EMPTY_TREE = '000000'
const NEXT = '\ndiff --git '
/** Overrides the user's configuration, so that it does not affect git's output. */
const PLAIN = ['-c', 'core.quotePath=true', '-c', 'diff.algorithm=myers', '-c', 'core.attributesFile=/dev/null']
/** Options for git's usual output of a commit, except for binary files. */
const SHOWN = [
  'diff-tree',
  '--no-commit-id',
  '-r',
  '-M',
  '--full-index',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color'
]

export class Repository {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Returns the newest commits with exactly one parent, newest first. */
  commits(most: number): string[] {
    const list = this.#git('rev-list', '--no-merges', '--min-parents=1', `--max-count=${most}`, 'HEAD')
    return list.toString('utf8').split('\n').filter(Boolean)
  }

  commit(id: string): CommitChanges {
    const records = this.#git(...SHOWN, '--raw', '-z', id)
    const sections = splitSections(this.#git(...SHOWN, '-U3', '--src-prefix=a/', '--dst-prefix=b/', '-p', id))
    const changes = parseChanges(records.toString('utf8'))
    if (sections.length !== changes.length) throw new Error(`${id}: ${changes.length} files, ${sections.length} diffs`)
    return { id, changes: changes.map((change, i) => ({ ...change, diff: sections[i]! })) }
  }

  blob(id: string): Buffer {
    return this.#git('cat-file', 'blob', id)
  }

  #git(...args: string[]): Buffer {
    const options = {
      cwd: this.#folder,
      encoding: 'buffer',
      stripFinalNewline: false,
      maxBuffer: MAX_OUTPUT_BYTES
    } as const
    return Buffer.from(execaSync('git', [...PLAIN, ...args], options).stdout)
  }
}

/**
 * Parses `:<mode> <mode> <blob> <blob> <status>`, then one path or two, each terminated by NUL. A file that became a link, or the
 * reverse, is shown as a removal and an addition.
 */
function parseChanges(records: string): Omit<CommittedChange, 'diff'>[] {
  const fields = records.split('\0')
  const changes: Omit<CommittedChange, 'diff'>[] = []
  for (let at = 0; fields[at]?.startsWith(':'); ) {
    const [modeBefore, modeAfter, blobBefore, blobAfter, status] = fields[at++]!.slice(1).split(' ') as string[]
    const path = fields[at++]!
    const to = /^[RC]/.test(status!) ? fields[at++]! : path
    const before = modeBefore === EMPTY_TREE ? undefined : { path, mode: modeBefore!, blob: blobBefore! }
    const after = modeAfter === EMPTY_TREE ? undefined : { path: to, mode: modeAfter!, blob: blobAfter! }
    if (status === 'T') changes.push({ before: before! }, { after: after! })
    else changes.push({ ...(before && { before }), ...(after && { after }) })
  }
  return changes
}

/** Splits a diff by file. No line within a file's section begins like its header. */
function splitSections(diff: Buffer): Buffer[] {
  const starts = diff.length > 0 ? [0] : []
  for (let at = diff.indexOf(NEXT); at >= 0; at = diff.indexOf(NEXT, at + 1)) starts.push(at + 1)
  return starts.map((start, i) => diff.subarray(start, starts[i + 1] ?? diff.length))
}
