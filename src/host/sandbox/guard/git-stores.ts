// Finds the files and folders in which git repositories store the contents of files.

import path from 'node:path'
import { readdirSync, realpathSync } from '../../files/byte-path-fs.ts'
import { foldPath, NamePatterns } from '../../files/policy/name-patterns.ts'
import { GIT_STORES } from '../../files/policy/sensitive-names.ts'
import { isWithin } from '../path-within.ts'
import type { GuardedEntry } from './guarded-tree.ts'

const STORES = new NamePatterns(GIT_STORES)

/**
 * Returns the git folders of repositories and their worktrees. A repository is recognized by a guarded entry: its `.git`, or the
 * `HEAD` in it. `further`: absolute paths of other git folders.
 */
export function findGitFolders(root: string, guarded: readonly GuardedEntry[], further: readonly string[]): string[] {
  const repositories = guarded.flatMap(({ path: name }) => {
    const file = path.join(root, name)
    const base = path.basename(file).toLowerCase()
    return base === '.git' ? [file] : base === 'head' ? [path.dirname(file)] : []
  })
  const worktrees = [...repositories, ...further].flatMap(folder => childrenOf(path.join(folder, 'worktrees')))
  return [...repositories, ...further, ...worktrees]
}

/** Returns the real paths of the existing stores in git folders. */
export function findGitStores(gitFolders: readonly string[]): string[] {
  const found = gitFolders.flatMap(folder => findStores(folder))
  const stores = [...new Set(found.flatMap(store => resolveStore(store) ?? []))]
  // A mount covers the ones within, such as those of a submodule in `.git/modules`.
  return stores.filter(store => !stores.some(other => other !== store && isWithin(store, other)))
}

/** Returns the stores in a git folder, or in a folder of it with the given names. */
function findStores(folder: string, above: readonly string[] = []): string[] {
  return childrenOf(folder).flatMap(child => {
    const names = [...above, foldPath(path.basename(child))]
    if (STORES.covers(names)) return [child]
    return STORES.mayCoverDescendants(names) ? findStores(child, names) : []
  })
}

/** Returns the paths of a folder's entries: none if it is no folder. */
function childrenOf(folder: string): string[] {
  try {
    return readdirSync(folder).map(name => path.join(folder, name))
  } catch {
    return []
  }
}

function resolveStore(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}
