// Folders outside the workspace for what lives as long as a command. Each is named after the process that made it, so that
// what a killed server left is told apart.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isProcessRunning } from './processes/pids.ts'

interface TemporaryFolder {
  path: string
  remove(): Promise<void>
}

const PREFIX = 'toolgate-kept-'

/** Where those are that no command may find, wherever the workspaces and the system's temporary folder are: the state
 * folder is hidden from all that is kept. */
export const stateTempFolder = (stateDir: string) => join(stateDir, 'temporary')

/** A fresh one that only this user may look into. */
export async function createTempFolder(within: string): Promise<TemporaryFolder> {
  await mkdir(within, { recursive: true, mode: 0o700 })
  const path = await mkdtemp(join(within, `${PREFIX}${process.pid}-`))
  return { path, remove: () => removeFolder(path) }
}

/** Removes those of processes that are gone. Another user's are left where they are. */
export async function removeStaleTempFolders(within: string): Promise<void> {
  for (const name of await readdir(within).catch(() => [])) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN
    if (pid > 0 && !isProcessRunning(pid)) await removeFolder(join(within, name)).catch(() => {})
  }
}

const removeFolder = (path: string) => rm(path, { recursive: true, force: true })
