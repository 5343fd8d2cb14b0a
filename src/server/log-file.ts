// Log file of a server, if no program reads its standard error.
import { mkdirSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'

/** Size in bytes from which the file is rotated at startup; the previous rotated file is replaced. */
const MAX_LOG_BYTES = 8 * 1024 * 1024

export const logFilePath = (state_dir: string) => path.join(state_dir, 'server.log')

/** Rotates the file if necessary, before another run appends to it. */
export function rotateLog(file: string) {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const { size = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {}
  if (size > MAX_LOG_BYTES) renameSync(file, `${file}.1`)
}
