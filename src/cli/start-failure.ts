// Explains why a server cannot start when its files cannot be used: the cause, the path, and what to do, on one line.
import { accessSync, constants, lstatSync, statfsSync, statSync } from 'node:fs'
import path from 'node:path'
import { auditKeyPath } from '../store/audit-key.ts'
import { DatabaseError } from '../store/database-error.ts'
import { CliError, EXIT } from './exit.ts'

interface Cause {
  why: string
  hint: (file: string) => string
  /** The error is reported for several causes, which the folder shows. */
  isVague?: true
}

const ANOTHER_FOLDER = 'or use another folder: set TOOLGATE_STATE_DIR.'

const FULL: Cause = {
  why: 'the disk is full',
  hint: file => `Free some space on the disk of ${path.dirname(file)}, ${ANOTHER_FOLDER}`
}
const READ_ONLY: Cause = {
  why: 'the file system is read-only',
  hint: file => `Make the file system of ${path.dirname(file)} writable, ${ANOTHER_FOLDER}`
}
const FORBIDDEN: Cause = {
  why: 'permission denied',
  hint: file => `Make your user the owner of ${path.dirname(file)} and its contents, ${ANOTHER_FOLDER}`
}
const DISK_ERROR: Cause = {
  isVague: true,
  why: 'disk error',
  hint: file => `Check the disk of ${path.dirname(file)}, for example with dmesg, ${ANOTHER_FOLDER}`
}
const NOT_A_FOLDER: Cause = {
  why: 'a file exists where a folder is required',
  hint: file => `Move ${findNearest(file)} away, ${ANOTHER_FOLDER}`
}
const NOT_A_FILE: Cause = {
  why: 'the path is a folder, not a file',
  hint: file => `Move the folder away: mv ${file} ${file}.old`
}
const TOO_MANY_FILES: Cause = {
  why: 'too many files are open',
  hint: () => 'Raise the limit for open files, for example: ulimit -n 65536'
}

/** By the code of an error of the operating system. */
const BY_ERRNO: Readonly<Record<string, Cause>> = {
  ENOSPC: FULL,
  EDQUOT: { ...FULL, why: 'the disk quota is exceeded' },
  EROFS: READ_ONLY,
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EIO: DISK_ERROR,
  ENOTDIR: NOT_A_FOLDER,
  EEXIST: NOT_A_FOLDER,
  EISDIR: NOT_A_FILE,
  // Node.js creates folders recursively, and reports this if it may not.
  ENOENT: {
    isVague: true,
    why: 'a parent folder, or the target of a link, is missing',
    hint: file => `Check ${findNearest(file)}, and create the missing folder, ${ANOTHER_FOLDER}`
  },
  ELOOP: { why: 'a symbolic link loop', hint: file => `Remove the link ${findNearest(file)}, ${ANOTHER_FOLDER}` },
  ENAMETOOLONG: { why: 'the path is too long', hint: () => 'Set TOOLGATE_STATE_DIR to a shorter path.' },
  EMFILE: TOO_MANY_FILES,
  ENFILE: TOO_MANY_FILES
}

/** By the message of SQLite, which the writer of the journal passes on as text. */
const BY_SQLITE_MESSAGE: readonly [pattern: RegExp, cause: Cause][] = [
  [/database or disk is full|ENOSPC/, FULL],
  [/readonly database/, READ_ONLY],
  [/unable to open database file/, { ...FORBIDDEN, why: 'the file cannot be opened', isVague: true }],
  [/disk I\/O error/, DISK_ERROR],
  [
    /not a database|malformed/,
    {
      why: 'the file is damaged',
      // The lock holds no data.
      hint: file =>
        path.basename(file) === 'lock.db'
          ? `The file contains no data, so remove it: rm ${file}`
          : `Move the file away: mv ${file} ${file}.damaged`
    }
  ],
  [
    /the audit key/,
    {
      why: 'the audit key cannot be read',
      hint: file =>
        `Restore a copy of ${auditKeyPath(path.dirname(file))}, or remove the key file, so that the server creates a new key.`
    }
  ],
  [
    /the journal has format \d+/,
    {
      why: 'the file was written by a newer version of Toolgate',
      hint: () => 'Install that version of Toolgate or a newer one, and start the server.'
    }
  ]
]
const UNKNOWN: Cause = { why: 'the file cannot be opened', hint: () => 'Run: toolgate doctor' }

/** Returns the error to report if a file or folder of the server is the cause; otherwise the same error. */
export function explainStartFailure(error: unknown): unknown {
  const found = findCause(error)
  if (found === undefined) return error
  const { file, cause, detail } = found
  return new CliError(`The server cannot use ${file}: ${cause.why} (${detail}).`, {
    exit: EXIT.failed,
    code: 'STATE_UNUSABLE',
    hint: cause.hint(file)
  })
}

function findCause(error: unknown): { file: string; cause: Cause; detail: string } | undefined {
  if (error instanceof DatabaseError) {
    const { file, message } = error
    const [, cause = UNKNOWN] = BY_SQLITE_MESSAGE.find(([pattern]) => pattern.test(message)) ?? []
    return { file, cause: examine(file, cause), detail: message }
  }
  const { code = '', path: file = '' } = (error ?? {}) as NodeJS.ErrnoException
  const cause = BY_ERRNO[code]
  return cause && { file, cause: examine(file, cause), detail: code }
}

/** Returns what a file and its folder show to be the cause of a vague error. */
function examine(file: string, cause: Cause): Cause {
  if (!cause.isVague) return cause
  if (isFolder(file)) return NOT_A_FILE
  const place = findNearest(path.dirname(file))
  try {
    accessSync(place, constants.W_OK)
    const { bavail, files, ffree } = statfsSync(place)
    return bavail === 0 || (files > 0 && ffree === 0) ? FULL : cause
  } catch (error) {
    return BY_ERRNO[(error as NodeJS.ErrnoException).code ?? ''] ?? cause
  }
}

/** Returns the nearest file or folder that exists on the way to a path. */
function findNearest(place: string): string {
  let at = place
  while (at !== path.dirname(at) && !isThere(at)) at = path.dirname(at)
  return at
}

const isThere = (file: string) => check(() => lstatSync(file) !== undefined)
const isFolder = (file: string) => check(() => statSync(file).isDirectory())

function check(look: () => boolean): boolean {
  try {
    return look()
  } catch {
    return false
  }
}
