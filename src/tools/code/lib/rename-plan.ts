// What a rename makes of the workspace's files, as a language server says: all of it is worked out, and doubted, before
// anything happens.
import { invalidParam, ToolError } from '../../../errors.ts'
import { type Found, hashOf } from '../../../host/files/files.ts'
import { Slices } from '../../../host/files/time-slicing.ts'
import type { Step } from '../../../host/files/transaction/transaction-step.ts'
import type { Answerer, RenamedFile, Renaming } from '../../../host/lsp/language-service.ts'
import { type Diff, type Side, unifiedDiff } from '../../../text/diff/unified-diff.ts'
import { applySpanEdits } from '../../../text/edit/span-edits.ts'
import { decode, encode } from '../../../text/encoding.ts'
import type { Context, PathUse } from '../../../tool/tool.ts'

const DIFF_MS = 10_000
/** A rename over more files than this is no rename. */
const MOST_FILES = 2_000

/** One file, with what it becomes. */
export interface Renamed {
  path: string
  moved_to?: string
  was: Found
  bytes: Buffer
  diff: Diff
  edits: number
}

export interface RenamePlan {
  files: Renamed[]
  answered: Answerer
}

/** Refuses what needs no look at the files. */
export function plausible(renaming: Renaming): Renaming {
  const { files, answered } = renaming
  const { server } = answered
  if (files.length === 0) throw invalidParam('line', `${server} knows nothing there that could be renamed.`)
  if (files.length > MOST_FILES)
    throw new ToolError('TOO_LARGE', `${server} would change ${files.length} files; the limit is ${MOST_FILES}.`, {
      files: files.length,
      limit: MOST_FILES
    })
  const outside = files.flatMap(({ path, moved_to = '' }) => [path, moved_to].filter(each => each.startsWith('/')))
  if (outside.length === 0) return renaming
  throw new ToolError(
    'INVALID_PATH',
    `${server} would change what is outside the workspace: ${outside.slice(0, 10).join(', ')}. Nothing was changed.`,
    { outside: outside.slice(0, 100) }
  )
}

/** Reads every file, checks that the server has seen the same, and makes its edits. */
export async function planRename({ files: renamed, answered }: Renaming, ctx: Context): Promise<RenamePlan> {
  const { server } = answered
  const slices = new Slices()
  const files: Renamed[] = []
  for (const one of renamed) {
    files.push(await planFile(one, server, ctx))
    await slices.rest()
    ctx.signal.throwIfAborted()
  }
  return { files: files.filter(({ bytes, was, moved_to }) => moved_to || !bytes.equals(was.bytes!)), answered }
}

/** What policy judges: everything that changes, which is also shown. */
export const usesOf = ({ files }: Renaming): PathUse[] =>
  files.flatMap(({ path, moved_to }): PathUse[] => [
    { path, access: 'write', entry: moved_to !== undefined },
    { path, access: 'read', entry: moved_to !== undefined },
    ...(moved_to === undefined ? [] : [{ path: moved_to, access: 'write' as const }])
  ])

/** One step for each file. */
export const stepsOf = ({ files }: RenamePlan): Step[] =>
  files.map(({ path, moved_to: to, was, bytes, diff: { added, removed } }): Step => {
    const lines = () => ({ added, removed })
    if (to === undefined) return { do: 'write', path, was, content: bytes, lines }
    return { do: 'move', path, to, was, lines, ...(!bytes.equals(was.bytes!) && { content: bytes }) }
  })

export const hashAfter = ({ bytes }: Renamed): string => hashOf(bytes)

async function planFile({ path, moved_to, hash, edits }: RenamedFile, server: string, ctx: Context): Promise<Renamed> {
  const was = await ctx.host.files.look(path)
  if (!was) throw new ToolError('STALE_FILE', `${path} is gone since ${server} looked at it. Ask again.`, { path })
  const old = was.bytes && decode(was.bytes)
  if (!old) throw new ToolError('BINARY_FILE', `${path} is no text, or too large to be changed.`, { path })
  if (was.hash !== hash && was.unsaved?.buffer.hash !== hash) throw otherText(path, server, ctx)
  const after = applySpanEdits(old.text, edits)
  if (after === undefined)
    throw new ToolError(
      'EXECUTION_ERROR',
      `${server} answered with edits of ${path} that overlap, or are past its end. Nothing was changed.`,
      { path }
    )
  const bytes = encode(after, old.encoding)
  if (!bytes)
    throw invalidParam('new_name', `has characters that the encoding of ${path}, ${old.encoding}, does not have.`)
  const diff = await diffOf({ path: was.path, text: old.text }, { path: moved_to ?? was.path, text: after }, ctx)
  return { path, ...(moved_to !== undefined && { moved_to }), was, bytes, diff, edits: edits.length }
}

/** The server has seen another text than the one that would be changed. */
function otherText(path: string, server: string, { host: { files } }: Context) {
  const client = files.unsaved(path)?.buffer.client
  if (client === undefined)
    return new ToolError('STALE_FILE', `${path} was changed while ${server} looked at it. Ask again.`, { path })
  return new ToolError(
    'CONFLICT',
    `${path} has unsaved changes in ${client}, and ${server} looks at those: what it would rename cannot be renamed on the disk. Save it there first.`,
    { path, client }
  )
}

async function diffOf(before: Side, after: Side, { host, signal }: Context): Promise<Diff> {
  if (before.path !== after.path)
    return host.compute.run('fileDiff', { before, after, changes: 0 }, { signal, deadline_ms: DIFF_MS })
  const input = { path: before.path, before: before.text, after: after.text }
  return host.compute
    .run('diff', input, { signal, deadline_ms: DIFF_MS })
    .catch(() => unifiedDiff(before.path, undefined, after.text))
}
