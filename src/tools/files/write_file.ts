import { dirname } from 'node:path/posix'
import { type Static, Type } from 'typebox'
import { invalidParam, ToolError } from '../../errors.ts'
import type { FileSnapshot } from '../../host/files/file-snapshot.ts'
import { parseEncoding } from '../../host/files/parse-encoding.ts'
import { type Diff, unifiedDiff } from '../../text/diff/unified-diff.ts'
import { decode, describeUnencodable, type Encoding, encode, type TextContent, withEol } from '../../text/encoding.ts'
import { hiddenAsciiReason } from '../../text/hidden-ascii.ts'
import type { ReadContext, ReadFiles } from '../../tool/contexts.ts'
import type { Preview } from '../../tool/plan.ts'
import { defineTool } from '../../tool/tool.ts'
import { encodingChangeNotes, lostBytesNotes, unshownReason, WITHHELD_NOTE } from './diff-notes.ts'
import { ifMatch } from './if-match.ts'
import { irreversibleLossNotes } from './irreversible-loss.ts'
import { REENCODE_HINT } from './text-errors.ts'

const Input = Type.Object(
  {
    path: Type.String({ description: 'Workspace-relative path.' }),
    content: Type.String({ description: 'Complete new content of the file.' }),
    encoding: Type.Optional(
      Type.String({
        description:
          '`base64` if content is base64, or a text encoding. Default: that of the file, UTF-8 for a new file.'
      })
    ),
    create_dirs: Type.Optional(Type.Boolean({ description: 'Create missing folders. Default: true.' })),
    if_match: Type.Optional(ifMatch('Fail unless the file has this hash.'))
  },
  { additionalProperties: false }
)

export default defineTool({
  name: 'write_file',
  category: 'files',
  description: 'Writes a whole file. An existing text file keeps its encoding, line endings and permissions.',
  input: Input,
  output: Type.Object({
    path: Type.String({ description: 'File path, with links resolved.' }),
    size: Type.Integer({ description: 'Number of bytes that were written.' }),
    hash: Type.String({ description: 'sha256 of the new content.' }),
    created: Type.Boolean({ description: 'True if the file is new.' }),
    unchanged: Type.Optional(
      Type.Boolean({ description: 'True if the file already had this content, so it was not written.' })
    ),
    encoding: Type.Optional(Type.String({ description: 'Encoding that was used, if not UTF-8.' })),
    notes: Type.Optional(
      Type.Array(Type.String({ description: 'A sentence.' }), {
        description: 'Notes about a changed or guessed encoding, or lost bytes.'
      })
    )
  }),
  timeout_ms: 10_000,
  effect: 'depends',
  traits: { plansFromFiles: true },
  request: ({ path, if_match }, { host }) => ({
    effect: host.files.peek(host.files.accept(path)).kind === 'missing' ? 'create' : 'write',
    paths: [{ path, access: 'write', if_match }]
  }),
  async plan(input, ctx) {
    const state = await planWrite(input, ctx)
    const { was, bytes, after, isUnchanged } = state
    // A new file in UTF-8 is as its text shows.
    const isPlain = !was && input.encoding === undefined
    const strict = isPlain ? undefined : (state.strictReason ?? (was && !after ? unshownReason(bytes) : undefined))
    return {
      state,
      ...(isUnchanged && { effect: 'read' }),
      ...(strict !== undefined && { reasons: { strict } }),
      preview: () => previewWrite(input, state, ctx)
    }
  },
  async run(input, ctx, { was, bytes, diff, encoding, notes, isUnchanged }) {
    const { files } = ctx.host
    if (isUnchanged) {
      const now = await files.snapshot(input.path)
      if (!now || !hasBytes(now, bytes))
        throw new ToolError('STALE_FILE', `${input.path} changed during the call. Try again.`, { path: input.path })
      return { path: now.path, size: now.size, hash: now.hash!, created: false, unchanged: true }
    }
    const lines = () => lineChange(diff())
    const written = was
      ? await files.replace(input.path, was, bytes, lines)
      : await files.create(input.path, bytes, lines)
    return {
      ...written,
      created: !was,
      ...(encoding !== undefined && encoding !== 'utf-8' && { encoding }),
      ...(notes.length > 0 && ctx.canReveal(input) && { notes })
    }
  },
  present: ({ path, size, created, unchanged, hash, notes = [] }) => ({
    title: path,
    content: unchanged
      ? `${path} already had this content (${size} bytes).`
      : [`${created ? 'Created' : 'Overwrote'} ${path} (${size} bytes).`, ...notes].join('\n'),
    metadata: { hash, created }
  })
})

