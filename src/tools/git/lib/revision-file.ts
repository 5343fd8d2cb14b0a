// A file at a revision: `REVISION:PATH`.
import { Type } from 'typebox'
import { invalidParam, ToolError } from '../../../errors.ts'
import { assertGitSucceeded } from '../../../host/git/errors.ts'
import type { Repository } from '../../../host/git/repository.ts'
import type { ReadContext } from '../../../tool/contexts.ts'
import type { GitObject } from './revisions.ts'

const MAX_BYTES = 16 * 1024 * 1024
const DEFAULT_LINES = 2_000
/** Number of leading bytes in which NUL indicates a binary file, as in git. */
const BEGINNING = 8_000

export const FileContent = Type.Object(
  {
    content: Type.Optional(
      Type.String({ description: 'Text of the file from line `offset`; missing for binary files.' })
    ),
    size: Type.Integer({ description: 'Size of the whole file in bytes.' }),
    lines: Type.Optional(Type.Integer({ description: 'Total number of lines in the file.' })),
    binary: Type.Boolean({ description: 'True for a binary file.' })
  },
  { description: 'Content of the file; for a symbolic link, the path to which it points.' }
)

/**
 * Splits at the first colon outside of braces, as git does. Without a path if there is none, and for `:/text`, which searches for
 * a commit by its message.
 */
export function splitName(word: string): { revision: string; path?: string } {
  if (word.startsWith(':/')) return { revision: word }
  const staged = /^:(?:[0-3]:)?/.exec(word)?.[0]
  if (staged !== undefined) return { revision: staged, path: word.slice(staged.length) }
  let depth = 0
  for (const [at, letter] of [...word].entries()) {
    if (letter === '{') depth += 1
    else if (letter === '}' && depth > 0) depth -= 1
    else if (letter === ':' && depth === 0) {
      const before = [...word].slice(0, at).join('')
      return { revision: before, path: word.slice(before.length + 1) }
    }
  }
  return { revision: word }
}

/** Returns the workspace path. */
export function requirePathInWorkspace(path: string, repository: Repository): string {
  if (/^\.{1,2}(?:\/|$)/.test(path) || path.startsWith('/') || path.split('/').includes('..'))
    throw invalidParam('rev', 'must contain a path from the top-level folder of the repository, such as HEAD:src/a.ts.')
  const whole = path.replace(/\/+$/, '')
  const named = whole === '' ? repository.path : repository.toWorkspacePath(whole)
  const isRootAbove = whole === '' && repository.scopePathspecs.length > 0
  if (named === undefined || isRootAbove)
    throw new ToolError(
      'INVALID_PATH',
      `${path || 'The top-level folder of the repository'} is outside the workspace.`,
      {
        path
      }
    )
  return named
}

export async function readFileContent(
  { oid, size }: GitObject,
  repository: Repository,
  { offset = 0, limit = DEFAULT_LINES }: { offset?: number; limit?: number },
  ctx: ReadContext
) {
  if (size > MAX_BYTES) throw new ToolError('TOO_LARGE', `The file has ${size} bytes; the limit is ${MAX_BYTES}.`)
  const { stdout, ...ended } = await ctx.host.git.run(repository, {
    args: ['cat-file', 'blob', oid],
    max_bytes: MAX_BYTES
  })
  assertGitSucceeded(ended, 'read the file', repository)
  if (stdout.subarray(0, BEGINNING).includes(0)) return { file: { size, binary: true }, truncated: false }
  const lines = stdout.toString('utf8').split(/(?<=\n)/)
  const shown = lines.slice(offset, offset + limit)
  const next = offset + shown.length
  const file = { content: shown.join(''), size, lines: size === 0 ? 0 : lines.length, binary: false }
  return { file, truncated: next < lines.length, ...(next < lines.length && { next_offset: next }) }
}
