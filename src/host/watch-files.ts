// Polls files for changes. They may not exist yet, may be links, and may be in folders without change events, such as a
// container's mounts. A poll costs a few microseconds per file.
import { type Stats, statSync } from 'node:fs'

const POLL_INTERVAL_MS = 250

/**
 * Calls `changed` when a file differs from the previous poll and has been stable for one. Returns a function that stops polling.
 */
export function watchFiles(files: readonly string[], changed: () => void): () => void {
  let reported = fingerprintFiles(files)
  let seen = reported
  const timer = setInterval(() => {
    const now = fingerprintFiles(files)
    const stands = now === seen
    seen = now
    if (!stands || now === reported) return
    reported = now
    changed()
  }, POLL_INTERVAL_MS).unref()
  return () => clearInterval(timer)
}

const fingerprintFiles = (files: readonly string[]) => files.map(file => fingerprintOf(statIfReadable(file))).join('\n')

const fingerprintOf = (stats: Stats | undefined) =>
  stats ? `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}` : 'none'

/** Returns undefined if the file cannot be inspected. */
function statIfReadable(file: string): Stats | undefined {
  try {
    return statSync(file)
  } catch {
    return undefined
  }
}
