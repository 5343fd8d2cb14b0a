// Command that starts this program from any folder and without PATH, by the location of its package.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { packageVersion } from '../host/user-file.ts'

/** Returns the command: absolute paths, because graphical programs often have another PATH; npx for a package that npx may remove. */
export function launchCommand(folder: string): { command: string; before: readonly string[] } {
  if (folder.split(path.sep).includes('_npx'))
    return { command: 'npx', before: ['--yes', `toolgate@${packageVersion()}`] }
  const node = isSourceCheckout(folder) ? path.join(folder, 'node_modules/.bin/node') : process.execPath
  return { command: node, before: [path.join(folder, 'bin/toolgate.cjs')] }
}

/** Returns true for a clone: only a clone has the sources. */
export const isSourceCheckout = (folder: string): boolean => existsSync(path.join(folder, 'src/main.ts'))

/** Returns true if the program has been built. */
export const isBuilt = (folder: string) => !isSourceCheckout(folder) || existsSync(path.join(folder, 'dist/main.js'))
