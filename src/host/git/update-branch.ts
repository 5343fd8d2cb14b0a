// Moving a branch on together with what is staged, so that whoever looks finds both as they were or both moved. The new
// index is made beside, put into place of git's own lock whole, and takes the index's place once the branch has moved. What
// was begun is written down first: of a server that was killed in between, the next one ends it (`begun.ts`).
import { copyFileSync, linkSync, lstatSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { errnoOf } from '../files/errno.ts'
import { stampOf } from '../files/fingerprint.ts'
import { temporaryFolder } from '../temp-folders.ts'
import { refuseFailed, saidBy } from './errors.ts'
import type { Git, GitOrder } from './git.ts'
import { begin } from './pending-operations.ts'
import type { Repository } from './repository.ts'

/** Of one path in a tree: undefined where it holds nothing. */
export interface Staged {
  /** The repository's. */
  path: string
  entry: { mode: string; oid: string } | undefined
}

export interface Advance {
  /** What is checked out now, by its full name; undefined where that is no branch. */
  branch: string | undefined
  move: CommitMove | SwitchMove
  staged: readonly Staged[]
}

/** What is checked out moves on to a commit. */
interface CommitMove {
  /** Where it stands now; undefined for a branch that is not there yet. */
  from: string | undefined
  to: string
  /** For the log of references, as all reasons. */
  reason: string
}

/** Another branch is checked out, by its full name. */
interface SwitchMove {
  head: string
  reason: string
}

/** How often it is tried where somebody else stages something at the same time. */
const TRIES = 5

/** Throws STALE_FILE where the branch stands elsewhere, or another is checked out. Nothing has happened then. */
export async function advanced(
  git: Git,
  repository: Repository,
  advance: Advance,
  places: { drafts: string; begun: string }
): Promise<void> {
  const { path: folder, remove } = await temporaryFolder(places.drafts)
  try {
    for (let left = TRIES; ; left -= 1) {
      if (await tried(git, repository, advance, { folder, begun: places.begun })) return
      if (left === 1)
        throw new ToolError('CONFLICT', 'Somebody else keeps changing what is staged; nothing was changed.')
    }
  } finally {
    await remove()
  }
}

/** False where somebody else has staged something meanwhile. */
async function tried(
  git: Git,
  repository: Repository,
  advance: Advance,
  { folder, begun }: { folder: string; begun: string }
): Promise<boolean> {
  const index = path.join(repository.git_dir, 'index')
  const before = stampAt(index)
  const draft = path.join(folder, 'index')
  rmSync(draft, { force: true })
  const draw = (args: string[], stdin?: string) =>
    drawn(git, repository, { args, folder, env: { GIT_INDEX_FILE: draft }, ...(stdin !== undefined && { stdin }) })
  if (before === undefined) await draw(['read-tree', '--empty'])
  else copyFileSync(index, draft)
  await draw(['update-index', '--replace', '-z', '--index-info'], linesOf(advance.staged, repository))
  const { ref, to, args } = stepOf(advance, repository)
  const lock = new IndexLock(index)
  const { git_dir, common_dir } = repository
  const work = begin(begun, { git_dir, common_dir, ref, to, whole: lock.whole })
  try {
    copyFileSync(draft, lock.whole)
    work.drawn()
    lock.take()
    if (stampAt(index) !== before) return false
    if ((await checkedOut(git, repository)) !== advance.branch) throw moved()
    const { stderr } = await git.run(repository, { access: 'write', args })
    const stands = ref === 'HEAD' && isName(to) ? checkedOut(git, repository) : standsAt(git, repository, ref)
    if ((await stands) !== to) throw notMoved(stderr, repository)
    lock.exchange()
    return true
  } finally {
    lock.release()
    work.over()
  }
}

async function drawn(git: Git, repository: Repository, order: GitOrder) {
  refuseFailed(await git.run(repository, { access: 'draft', ...order }), 'write what is staged', repository)
}

/** Whether HEAD comes to name a branch, and not to stand at a commit. */
export const isName = (to: string) => to.startsWith('refs/')

function stepOf({ branch, move }: Advance, repository: Repository) {
  const { reason } = move
  if ('head' in move) {
    const args = ['symbolic-ref', '-m', reason, 'HEAD', move.head]
    return { ref: 'HEAD', to: move.head, args }
  }
  const ref = branch ?? 'HEAD'
  const deref = branch === undefined ? ['--no-deref'] : []
  const args = ['update-ref', ...deref, '-m', reason, ref, move.to, move.from ?? noObject(repository)]
  return { ref, to: move.to, args }
}

/** Git's own lock on an index, which holds what is to take the index's place. */
class IndexLock {
  /** The file that holds it before the lock is taken. */
  readonly whole: string
  readonly #index: string
  #held = false

  constructor(index: string) {
    this.#index = index
    this.whole = `${index}.toolgate-${process.pid}`
  }

  take() {
    try {
      linkSync(this.whole, this.#lock)
      this.#held = true
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error
      throw new ToolError(
        'CONFLICT',
        'Another git is at work in this repository, or one was killed: there is an index.lock. Try again once it is gone.'
      )
    }
  }

  exchange() {
    renameSync(this.#lock, this.#index)
    this.#held = false
  }

  release() {
    if (this.#held) rmSync(this.#lock, { force: true })
    rmSync(this.whole, { force: true })
  }

  get #lock() {
    return `${this.#index}.lock`
  }
}

/** The branch that is checked out. */
export async function checkedOut(git: Git, repository: Repository): Promise<string | undefined> {
  const { code, stdout } = await git.run(repository, { args: ['symbolic-ref', '--quiet', 'HEAD'] })
  return code === 0 ? stdout.toString('utf8').replace(/\n$/, '') : undefined
}

/** The commit at a reference. */
export async function standsAt(git: Git, repository: Repository, ref: string): Promise<string | undefined> {
  const { code, stdout } = await git.run(repository, { args: ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`] })
  return code === 0 ? stdout.toString('latin1').trim() : undefined
}

const moved = () => new ToolError('STALE_FILE', 'Another branch was checked out meanwhile; nothing was changed.')

function notMoved(stderr: string, repository: Repository) {
  if (/but expected|reference already exists|unable to resolve/.test(stderr))
    return new ToolError('STALE_FILE', 'The branch has moved on meanwhile; nothing was changed.')
  if (/File exists/.test(stderr))
    return new ToolError('CONFLICT', 'Another git is at work on the branch, or one was killed: it holds its lock.')
  return new ToolError('EXECUTION_ERROR', `The branch could not be moved: ${saidBy(stderr, repository)}`)
}

/** As `--index-info` takes them; mode 0 takes a path away. */
const linesOf = (staged: readonly Staged[], repository: Repository) =>
  staged.map(({ path, entry }) => `${entry?.mode ?? '0'} ${entry?.oid ?? noObject(repository)}\t${path}\0`).join('')

/** The id that stands for none. */
export const noObject = ({ sha256 }: Repository) => '0'.repeat(sha256 ? 64 : 40)

function stampAt(file: string) {
  const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false })
  return stat && stampOf(stat)
}
