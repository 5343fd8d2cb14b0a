// Files that the user named on the command line, and the one that says which version this is.
import { existsSync, readFileSync } from 'node:fs'

export const readUserFile = (file: string): string => readFileSync(file, 'utf8')

/** From the package this file is in; it lies one or two folders down, as source or as built. */
export function packageVersion(): string {
  const files = ['../package.json', '../../package.json'].map(up => new URL(up, import.meta.url))
  const found = files.find(file => existsSync(file))
  return found ? (JSON.parse(readFileSync(found, 'utf8')) as { version: string }).version : 'unknown'
}
