// Maps git's failures to tool errors.
import { ToolError } from '../../errors.ts'
import type { ErrorCode } from '../../protocol/error-codes.ts'
import type { GitExit } from './git-process.ts'
import type { Repository } from './repository.ts'
import type { RepositoryLocation } from './repository-location.ts'

const MAX_ERROR_CHARACTERS = 2_000

/** Git's error messages with their meaning. */
const KNOWN_ERRORS: readonly [RegExp, ErrorCode, string][] = [
  [
    /reference already exists|' exists; cannot create '/,
    'CONFLICT',
    'A ref with this name already exists, or one that conflicts with it, as `a` conflicts with `a/b`.'
  ],
  [
    /index\.lock': File exists|cannot lock ref/i,
    'CONFLICT',
    'Another Git process is using this repository, or has left its lock file in it.'
  ],
  [
    /bad (?:tree |commit )?object|not a valid object|unable to read (?:tree|sha1 file)|missing (?:blob|tree|commit)|could not read [0-9a-f]{40}|failed to traverse/i,
    'EXECUTION_ERROR',
    'Objects of the repository are missing or damaged. It may be a partial or shallow clone.'
  ],
  [/permission denied/i, 'PERMISSION_DENIED', 'Git cannot read files of the repository.'],
  [
    /unknown (?:option|switch)|unrecognized argument/i,
    'EXECUTION_ERROR',
    'The installed Git is too old: version 2.31 or newer is required.'
  ]
]

/** Throws unless git succeeded; `doing` names its task, such as `read the history`. */
export function assertGitSucceeded({ code, stderr }: GitExit, doing: string, repository: Repository): void {
  if (code === 0) return
  const message = cleanStderr(stderr, repository)
  const [, error = 'EXECUTION_ERROR', hint] = KNOWN_ERRORS.find(([pattern]) => pattern.test(stderr)) ?? []
  const why = message || `git ended with ${code === null ? 'a signal' : `code ${code}`}`
  throw new ToolError(error as ErrorCode, `git could not ${doing}: ${why}${hint ? ` ${hint}` : ''}`, {
    exit_code: code
  })
}

/** Removes prefixes and local folders from git's error output. */
export function cleanStderr(
  stderr: string,
  { top, git_dir, common_dir }: Pick<RepositoryLocation, 'top' | 'git_dir' | 'common_dir'>
): string {
  const folders = [git_dir, common_dir, top].filter(folder => folder !== '/')
  const plain = folders.reduce((text, folder) => text.replaceAll(folder, folder === top ? '.' : '.git'), stderr)
  return plain
    .replace(/^(?:fatal|error|warning): /gm, '')
    .trim()
    .slice(0, MAX_ERROR_CHARACTERS)
}
