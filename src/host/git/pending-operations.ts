// What was begun in a repository and must not stay half done, written down until it is over. What a server that was killed
// has left is ended by the next one: where the branch has moved, the new index takes its place; where it has not, the lock
// goes, and all is as it was.
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { identityOf } from '../files/fingerprint.ts'
import { isRunning } from '../processes/pids.ts'

interface Begun {
  git_dir: string
  common_dir: string
  /** The reference that moves, and where to. */
  ref: string
  to: string
  /** The file of the new index, before that is in the place of git's lock. */
  whole: string
}

interface Note extends Begun {
  /** Of the new index, once it is written. */
  identity?: string
}

interface Work {
  /** The new index is written. */
  drawn(): void
  over(): void
}

const lockOf = ({ git_dir }: Pick<Begun, 'git_dir'>) => path.join(git_dir, 'index.lock')

let count = 0

export function begin(folder: string, begun: Begun): Work {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, `${process.pid}-${Date.now()}-${++count}.json`)
  const note = (more: Partial<Note>) => {
    const draft = `${file}.new`
    writeFileSync(draft, JSON.stringify({ ...begun, ...more }), { mode: 0o600, flush: true })
    renameSync(draft, file)
  }
  note({})
  return {
    drawn: () => note({ identity: identityAt(begun.whole)! }),
    over: () => rmSync(file, { force: true })
  }
}

const identityAt = (file: string): string | undefined => {
  const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false })
  return stat && identityOf(stat)
}

type StandsAt = (begun: Begun) => Promise<string | undefined>

/** Ends what servers that are gone have begun. `standsAt` tells where a reference stands. What cannot be ended keeps nothing
 * else from it, and is told together. */
export async function endBegun(folder: string, standsAt: StandsAt): Promise<void> {
  const faults: unknown[] = []
  for (const name of namesIn(folder)) {
    const pid = Number.parseInt(name, 10)
    if (pid !== process.pid && isRunning(pid)) continue
    await end(path.join(folder, name), standsAt).catch(error => faults.push(error))
  }
  if (faults.length > 0) throw new AggregateError(faults, 'Not all that was begun in repositories could be ended.')
}

async function end(file: string, standsAt: StandsAt): Promise<void> {
  const begun = JSON.parse(readFileSync(file, 'utf8')) as Note
  // In a repository that is gone there is nothing to end.
  if (existsSync(begun.git_dir)) {
    const began = lstatSync(file).mtimeMs
    const isOurs = begun.identity !== undefined && identityAt(lockOf(begun)) === begun.identity
    const stands = await standsAt(begun)
    if (isOurs && stands === begun.to) renameSync(lockOf(begun), path.join(begun.git_dir, 'index'))
    else if (isOurs) rmSync(lockOf(begun))
    rmSync(begun.whole, { force: true })
    for (const lock of locksOf(begun)) removeLock(lock, began)
  }
  rmSync(file)
}

/** Those that git itself takes while it moves a reference. */
const locksOf = ({ git_dir, common_dir, ref }: Begun) => [
  path.join(git_dir, 'HEAD.lock'),
  ...(ref === 'HEAD' ? [] : [path.join(common_dir, `${ref}.lock`)])
]

/** Git ended with its server: what it locked at that time nobody holds any more. */
function removeLock(lock: string, began: number) {
  const stat = lstatSync(lock, { throwIfNoEntry: false })
  if (stat?.isFile() && stat.mtimeMs >= Math.floor(began) - 1) rmSync(lock)
}

function namesIn(folder: string): string[] {
  try {
    const names = readdirSync(folder)
    for (const name of names) if (name.endsWith('.new')) rmSync(path.join(folder, name), { force: true })
    return names.filter(name => name.endsWith('.json'))
  } catch {
    return []
  }
}
