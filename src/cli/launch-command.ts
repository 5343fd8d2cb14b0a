// What starts this program wherever it is started from, by where its package is.
import { existsSync } from 'node:fs'
import path from 'node:path'

/** A clone is on no search path, and brings its own Node along. */
export function launchCommand(folder: string): { command: string; before: readonly string[] } {
  if (!isSourceCheckout(folder)) return { command: 'toolgate', before: [] }
  return { command: path.join(folder, 'node_modules/.bin/node'), before: [path.join(folder, 'bin/toolgate.cjs')] }
}

/** Its sources are in no package. */
const isSourceCheckout = (folder: string) => existsSync(path.join(folder, 'src/main.ts'))

/** Whether the program that is named has been built. */
export const isBuilt = (folder: string) => !isSourceCheckout(folder) || existsSync(path.join(folder, 'dist/main.js'))
