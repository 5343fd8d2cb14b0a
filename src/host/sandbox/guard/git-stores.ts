// Finds the folders in which git repositories store the contents of files.
import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { GIT_STORES } from '../../files/policy/sensitive-names.ts'
import { isWithin } from '../path-within.ts'
import type { GuardedEntry } from './guarded-tree.ts'

/**
 * Returns the real paths of existing stores. A repository is recognized by a guarded entry: its `.git`, or the `HEAD` in it.
 * `further`: absolute paths of other git folders.
 */
export function findGitStores(root: string, guarded: readonly GuardedEntry[], further: readonly string[]): string[] {
  const repositories = guarded.flatMap(({ path: name }) => {
    const file = path.join(root, name)
    const base = path.basename(file).toLowerCase()
    return base === '.git' ? [file] : base === 'head' ? [path.dirname(file)] : []
  })
  const stores = [...repositories, ...further].flatMap(folder => GIT_STORES.map(name => path.join(folder, name)))
  const folders = [...new Set(stores.flatMap(store => realFolder(store) ?? []))]
  // A mount covers the ones within, such as those of a submodule in `.git/modules`.
  return folders.filter(folder => !folders.some(other => other !== folder && isWithin(folder, other)))
}

function realFolder(file: string): string | undefined {
  try {
    const real = realpathSync(file)
    return statSync(real).isDirectory() ? real : undefined
  } catch {
    return undefined
  }
}
