// A copy of a repository's index, for git commands that write to the index that they read.
import { constants } from 'node:fs'
import { type FileHandle, open, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { errnoOf, toFileError } from '../files/errno.ts'

/** Path of the index in messages, wherever the repository has its folder. */
const INDEX = '.git/index'
/** Never a link or a FIFO planted by a repository: opening the latter would block forever. */
const AS_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Copies the index of a repository into a folder and returns the variables that make git use it. Without an index, which a
 * repository has from its first `git add` on, git finds none there either. An index that cannot be read is an error.
 */
export async function copyIndex(gitDir: string, folder: string): Promise<{ GIT_INDEX_FILE: string }> {
  const copy = path.join(folder, 'index')
  const source = await openIndex(path.join(gitDir, 'index'))
  try {
    const stat = await source?.stat()
    if (source && stat) {
      if (!stat.isFile()) throw notAFile()
      await writeFile(copy, source.createReadStream({ autoClose: false }))
      // Files changed no earlier than the index may differ despite equal times and sizes: git compares their content, and must do
      // so for the copy too. Dates have millisecond precision, so the copy has to be slightly older.
      await utimes(copy, stat.atime, new Date(stat.mtimeMs - 1))
    }
  } finally {
    await source?.close()
  }
  return { GIT_INDEX_FILE: copy }
}

async function openIndex(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, AS_FILE)
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === 'ENOENT') return undefined
    throw errno === 'ELOOP' ? notAFile(error) : toFileError(error, INDEX)
  }
}

function notAFile(cause?: unknown) {
  return new ToolError(
    'NOT_A_FILE',
    `"${INDEX}" is not a regular file, so git was not run.`,
    { path: INDEX },
    { cause }
  )
}
