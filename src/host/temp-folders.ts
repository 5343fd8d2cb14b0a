// Temporary folders outside the workspace with the lifetime of a command. Each is named after the process that created it, so
// that those of a killed server are recognized.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isProcessRunning } from './processes/pids.ts'

interface TemporaryFolder {
  path: string
  remove(): Promise<void>
}

const PREFIX = 'toolgate-kept-'

/**
 * Folder of those that no command may find, wherever the workspaces and the system's temporary folder are: the state folder is
 * hidden from all sandboxed programs.
 */
export const stateTempFolder = (stateDir: string) => join(stateDir, 'temporary')

/** Creates a temporary folder that only this user can read. */
export async function createTempFolder(within: string): Promise<TemporaryFolder> {
  await mkdir(within, { recursive: true, mode: 0o700 })
  const path = await mkdtemp(join(within, `${PREFIX}${process.pid}-`))
  return { path, remove: () => removeFolder(path) }
}

/** Removes the folders of terminated processes. Those of another user are ignored. */
export async function removeStaleTempFolders(within: string): Promise<void> {
  for (const name of await readdir(within).catch(() => [])) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN
    if (pid > 0 && !isProcessRunning(pid)) await removeFolder(join(within, name)).catch(() => {})
  }
}

const removeFolder = (path: string) => rm(path, { recursive: true, force: true })
