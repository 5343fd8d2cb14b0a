// Gives the attributes that leave out files with credentials precedence over all that a repository declares, in its files, its index or
// its `info/attributes`: the folder `info` of each repository is covered by a copy in which they come last. See gitattributes(5).

import { closeSync, constants, fstatSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../../errors.ts'
import { lstatSync, mkdirSync, openSync, readFileSync, readlinkSync } from '../../files/byte-path-fs.ts'
import { errnoOf } from '../../files/errno.ts'
import { type SandboxFiles, writeGitFile } from './sandbox-files.ts'

const ATTRIBUTES = 'attributes'
/** Other files that git reads there. */
const OTHER_NAMES = ['exclude', 'grafts', 'sparse-checkout']
/** A larger file is left out. */
const MAX_INFO_BYTES = 1024 * 1024
/** The folder may be changed by another program at any moment. */
const AS_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const FOLDER_BYTES = 64 * 1024

/**
 * Covers the folder `info` of a repository, which is made if it is missing, as `git init` does. Throws SANDBOX_UNAVAILABLE if there is
 * none and it cannot be made.
 */
export function coverGitInfo(files: SandboxFiles, info: string): string[] {
  ensureFolder(info)
  const cover = (name: string, content: Buffer) => ['--ro-bind', writeGitFile(files, content), path.join(info, name)]
  const attributes = Buffer.concat([
    readFile(path.join(info, ATTRIBUTES)) ?? EMPTY,
    EOL,
    readFileSync(files.gitAttributes)
  ])
  return [
    ...['--size', String(FOLDER_BYTES), '--tmpfs', info],
    ...OTHER_NAMES.flatMap(name => {
      const file = path.join(info, name)
      const content = readFile(file)
      return content ? cover(name, content) : copyLink(file)
    }),
    ...cover(ATTRIBUTES, attributes),
    ...['--remount-ro', info]
  ]
}

const EMPTY = Buffer.alloc(0)
const EOL = Buffer.from('\n')

function ensureFolder(info: string) {
  try {
    mkdirSync(info)
  } catch (error) {
    if (errnoOf(error) === 'EEXIST' && lstatSync(info).isDirectory()) return
    throw new ToolError(
      'SANDBOX_UNAVAILABLE',
      `Git commands cannot run without approval here: ${info} is not a folder and cannot be created (${errnoOf(error)}). The server needs it to exclude files that may contain credentials from the output. Create the folder, or approve the command.`
    )
  }
}

/** Returns the content of a regular file; undefined if there is none, or it is too large. */
function readFile(file: string): Buffer | undefined {
  let fd: number | undefined
  try {
    fd = openSync(file, AS_FILE)
    const stat = fstatSync(fd)
    return stat.isFile() && stat.size <= MAX_INFO_BYTES ? readFileSync(fd) : undefined
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** A link leads where it does in the sandbox: the server may read more than a command. */
function copyLink(file: string): string[] {
  try {
    return ['--symlink', readlinkSync(file), file]
  } catch {
    return []
  }
}
