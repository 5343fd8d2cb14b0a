// What was begun in a repository and must not stay half done, written down until it is over. What a server that was killed
// has left is ended by the next one: where the branch has moved, the new index takes its place; where it has not, the lock
// goes, and all is as it was.
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { identityOf } from '../files/stamp.ts'
import { isRunning } from '../processes/running.ts'

export interface Begun {
  git_dir: string
  common_dir: string
  /** The reference that moves, and where to. */
  ref: string
  to: string
  /** The new index, in its own file and then in that of git's lock. */
  whole: string
  identity: string
}

export const lockOf = ({ git_dir }: Pick<Begun, 'git_dir'>) => path.join(git_dir, 'index.lock')

let count = 0

/** Gives what says that it is over. */
export function begin(folder: string, begun: Begun): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, `${process.pid}-${Date.now()}-${++count}.json`)
  writeFileSync(file, JSON.stringify(begun), { mode: 0o600, flush: true })
  return () => rmSync(file, { force: true })
}

export const identityAt = (file: string): string | undefined => {
  const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false })
  return stat && identityOf(stat)
}

/** Ends what servers that are gone have begun. `standsAt` tells where a reference stands. */
export async function endBegun(folder: string, standsAt: (begun: Begun) => Promise<string | undefined>): Promise<void> {
  for (const name of namesIn(folder)) {
    const pid = Number.parseInt(name, 10)
    if (pid !== process.pid && isRunning(pid)) continue
    const file = path.join(folder, name)
    const begun = JSON.parse(readFileSync(file, 'utf8')) as Begun
    const began = lstatSync(file).mtimeMs
    const isOurs = identityAt(lockOf(begun)) === begun.identity
    const stands = await standsAt(begun)
    if (isOurs && stands === begun.to) renameSync(lockOf(begun), path.join(begun.git_dir, 'index'))
    else if (isOurs) rmSync(lockOf(begun))
    if (identityAt(begun.whole) === begun.identity) rmSync(begun.whole)
    for (const lock of locksOf(begun)) removeLock(lock, began)
    rmSync(file)
  }
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
    return readdirSync(folder).filter(name => name.endsWith('.json'))
  } catch {
    return []
  }
}
