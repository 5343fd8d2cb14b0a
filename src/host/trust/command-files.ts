// Finds the workspace files named in a command's arguments, such as the script in `sh .toolgate/hooks/check.sh`: they determine
// what the command does, so trust covers them too.
import { lstatSync } from 'node:fs'
import path from 'node:path'
import { isWithin, realPathIfExists } from '../sandbox/path-within.ts'
import { canonicalTrustPath } from './content-hash.ts'

/**
 * Returns their paths in the form used by trust, without duplicates. `root` is the workspace's real path, to which arguments are
 * relative.
 */
export function findCommandFiles(words: readonly string[], root: string): string[] {
  const named = words.flatMap(word => [word, ...optionValue(word)]).map(word => path.resolve(root, word))
  return [...new Set(named.filter(file => isFileOrLink(file) && isInside(file, root)).map(canonicalTrustPath))]
}

/** An option may contain it, as in `--config=checks.json`. */
const optionValue = (word: string) => (word.includes('=') ? [word.slice(word.indexOf('=') + 1)] : [])

/** Accepts any argument, even one that is no valid path. */
export function isFileOrLink(word: string): boolean {
  try {
    const stats = lstatSync(word)
    return stats.isFile() || stats.isSymbolicLink()
  } catch {
    return false
  }
}

/** By its name, or by the target of a link from elsewhere. */
const isInside = (file: string, root: string) => isWithin(file, root) || isWithin(realPathIfExists(file) ?? file, root)
