// Reads the small files by which git's folders refer to each other: `.git` of a worktree or submodule, `gitdir` and `commondir`.
import { readFileSync, statSync } from '../byte-path-fs.ts'

/** Longer files are not followed. */
const MAX_POINTER_LENGTH = 4_096

/** Returns what the first group of the pattern matches in a file; undefined if it does not, or there is no such file. */
export function readGitPointer(file: string, line: RegExp): string | undefined {
  try {
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined
    return line.exec(readFileSync(file, 'utf8').slice(0, MAX_POINTER_LENGTH))?.[1]?.trim()
  } catch {
    return undefined
  }
}
