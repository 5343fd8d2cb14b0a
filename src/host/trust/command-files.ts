// The files of a workspace that the words of a command name, such as the script in `sh .toolgate/hooks/check.sh`: what the
// command does is written there, so trust covers them too.
import { lstatSync } from 'node:fs'
import path from 'node:path'
import { isWithin, realPathIfExists } from '../sandbox/path-within.ts'
import { canonicalTrustPath } from './content-hash.ts'

/** Their paths as trust knows them, each once. `root` is the workspace's real path, from which words are meant. */
export function findCommandFiles(words: readonly string[], root: string): string[] {
  const named = words.flatMap(word => [word, ...optionValue(word)]).map(word => path.resolve(root, word))
  return [...new Set(named.filter(file => isFileOrLink(file) && isInside(file, root)).map(canonicalTrustPath))]
}

/** An option may carry it, as in `--config=checks.json`. */
const optionValue = (word: string) => (word.includes('=') ? [word.slice(word.indexOf('=') + 1)] : [])

/** Any word may be asked about, however little of a path it is. */
export function isFileOrLink(word: string): boolean {
  try {
    const stats = lstatSync(word)
    return stats.isFile() || stats.isSymbolicLink()
  } catch {
    return false
  }
}

/** By its name, or by where a link leads from elsewhere. */
const isInside = (file: string, root: string) => isWithin(file, root) || isWithin(realPathIfExists(file) ?? file, root)
