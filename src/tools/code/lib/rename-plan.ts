// Plans a rename from a language server's edits: everything is computed and verified before any change.
import { invalidParam, ToolError } from '../../../errors.ts'
import { hashBytes } from '../../../host/files/content-source.ts'
import type { FileSnapshot } from '../../../host/files/file-snapshot.ts'
import { TimeSlicer } from '../../../host/files/time-slicing.ts'
import type { TransactionStep } from '../../../host/files/transaction/transaction-step.ts'
import type { RenamedFile, RenameResult, Respondent } from '../../../host/lsp/language-service.ts'
import { type Diff, type Side, unifiedDiff } from '../../../text/diff/unified-diff.ts'
import { applySpanEdits } from '../../../text/edit/span-edits.ts'
import { decodeEditable, describeUnencodable, encode, toDisplayText } from '../../../text/encoding.ts'
import { hiddenAsciiReason } from '../../../text/hidden-ascii.ts'
import type { ReadContext } from '../../../tool/contexts.ts'
import type { PathUse } from '../../../tool/request.ts'

const DIFF_TIMEOUT_MS = 10_000
/** Maximum number of files; a rename of more is implausible. */
const MAX_FILES = 2_000

/** One file with its new content. */
interface RenameFilePlan {
  path: string
  movedTo?: string
  was: FileSnapshot
  bytes: Buffer
  diff: Diff
  /** Reason for which it needs strict approval: its diff does not show all that programs read. */
  strictReason?: string
  edits: number
}

export interface RenamePlan {
  files: RenameFilePlan[]
  answered: Respondent
}

/** Rejects implausible results without reading the files. */
export function assertPlausible(renaming: RenameResult): RenameResult {
  const { files, answered } = renaming
  const { server } = answered
  if (files.length === 0) throw invalidParam('line', `${server} finds nothing to rename at this position.`)
  if (files.length > MAX_FILES)
    throw new ToolError('TOO_LARGE', `${server} would change ${files.length} files; the limit is ${MAX_FILES}.`, {
      files: files.length,
      limit: MAX_FILES
    })
  const outside = files.flatMap(({ path, movedTo = '' }) => [path, movedTo].filter(each => each.startsWith('/')))
  if (outside.length === 0) return renaming
  throw new ToolError(
    'INVALID_PATH',
    `${server} would change files outside the workspace: ${outside.slice(0, 10).join(', ')}. Nothing was changed.`,
    { outside: outside.slice(0, 100) }
  )
}

/** Reads every file, verifies that the server has seen the same text, and applies its edits. */
export async function planRename({ files: renamed, answered }: RenameResult, ctx: ReadContext): Promise<RenamePlan> {
  const { server } = answered
  const slices = new TimeSlicer()
  const files: RenameFilePlan[] = []
  for (const one of renamed) {
    files.push(await planFile(one, server, ctx))
    await slices.yieldIfDue()
    ctx.signal.throwIfAborted()
  }
  return { files: files.filter(({ bytes, was, movedTo }) => movedTo || !bytes.equals(was.bytes!)), answered }
}

/** Paths for policy: every changed file, all of which are also shown. */
export const renamePathUses = ({ files }: RenameResult): PathUse[] =>
  files.flatMap(({ path, movedTo }): PathUse[] => [
    { path, access: 'write', entry: movedTo !== undefined },
    { path, access: 'read', entry: movedTo !== undefined },
    ...(movedTo === undefined ? [] : [{ path: movedTo, access: 'write' as const }])
  ])

/** Returns one step for each file. */
export const renameSteps = ({ files }: RenamePlan): TransactionStep[] =>
  files.map(({ path, movedTo: to, was, bytes, diff: { added, removed } }): TransactionStep => {
    const lines = () => ({ added, removed })
    if (to === undefined) return { do: 'write', path, was, content: bytes, lines }
    return { do: 'move', path, to, was, lines, ...(!bytes.equals(was.bytes!) && { content: bytes }) }
  })

export const hashAfter = ({ bytes }: RenameFilePlan): string => hashBytes(bytes)

async function planFile(
  { path, movedTo, hash, edits }: RenamedFile,
  server: string,
  ctx: ReadContext
): Promise<RenameFilePlan> {
  const was = await ctx.host.files.snapshot(path)
  if (!was) throw new ToolError('STALE_FILE', `${path} was removed after ${server} read it. Try again.`, { path })
  const old = was.bytes && decodeEditable(was.bytes)
  if (!old) throw new ToolError('BINARY_FILE', `${path} is not a text file, or is too large to be changed.`, { path })
  if (!old.exact)
    throw new ToolError(
      'BINARY_FILE',
      `${path} has bytes that are not valid ${old.encoding}, which a change would alter. Nothing was changed.`,
      {
        path,
        encoding: old.encoding
      }
    )
  if (was.hash !== hash && was.unsaved?.buffer.hash !== hash) throw differentTextError(path, server, ctx)
  const after = applySpanEdits(old.text, edits)
  if (after === undefined)
    throw new ToolError(
      'EXECUTION_ERROR',
      `${server} returned edits of ${path} that overlap or are past the end of the file. Nothing was changed.`,
      { path }
    )
  const bytes = encode(after, old.encoding)
  if (!bytes)
    throw invalidParam(
      'new_name',
      `has ${describeUnencodable(after, old.encoding)}, which the encoding of ${path}, ${old.encoding}, cannot represent.`
    )
  const strictReason = hiddenAsciiReason(old, { text: after, encoding: old.encoding })
  const diff = await computeDiff(
    { path: was.path, text: toDisplayText(old.text) },
    { path: movedTo ?? was.path, text: toDisplayText(after) },
    ctx
  )
  return {
    path,
    ...(movedTo !== undefined && { movedTo }),
    was,
    bytes,
    diff,
    edits: edits.length,
    ...(strictReason !== undefined && { strictReason: `${path}: ${strictReason}` })
  }
}

/** The server has seen a different text than the one to be changed. */
function differentTextError(path: string, server: string, { host: { files } }: ReadContext) {
  const client = files.unsaved(path)?.buffer.client
  if (client === undefined)
    return new ToolError('STALE_FILE', `${path} was changed after ${server} read it. Try again.`, { path })
  return new ToolError(
    'CONFLICT',
    `${path} has unsaved changes in ${client}, and ${server} uses the unsaved text. Save the file in the editor first.`,
    { path, client }
  )
}

async function computeDiff(before: Side, after: Side, { host, signal }: ReadContext): Promise<Diff> {
  if (before.path !== after.path)
    return host.compute.run('fileDiff', { before, after, changes: 0 }, { signal, deadlineMs: DIFF_TIMEOUT_MS })
  const input = { path: before.path, before: before.text, after: after.text }
  return host.compute
    .run('diff', input, { signal, deadlineMs: DIFF_TIMEOUT_MS })
    .catch(() => unifiedDiff(before.path, undefined, after.text))
}
