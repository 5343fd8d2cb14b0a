// Removes the folder of a test while killed programs still clean up.
import { existsSync, rmSync } from 'node:fs'
import { execaSync } from 'execa'
import { LIMIT_MS } from './wait.ts'

const TRIES = 50

/**
 * Removes a folder with its contents. If an entry vanishes concurrently, `rmSync` with `force` returns early, without an error,
 * and leaves the rest; so this checks whether the folder is gone, and fails if it never is.
 */
export function removeFolder(folder: string) {
  for (let tries = 0; existsSync(folder); tries++) {
    if (tries === TRIES) throw new Error(`${folder} cannot be removed: something is made in it again and again.`)
    // Only root may look into folders without any permission.
    if (tries === 1) execaSync('chmod', ['-R', 'u+rwx', folder], { timeout: LIMIT_MS, reject: false })
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    }
  }
}
