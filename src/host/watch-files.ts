// Tells that files have changed which may not be there yet, may be links, and may lie where no changes are told, such as
// in a folder that a container mounts. So they are looked at, which costs a few microseconds a file.
import { type Stats, statSync } from 'node:fs'

const POLL_INTERVAL_MS = 250

/** Calls `changed` when a file is another than at the last look, once it has stood still for one. Gives what ends it. */
export function watchFiles(files: readonly string[], changed: () => void): () => void {
  let told = fingerprintFiles(files)
  let seen = told
  const timer = setInterval(() => {
    const now = fingerprintFiles(files)
    const stands = now === seen
    seen = now
    if (!stands || now === told) return
    told = now
    changed()
  }, POLL_INTERVAL_MS).unref()
  return () => clearInterval(timer)
}

const fingerprintFiles = (files: readonly string[]) => files.map(file => fingerprintOf(statIfReadable(file))).join('\n')

const fingerprintOf = (stats: Stats | undefined) =>
  stats ? `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}` : 'none'

/** Nothing, where it cannot be looked at. */
function statIfReadable(file: string): Stats | undefined {
  try {
    return statSync(file)
  } catch {
    return undefined
  }
}