type WritePlan = Awaited<ReturnType<typeof planWrite>>

async function previewWrite(
  input: Static<typeof Input>,
  { was, bytes, after, strictReason, ...plan }: WritePlan,
  ctx: ReadContext
): Promise<Preview> {
  const former = was ? undefined : await ctx.history.formerFile(input.path)
  const title = `${was ? 'Overwrite' : 'Create'} ${input.path}`
  const lost =
    was && !was.unsaved ? irreversibleLossNotes([{ path: was.path, type: 'file', size: was.size }], ctx.host.files) : []
  const displaced = [...(former ? [former.note] : []), ...(strictReason === undefined ? [] : [strictReason])]
  const shown = (preview: Preview, ...notes: string[]) =>
    notes.length + lost.length + displaced.length > 0
      ? { ...preview, notes: [...displaced, ...notes, ...lost] }
      : preview
  if (was && !ctx.canReveal(input)) return shown({ title, text: input.content }, WITHHELD_NOTE)
  const before = former?.bytes && decode(former.bytes)
  const diff = before && after ? unifiedDiff(input.path, before.text, after.text) : plan.diff()
  if (diff) return shown({ title, diff: diff.diff }, ...plan.notes)
  if (!was || !after) return shown({ title, text: `${bytes.length} bytes that are not text` })
  const why = was.bytes ? 'it is not text' : 'it is too large'
  return shown({ title, text: after.text }, `The current content, ${was.size} bytes, is not shown: ${why}.`)
}

const hasBytes = ({ bytes, unsaved }: FileSnapshot, wanted: Buffer) =>
  unsaved === undefined && bytes !== undefined && Buffer.compare(bytes, wanted) === 0

/** Plans a write: the current and the new content, and their diff if both are text. */
async function planWrite(input: Static<typeof Input>, { host, canReveal }: ReadContext) {
  if (input.encoding !== undefined && input.encoding !== 'base64') parseEncoding(input.encoding)
  const was = await host.files.snapshot(input.path)
  if (!was && input.create_dirs === false) requireFolder(dirname(input.path), host.files)
  const old = was?.bytes && decode(was.bytes)
  const { bytes, encoding } =
    input.encoding === 'base64' ? { bytes: fromBase64(input.content) } : encodeContent(input, old)
  const after = decode(bytes, encoding)
  const comparable = after && (!was || old)
  const strictReason = hiddenAsciiReason(old, after)
  const diff = () => (comparable ? unifiedDiff(was?.path ?? input.path, old?.text, after.text) : undefined)
  return {
    was,
    bytes,
    encoding,
    after,
    diff,
    strictReason,
    /** The file has the new content already, as far as the caller may know. */
    isUnchanged: was !== undefined && hasBytes(was, bytes) && canReveal(input),
    notes: [...encodingChangeNotes(old, after, bytes), ...lostBytesNotes(was?.bytes, input.content)]
  }
}

const lineChange = (diff: Diff | undefined) => diff && { added: diff.added, removed: diff.removed }

function requireFolder(folder: string, files: ReadFiles) {
  const { kind } = files.peek(files.accept(folder))
  if (kind === 'missing')
    throw new ToolError('FILE_NOT_FOUND', `The folder ${folder} does not exist.`, { path: folder })
  if (kind !== 'directory') throw new ToolError('NOT_A_DIRECTORY', `${folder} is not a folder.`, { path: folder })
}

interface EncodedContent {
  bytes: Buffer
  encoding: Encoding
}

/** Encodes a text in the requested encoding, or in that of the existing file, and with its line endings. */
function encodeContent(
  { content, encoding: label }: Static<typeof Input>,
  old: TextContent | undefined
): EncodedContent {
  if (!content.isWellFormed()) throw invalidParam('content', 'is not valid Unicode.')
  const text = !old || content.includes('\r\n') ? content : withEol(content, old.eol)
  const requested = label === undefined ? undefined : parseEncoding(label)
  const isKept = requested === undefined || requested === 'utf-8'
  const encoding = (isKept ? old?.encoding : requested) ?? 'utf-8'
  const bytes = encode(text, encoding)
  if (bytes) return { bytes, encoding }
  if (requested === 'utf-8') return { bytes: Buffer.from(text), encoding: requested }
  throw invalidParam(
    'content',
    `has ${describeUnencodable(text, encoding)}, which ${encoding} cannot represent. ${REENCODE_HINT}`
  )
}

function fromBase64(content: string) {
  const bytes = Buffer.from(content, 'base64')
  if (bytes.toString('base64').replace(/=+$/, '') === content.replace(/=+$/, '')) return bytes
  throw invalidParam('content', 'is not base64.')
}
