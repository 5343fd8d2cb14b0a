// Errors of SQLite, which do not name the file.

/** SQLite failed on a file; the message is that of SQLite. */
export class DatabaseError extends Error {
  readonly file: string

  constructor(file: string, cause: Error) {
    super(cause.message, { cause })
    this.name = 'DatabaseError'
    this.file = file
  }
}

/** Adds the file to an error of SQLite; errors of the operating system name it already. */
export function toDatabaseError(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).syscall !== undefined) return error
  return new DatabaseError(file, error)
}
