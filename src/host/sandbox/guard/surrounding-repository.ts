// Finds the repository that a workspace is a folder of, for commands that may read its history. They see git's folder, and the
// workspace as the only part of the working tree.

import path from 'node:path'
import { lstatSync, readFileSync, statSync } from '../../files/byte-path-fs.ts'
import { readGitPointer } from '../../files/policy/git-pointer.ts'
import { uppermost } from '../path-within.ts'
import { findConfigsWithCredentials, findInfoFolders, type GitConfig } from './git-configs.ts'
import { findRepositoryAbove, type GitDirs, isGitDir, lstatIfReadable } from './git-dir.ts'
import { toPartialIndex } from './partial-index.ts'

export interface SurroundingRepository {
  /** Git's folders, and a `.git` that leads to them; absolute. */
  entries: readonly string[]
  /** The index, which lists the files of the workspace as the only ones that are checked out. */
  index: { path: string; content: Buffer }
  gitConfigs: readonly GitConfig[]
  /** As `findGitInfo` of a workspace. */
  gitInfo: readonly string[]
}

/** A larger index is not rewritten for a command. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024

/** Finds the repository above a workspace again for each command, and rewrites its index when that has changed. */
export class SurroundingRepositoryFinder {
  readonly #root: string
  #last: { identity: string; content: Buffer | undefined } | undefined

  constructor(root: string) {
    this.#root = root
  }

  /** Returns undefined if the workspace is a repository itself, or no file of it is in the one above. */
  find(): SurroundingRepository | undefined {
    const root = this.#root
    try {
      if (lstatIfReadable(path.join(root, '.git')) || isGitDir(root)) return undefined
      const dirs = findRepositoryAbove(root)
      if (!dirs) return undefined
      const index = path.join(dirs.git_dir, 'index')
      const content = this.#partialIndex(dirs, index)
      const folders = [...new Set([dirs.git_dir, dirs.common_dir])]
      return (
        content && {
          entries: uppermost([path.join(dirs.top, '.git'), ...folders]),
          index: { path: index, content },
          gitConfigs: findConfigsWithCredentials(folders),
          gitInfo: findInfoFolders(folders)
        }
      )
    } catch {
      return undefined
    }
  }

  #partialIndex({ top, common_dir }: GitDirs, index: string): Buffer | undefined {
    const { dev, ino, size, mtimeNs } = lstatSync(index, { bigint: true })
    if (size > MAX_INDEX_BYTES || !statSync(index).isFile()) return undefined
    const identity = [top, dev, ino, size, mtimeNs].join(':')
    if (this.#last?.identity !== identity) {
      const hash = readHash(common_dir)
      this.#last = { identity, content: toPartialIndex(readFileSync(index), path.relative(top, this.#root), hash) }
    }
    return this.#last.content
  }
}

const readHash = (common_dir: string) =>
  readGitPointer(path.join(common_dir, 'config'), /^[ \t]*objectformat[ \t]*=[ \t]*(\w+)/im) === 'sha256'
    ? 'sha256'
    : 'sha1'
