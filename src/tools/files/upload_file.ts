import { isUtf8 } from 'node:buffer'
import { dirname } from 'node:path/posix'
import { type Static, Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import { type FileSnapshot, MAX_HASHED_FILE_BYTES } from '../../host/files/file-snapshot.ts'
import { unifiedDiff } from '../../text/diff/unified-diff.ts'
import { decode } from '../../text/encoding.ts'
import { hiddenAsciiReason } from '../../text/hidden-ascii.ts'
import type { ReadContext } from '../../tool/contexts.ts'
import type { Preview } from '../../tool/plan.ts'
import { defineTool } from '../../tool/tool.ts'
import { encodingChangeNotes, unshownReason, WITHHELD_NOTE } from './diff-notes.ts'
import { irreversibleLossNotes } from './irreversible-loss.ts'

/** Time to copy an upload to another disk, at 10 MB a second, besides that for a small one. */
const BYTES_PER_MS = 10_000

const Input = Type.Object(
  {
    path: Type.String({ description: 'Workspace-relative path.' }),
    size: Type.Integer({ minimum: 0, description: 'Size of the upload in bytes.' }),
    hash: Type.String({ description: 'sha256 of the upload.' }),
    create_dirs: Type.Optional(Type.Boolean({ description: 'Create missing folders. Default: true.' })),
    create_only: Type.Optional(Type.Boolean({ description: 'Write only if the path does not exist.' }))
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

export default defineTool({
  name: 'upload_file',
  category: 'files',
  traits: { listed: 'never', receivesUpload: true },
  description: 'Writes bytes that were received over HTTP. PUT /files/{path} makes this call.',
  input: Input,
  output: Type.Object({
    path: Type.String({ description: 'File path, with links resolved.' }),
    size: Type.Integer({ description: 'Number of bytes that were written.' }),
    hash: Type.String({ description: 'sha256 of the new content.' }),
    created: Type.Boolean({ description: 'True if the file is new.' })
  }),
  timeout_ms: ({ size }) => 10_000 + Math.ceil(size / BYTES_PER_MS),
  effect: 'depends',
  request: ({ path }, { host }) => ({
    effect: host.files.peek(host.files.accept(path)).kind === 'missing' ? 'create' : 'write',
    paths: [{ path, access: 'write' }]
  }),
  async plan(input, ctx) {
    assertWritable(input, ctx)
    const was = await ctx.host.files.snapshot(input.path)
    const strict = await findStrictReason(input, was, ctx)
    return {
      state: was,
      ...(strict !== undefined && { reasons: { strict } }),
      preview: () => previewUpload(input, was, ctx)
    }
  },
  async run(input, ctx, was: FileSnapshot | undefined) {
    const { files } = ctx.host
    const content = contentOf(input, ctx)
    const written = was ? await files.replace(input.path, was, content) : await files.create(input.path, content)
    return { ...written, created: !was }
  },
  present: ({ path, size, hash, created }) => ({
    title: path,
    content: `${created ? 'Created' : 'Overwrote'} ${path} (${size} bytes).`,
    metadata: { hash, created }
  })
})

const contentOf = ({ size, hash }: Input, { host, call }: ReadContext) => host.uploads.content(call.id, { size, hash })

function assertWritable({ path, create_dirs, create_only }: Input, { host: { files } }: ReadContext) {
  const { kind } = files.peek(path)
  if (create_only && kind !== 'missing') throw new ToolError('FILE_EXISTS', `${path} already exists.`, { path })
  if (create_dirs !== false || kind !== 'missing') return
  const folder = dirname(path)
  if (files.peek(files.accept(folder)).kind === 'missing')
    throw new ToolError('FILE_NOT_FOUND', `The folder ${folder} does not exist.`, { path: folder })
}

/** Returns why a diff may not show what programs read in the new content, if that is text. */
async function findStrictReason(
  input: Input,
  was: FileSnapshot | undefined,
  ctx: ReadContext
): Promise<string | undefined> {
  // Policy is also asked before there are any bytes.
  if (input.size === 0 || input.size > MAX_HASHED_FILE_BYTES) return undefined
  const bytes = await contentOf(input, ctx).bytes(ctx.signal)
  if (!bytes || (isUtf8(bytes) && !bytes.includes(0))) return undefined
  const after = decode(bytes)
  if (!after) return was && unshownReason(bytes)
  return hiddenAsciiReason(was?.bytes && decode(was.bytes), after)
}

async function previewUpload(input: Input, was: FileSnapshot | undefined, ctx: ReadContext): Promise<Preview> {
  const former = was ? undefined : await ctx.history.formerFile(input.path)
  const lost =
    was && !was.unsaved ? irreversibleLossNotes([{ path: was.path, type: 'file', size: was.size }], ctx.host.files) : []
  const { notes = [], ...shown } = await describeContent(input, ctx, was?.bytes ?? former?.bytes, was?.size)
  const all = [...(former ? [former.note] : []), ...notes, ...lost]
  return { title: `${was ? 'Overwrite' : 'Create'} ${input.path}`, ...shown, ...(all.length > 0 && { notes: all }) }
}

/** Describes the new content: as a diff where it and what is replaced are text, and of a size that can be reviewed. */
async function describeContent(
  input: Input,
  ctx: ReadContext,
  replaced: Buffer | undefined,
  replacedSize: number | undefined
): Promise<Omit<Preview, 'title'>> {
  const { path, size, hash } = input
  const bytes = size <= MAX_HASHED_FILE_BYTES ? await contentOf(input, ctx).bytes(ctx.signal) : undefined
  const after = bytes && decode(bytes)
  const what = `${size} bytes${after ? '' : bytes ? ' that are not text' : ''}, ${hash}`
  if (!after) return { text: what }
  if (replacedSize !== undefined && !ctx.canReveal(input)) return { text: after.text, notes: [WITHHELD_NOTE] }
  const before = replaced && decode(replaced)
  if (replacedSize !== undefined && !before)
    return {
      text: after.text,
      notes: [`The current content, ${replacedSize} bytes, is not shown: it is not text, or is too large.`]
    }
  const { diff } = unifiedDiff(path, before?.text, after.text)
  const isSameText = before?.text === after.text && !bytes.equals(replaced!)
  return {
    diff,
    notes: [
      ...encodingChangeNotes(before, after, bytes),
      ...(isSameText ? ['The text does not change. Only the byte order mark or the encoding changes.'] : [])
    ]
  }
}
