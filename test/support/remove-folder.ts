// Removes the folder of a test while programs that it has killed still clean up after themselves.
import { existsSync, rmSync } from 'node:fs'

const TRIES = 50

/**
 * Removes a folder with all that is in it. Where something in it vanishes meanwhile, `rmSync` with `force` returns early, without
 * an error, and leaves the rest; so this looks whether the folder is gone, and fails when it never is.
 */
export function removeFolder(folder: string) {
  for (let tries = 0; existsSync(folder); tries++) {
    if (tries === TRIES) throw new Error(`${folder} cannot be removed: something is made in it again and again.`)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
