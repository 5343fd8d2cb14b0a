// Files named by the user on the command line, and the package's version file.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const readUserFile = (file: string): string => readFileSync(file, 'utf8')

/** Reads the version of the package that contains this file. */
export function packageVersion(): string {
  const file = packageFile()
  return file ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : 'unknown'
}

/** Returns the folder of this package. */
export const packageFolder = (): string => fileURLToPath(new URL('.', packageFile() ?? import.meta.url)).slice(0, -1)

/** It is one or two folders up, for the build and the source respectively. */
const packageFile = () =>
  ['../package.json', '../../package.json'].map(up => new URL(up, import.meta.url)).find(file => existsSync(file))
