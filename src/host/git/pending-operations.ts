// Records of repository operations that must not remain partial. Those of a killed server are recovered by the next one: if the
// branch has moved, the new index is installed; if not, the lock is removed and nothing has changed.
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { contentIdentity } from '../files/fingerprint.ts'
import { isProcessRunning } from '../processes/pids.ts'

interface PendingOperation {
  git_dir: string
  common_dir: string
  /** The reference that moves, and its target. */
  ref: string
  to: string
  /** File of the new index, before it is renamed to git's lock. */
  whole: string
}

interface PendingRecord extends PendingOperation {
  /** Identity of the new index, once it is written. */
  identity?: string
}

interface PendingHandle {
  /** Records that the new index is written. */
  indexWritten(): void
  complete(): void
}

const indexLockPath = ({ git_dir }: Pick<PendingOperation, 'git_dir'>) => path.join(git_dir, 'index.lock')

let sequence = 0

export function beginOperation(folder: string, begun: PendingOperation): PendingHandle {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, `${process.pid}-${Date.now()}-${++sequence}.json`)
  const note = (more: Partial<PendingRecord>) => {
    const draft = `${file}.new`
    writeFileSync(draft, JSON.stringify({ ...begun, ...more }), { mode: 0o600, flush: true })
    renameSync(draft, file)
  }
  note({})
  return {
    indexWritten: () => note({ identity: identityAt(begun.whole)! }),
    complete: () => rmSync(file, { force: true })
  }
}

const identityAt = (file: string): string | undefined => {
  const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false })
  return stat && contentIdentity(stat)
}

type ResolveRef = (begun: PendingOperation) => Promise<string | undefined>

/**
 * Recovers the pending operations of terminated servers. `standsAt` resolves a reference. Failures do not affect the others and
 * are reported together.
 */
export async function recoverPendingOperations(folder: string, standsAt: ResolveRef): Promise<void> {
  const errors: unknown[] = []
  for (const name of listRecords(folder)) {
    const pid = Number.parseInt(name, 10)
    if (pid !== process.pid && isProcessRunning(pid)) continue
    await recoverOperation(path.join(folder, name), standsAt).catch(error => errors.push(error))
  }
  if (errors.length > 0)
    throw new AggregateError(errors, 'Some interrupted operations in repositories could not be completed.')
}

async function recoverOperation(file: string, standsAt: ResolveRef): Promise<void> {
  const begun = JSON.parse(readFileSync(file, 'utf8')) as PendingRecord
  // A deleted repository needs no recovery.
  if (existsSync(begun.git_dir)) {
    const began = lstatSync(file).mtimeMs
    const isOurs = begun.identity !== undefined && identityAt(indexLockPath(begun)) === begun.identity
    const stands = await standsAt(begun)
    if (isOurs && stands === begun.to) renameSync(indexLockPath(begun), path.join(begun.git_dir, 'index'))
    else if (isOurs) rmSync(indexLockPath(begun))
    rmSync(begun.whole, { force: true })
    for (const lock of refLockPaths(begun)) removeStaleLock(lock, began)
  }
  rmSync(file)
}

/** Locks that git itself takes while it moves a reference. */
const refLockPaths = ({ git_dir, common_dir, ref }: PendingOperation) => [
  path.join(git_dir, 'HEAD.lock'),
  ...(ref === 'HEAD' ? [] : [path.join(common_dir, `${ref}.lock`)])
]

/** Git ended with its server: locks from that time are stale. */
function removeStaleLock(lock: string, began: number) {
  const stat = lstatSync(lock, { throwIfNoEntry: false })
  if (stat?.isFile() && stat.mtimeMs >= Math.floor(began) - 1) rmSync(lock)
}

function listRecords(folder: string): string[] {
  try {
    const names = readdirSync(folder)
    for (const name of names) if (name.endsWith('.new')) rmSync(path.join(folder, name), { force: true })
    return names.filter(name => name.endsWith('.json'))
  } catch {
    return []
  }
}
