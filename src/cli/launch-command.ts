// Launch command of this program that works from any folder, by the location of its package.
import { existsSync } from 'node:fs'
import path from 'node:path'

/** Returns the command; a clone is not in PATH and has its own Node. */
export function launchCommand(folder: string): { command: string; before: readonly string[] } {
  if (!isSourceCheckout(folder)) return { command: 'toolgate', before: [] }
  return { command: path.join(folder, 'node_modules/.bin/node'), before: [path.join(folder, 'bin/toolgate.cjs')] }
}

/** Only a clone has the sources. */
const isSourceCheckout = (folder: string) => existsSync(path.join(folder, 'src/main.ts'))

/** Returns true if the program has been built. */
export const isBuilt = (folder: string) => !isSourceCheckout(folder) || existsSync(path.join(folder, 'dist/main.js'))
