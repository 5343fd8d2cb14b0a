// The file for the log of a server, where no program reads its standard error.
import { mkdirSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'

/** What has become longer is put aside when a server starts, in the place of what was put aside before. */
const MAX_LOG_BYTES = 8 * 1024 * 1024

export const logFilePath = (state_dir: string) => path.join(state_dir, 'server.log')

/** Makes room for the lines of one more run, which are to be added to it. */
export function rotateLog(file: string) {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const { size = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {}
  if (size > MAX_LOG_BYTES) renameSync(file, `${file}.1`)
}
