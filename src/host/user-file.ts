// Files that the user named on the command line, and the one that says which version this is.
import { readFileSync } from 'node:fs'

export const readUserFile = (file: string): string => readFileSync(file, 'utf8')

export function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
