// Reads configuration files, which a repository may have crafted maliciously, and writes them atomically.
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync
} from 'node:fs'
import path from 'node:path'

const MAX_BYTES = 1_048_576

export class ConfigFileError extends Error {}

/** Returns the content, or undefined if there is no such file. `within`: the folder that links must not escape. */
export function readConfigFile(file: string, within?: string): Buffer | undefined {
  const fd = open(file)
  if (fd === undefined) return undefined
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw new ConfigFileError('is not a regular file')
    if (stats.size > MAX_BYTES) throw new ConfigFileError('is larger than 1 MiB')
    if (within !== undefined && !isInside(realpathSync(file), within))
      throw new ConfigFileError('is a link to a file outside the workspace')
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Replaces the file's content. Follows a symbolic link to its target and preserves permission bits. */
export function writeConfigFile(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const there = statSync(file, { throwIfNoEntry: false })
  const target = there ? realpathSync(file) : file
  const next = `${target}.next-${process.pid}`
  const fd = openSync(next, 'wx', there ? there.mode & 0o777 : 0o600)
  try {
    writeSync(fd, text)
    fsyncSync(fd)
    renameSync(next, target)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
}

/** Opens without blocking on a named pipe. */
function open(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new ConfigFileError(`cannot be opened (${code})`)
  }
}

const isInside = (file: string, folder: string) => {
  const relative = path.relative(folder, file)
  return relative !== '' && !/^\.\.(?:$|[\\/])/.test(relative) && !path.isAbsolute(relative)
}
