// Maps operating system errors to tool errors. Messages name the path as it was given, never a resolved one.
import { ToolError } from '../../errors.ts'
import type { ErrorCode } from '../../protocol/error-codes.ts'

const ERRNO_ERRORS: Record<string, { code: ErrorCode; text: string }> = {
  ENOENT: { code: 'FILE_NOT_FOUND', text: 'does not exist' },
  EEXIST: { code: 'FILE_EXISTS', text: 'already exists' },
  ENOTEMPTY: { code: 'FILE_EXISTS', text: 'is not empty' },
  ENOTDIR: { code: 'NOT_A_DIRECTORY', text: 'has a parent that is not a folder' },
  EISDIR: { code: 'NOT_A_FILE', text: 'is a folder' },
  ENXIO: { code: 'NOT_A_FILE', text: 'is not a regular file' },
  ELOOP: { code: 'STALE_FILE', text: 'was replaced by a symbolic link' },
  EACCES: { code: 'PERMISSION_DENIED', text: 'is not permitted by the operating system' },
  EPERM: { code: 'PERMISSION_DENIED', text: 'is not permitted by the operating system' },
  EROFS: { code: 'PERMISSION_DENIED', text: 'is on a read-only file system' },
  ENAMETOOLONG: { code: 'INVALID_PATH', text: 'is too long for this file system' },
  EILSEQ: { code: 'INVALID_PATH', text: 'is not a valid name on this file system' },
  EINVAL: { code: 'INVALID_PATH', text: 'is not possible for this path' },
  EMFILE: { code: 'OVERLOADED', text: 'could not be opened: too many files are open' },
  ENFILE: { code: 'OVERLOADED', text: 'could not be opened: too many files are open' },
  ENOSPC: { code: 'DISK_FULL', text: 'could not be written: the disk is full' },
  EDQUOT: { code: 'DISK_FULL', text: 'could not be written: the disk quota is exceeded' },
  EFBIG: { code: 'TOO_LARGE', text: 'is larger than the file system allows' },
  EXDEV: { code: 'EXECUTION_ERROR', text: 'is on another file system: copy the file, and delete the original' },
  EIO: { code: 'EXECUTION_ERROR', text: 'failed because of a disk error' }
}

/** Converts an error at `path` to the error to throw; tool errors pass unchanged. */
export function toFileError(error: unknown, path: string): unknown {
  if (error instanceof ToolError || !(error instanceof Error)) return error
  const errno = (error as NodeJS.ErrnoException).code
  if (errno === undefined) return error
  const { code, text } = ERRNO_ERRORS[errno] ?? { code: 'EXECUTION_ERROR' as const, text: `failed (${errno})` }
  return new ToolError(code, `${quotePath(path)} ${text}.`, { path }, { cause: error })
}

/** Converts an error in the server's own state folder; `what` could not be done there, so nothing was changed. */
export function toStateFolderError(error: unknown, what: string): unknown {
  const errno = errnoOf(error)
  if (error instanceof ToolError || errno === undefined) return error
  const { code } = ERRNO_ERRORS[errno] ?? { code: 'EXECUTION_ERROR' as const }
  const why = code === 'DISK_FULL' ? 'the disk of the state folder is full' : `the state folder reports ${errno}`
  return new ToolError(code, `Nothing was changed: ${what}, because ${why}.`, undefined, { cause: error })
}

/** Formats a path for display: escapes control characters and truncates very long ones. */
export function quotePath(path: string): string {
  return JSON.stringify(path.length > 300 ? `${path.slice(0, 300)}…` : path)
}

export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined

export const staleFileError = (path: string) =>
  new ToolError('STALE_FILE', `${quotePath(path)} has changed since the call was evaluated or the file was read.`, {
    path
  })
