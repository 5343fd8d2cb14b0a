// Updates a branch together with the index, so that observers see both before or both after. The new index is prepared
// separately, renamed to git's own lock, and renamed to the index once the branch has moved. The operation is recorded first: if
// the server is killed in between, the next one recovers it (`pending-operations.ts`).
import { copyFileSync, linkSync, lstatSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { errnoOf } from '../files/errno.ts'
import { statFingerprint } from '../files/fingerprint.ts'
import { createTempFolder } from '../temp-folders.ts'
import { assertGitSucceeded, cleanStderr } from './errors.ts'
import type { GitCommand, GitRunner } from './git-command.ts'
import { beginOperation } from './pending-operations.ts'
import type { Repository } from './repository.ts'
import { giveFileToOwner } from './repository-owner.ts'

/** New index entry of a path: undefined if it is removed. */
export interface IndexUpdate {
  /** A repository path. */
  path: string
  entry: { mode: string; oid: string } | undefined
}

export interface BranchUpdate {
  /** Full name of the current branch; undefined for a detached HEAD. */
  branch: string | undefined
  move: CommitUpdate | HeadSwitch
  indexUpdates: readonly IndexUpdate[]
}

/** Advances the current branch or HEAD to a commit. */
interface CommitUpdate {
  /** Current commit; undefined for a branch that does not exist yet. */
  from: string | undefined
  to: string
  /** Reflog message. */
  reason: string
}

/** Switches to another branch, given by its full name. */
interface HeadSwitch {
  head: string
  reason: string
}

/** Maximum number of attempts with concurrent changes of the index. */
const MAX_ATTEMPTS = 5

/** Throws STALE_FILE if the branch has moved, or another is checked out. Nothing has changed then. */
export async function updateBranchAndIndex(
  git: GitRunner,
  repository: Repository,
  advance: BranchUpdate,
  places: { drafts: string; begun: string }
): Promise<void> {
  const { path: folder, remove } = await createTempFolder(places.drafts)
  try {
    for (let left = MAX_ATTEMPTS; ; left -= 1) {
      if (await tryUpdate(git, repository, advance, { folder, begun: places.begun })) return
      if (left === 1) throw new ToolError('CONFLICT', 'The index keeps changing, so nothing was changed. Try again.')
    }
  } finally {
    await remove()
  }
}

/** Returns false if the index was changed concurrently. */
async function tryUpdate(
  git: GitRunner,
  repository: Repository,
  advance: BranchUpdate,
  { folder, begun }: { folder: string; begun: string }
): Promise<boolean> {
  const index = path.join(repository.git_dir, 'index')
  const before = fingerprintOf(index)
  const draft = path.join(folder, 'index')
  rmSync(draft, { force: true })
  const draw = (args: string[], stdin?: string) =>
    writeIndex(git, repository, {
      args,
      writableFolder: folder,
      env: { GIT_INDEX_FILE: draft },
      ...(stdin !== undefined && { stdin })
    })
  if (before === undefined) await draw(['read-tree', '--empty'])
  else copyFileSync(index, draft)
  await draw(['update-index', '--replace', '-z', '--index-info'], indexInfoLines(advance.indexUpdates, repository))
  const { ref, to, args } = updateCommand(advance, repository)
  const lock = new IndexLock(index)
  const { git_dir, common_dir } = repository
  const work = beginOperation(begun, { git_dir, common_dir, ref, to, whole: lock.newIndex })
  try {
    const started = Date.now()
    copyFileSync(draft, lock.newIndex)
    giveFileToOwner(lock.newIndex, started)
    work.indexWritten()
    lock.acquire()
    if (fingerprintOf(index) !== before) return false
    if ((await readHeadRef(git, repository)) !== advance.branch) throw branchSwitchedError()
    const { stderr } = await git.run(repository, { access: 'write', args })
    const stands = ref === 'HEAD' && isRefName(to) ? readHeadRef(git, repository) : resolveCommit(git, repository, ref)
    if ((await stands) !== to) throw refUpdateError(stderr, repository)
    lock.commit()
    return true
  } finally {
    lock.release()
    work.complete()
  }
}

async function writeIndex(git: GitRunner, repository: Repository, order: GitCommand) {
  assertGitSucceeded(await git.run(repository, { access: 'draft', ...order }), 'write the index', repository)
}

/** Checks if HEAD is to name a branch, as opposed to a commit. */
export const isRefName = (to: string) => to.startsWith('refs/')

function updateCommand({ branch, move }: BranchUpdate, repository: Repository) {
  const { reason } = move
  if ('head' in move) {
    const args = ['symbolic-ref', '-m', reason, 'HEAD', move.head]
    return { ref: 'HEAD', to: move.head, args }
  }
  const ref = branch ?? 'HEAD'
  const deref = branch === undefined ? ['--no-deref'] : []
  const args = ['update-ref', ...deref, '-m', reason, ref, move.to, move.from ?? zeroOid(repository)]
  return { ref, to: move.to, args }
}

/** Git's own lock on an index, which holds the new index. */
class IndexLock {
  /** File of the new index before the lock is taken. */
  readonly newIndex: string
  readonly #index: string
  #isHeld = false

  constructor(index: string) {
    this.#index = index
    this.newIndex = `${index}.toolgate-${process.pid}`
  }

  acquire() {
    try {
      linkSync(this.newIndex, this.#lock)
      this.#isHeld = true
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error
      throw new ToolError(
        'CONFLICT',
        'Another Git process is using this repository, or was killed: the file index.lock exists. Try again when the file is gone.'
      )
    }
  }

  commit() {
    renameSync(this.#lock, this.#index)
    this.#isHeld = false
  }

  release() {
    if (this.#isHeld) rmSync(this.#lock, { force: true })
    rmSync(this.newIndex, { force: true })
  }

  get #lock() {
    return `${this.#index}.lock`
  }
}

/** Returns the current branch. */
export async function readHeadRef(git: GitRunner, repository: Repository): Promise<string | undefined> {
  const { code, stdout } = await git.run(repository, { args: ['symbolic-ref', '--quiet', 'HEAD'] })
  return code === 0 ? stdout.toString('utf8').replace(/\n$/, '') : undefined
}

/** Returns the commit of a reference. */
export async function resolveCommit(git: GitRunner, repository: Repository, ref: string): Promise<string | undefined> {
  const { code, stdout } = await git.run(repository, { args: ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`] })
  return code === 0 ? stdout.toString('latin1').trim() : undefined
}

const branchSwitchedError = () =>
  new ToolError('STALE_FILE', 'Another branch was checked out during the operation, so nothing was changed. Try again.')

function refUpdateError(stderr: string, repository: Repository) {
  if (/but expected|reference already exists|unable to resolve/.test(stderr))
    return new ToolError('STALE_FILE', 'The branch changed during the operation, so nothing was changed. Try again.')
  if (/File exists/.test(stderr))
    return new ToolError(
      'CONFLICT',
      'Another Git process is using the branch, or was killed: the lock file of the branch exists. Try again when the file ' +
        'is gone.'
    )
  return new ToolError('EXECUTION_ERROR', `The branch could not be updated: ${cleanStderr(stderr, repository)}`)
}

/** Formats entries for `--index-info`; mode 0 removes a path. */
const indexInfoLines = (staged: readonly IndexUpdate[], repository: Repository) =>
  staged.map(({ path, entry }) => `${entry?.mode ?? '0'} ${entry?.oid ?? zeroOid(repository)}\t${path}\0`).join('')

/** Returns the null object id. */
export const zeroOid = ({ usesSha256 }: Repository) => '0'.repeat(usesSha256 ? 64 : 40)

function fingerprintOf(file: string) {
  const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false })
  return stat && statFingerprint(stat)
}
