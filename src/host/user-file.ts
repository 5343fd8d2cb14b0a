// Files that the user named on the command line, and the one that says which version this is.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const readUserFile = (file: string): string => readFileSync(file, 'utf8')

/** From the package this file is in. */
export function packageVersion(): string {
  const file = packageFile()
  return file ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : 'unknown'
}

/** Where this package is. */
export const packageFolder = (): string => fileURLToPath(new URL('.', packageFile() ?? import.meta.url)).slice(0, -1)

/** It lies one or two folders up, as built or as source. */
const packageFile = () =>
  ['../package.json', '../../package.json'].map(up => new URL(up, import.meta.url)).find(file => existsSync(file))
