// The files of a workspace that the words of a command name, such as the script in `sh .toolgate/hooks/check.sh`: what the
// command does is written there, so trust covers them too.
import { lstatSync } from 'node:fs'
import path from 'node:path'
import { isBeneath, realIfThere } from '../sandbox/path-within.ts'
import { trustPath } from './content-hash.ts'

/** Their paths as trust knows them, each once. `root` is the workspace's real path, from which words are meant. */
export function namedFiles(words: readonly string[], root: string): string[] {
  const named = words.flatMap(word => [word, ...afterEquals(word)]).map(word => path.resolve(root, word))
  return [...new Set(named.filter(file => isFileOrLink(file) && isIn(file, root)).map(trustPath))]
}

/** An option may carry it, as in `--config=checks.json`. */
const afterEquals = (word: string) => (word.includes('=') ? [word.slice(word.indexOf('=') + 1)] : [])

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
const isIn = (file: string, root: string) => isBeneath(file, root) || isBeneath(realIfThere(file) ?? file, root)
