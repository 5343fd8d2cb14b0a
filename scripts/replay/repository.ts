// What git knows of a repository's past: which commits there are, and what each did to which files.
import { execFileSync } from 'node:child_process'

/** One side of a change: what git has of a file. */
export interface FileVersion {
  path: string
  /** 100644, 100755, or 120000 for a link. */
  mode: string
  blob: string
}

export interface CommittedChange {
  before?: FileVersion
  after?: FileVersion
  /** What git shows of it: as text where its bytes are, for the whole commit to be put together from. */
  diff: Buffer
}

export interface CommitChanges {
  id: string
  changes: CommittedChange[]
}

const MAX_OUTPUT_BYTES = 1024 * 1024 * 1024
const EMPTY_TREE = '000000'
const NEXT = '\ndiff --git '
/** So that no configuration of whoever runs this shows in what git writes. */
const PLAIN = ['-c', 'core.quotePath=true', '-c', 'diff.algorithm=myers', '-c', 'core.attributesFile=/dev/null']
/** As git shows a commit by itself, but for binary files. */
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

  /** The newest commits that have one parent, newest first. */
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
    return execFileSync('git', [...PLAIN, ...args], { cwd: this.#folder, maxBuffer: MAX_OUTPUT_BYTES })
  }
}

/** From `:<mode> <mode> <blob> <blob> <status>`, then one path or two, each ended by NUL. What turned from a file into a
 * link, or back, is shown as one that goes and one that comes. */
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

/** A diff cut where git begins with the next file. Inside a file's part no line begins like that. */
function splitSections(diff: Buffer): Buffer[] {
  const starts = diff.length > 0 ? [0] : []
  for (let at = diff.indexOf(NEXT); at >= 0; at = diff.indexOf(NEXT, at + 1)) starts.push(at + 1)
  return starts.map((start, i) => diff.subarray(start, starts[i + 1] ?? diff.length))
}
