import { isAscii } from 'node:buffer'
import { dirname } from 'node:path/posix'
import { type Static, Type } from 'typebox'
import { invalidParam, ToolError } from '../../errors.ts'
import type { Files } from '../../host/files/files.ts'
import { type Diff, unifiedDiff } from '../../text/diff/unified-diff.ts'
import { decode, encode, type TextContent, withEol } from '../../text/encoding.ts'
import { type Context, defineTool, type Preview } from '../../tool/tool.ts'
import { ifMatch } from './if-match.ts'
import { irreversibleLossNotes } from './irreversible-loss.ts'

const Input = Type.Object(
  {
    path: Type.String({ description: 'File to write, relative to the workspace root.' }),
    content: Type.String({ description: 'The whole new content.' }),
    encoding: Type.Optional(
      Type.Enum(['utf-8', 'base64'], {
        description: 'What content is: text (default), or base64 of the bytes to write.'
      })
    ),
    create_dirs: Type.Optional(Type.Boolean({ description: 'Make the folders that are missing; true by default.' })),
    if_match: Type.Optional(ifMatch('Write only if the file still has this hash.'))
  },
  { additionalProperties: false }
)

export default defineTool({
  name: 'write_file',
  category: 'files',
  description:
    'Write a whole file. A text file that exists keeps its encoding, byte order mark, line endings and permissions.',
  input: Input,
  output: Type.Object({
    path: Type.String({ description: 'The file written, links followed.' }),
    size: Type.Integer({ description: 'Bytes written.' }),
    hash: Type.String({ description: 'sha256 of the new content.' }),
    created: Type.Boolean({ description: 'Nothing was there before.' })
  }),
  timeout_ms: 10_000,
  effect: ({ path }, { host }) => (host.files.peek(path).kind === 'missing' ? 'create' : 'write'),
  subject: ({ path, if_match }) => ({ paths: [{ path, access: 'write', if_match }] }),
  async preview(input, ctx) {
    const { was, bytes, after, ...plan } = await planWrite(input, ctx)
    const former = was ? undefined : await ctx.formerFile(input.path)
    const title = `${was ? 'Overwrite' : 'Create'} ${input.path}`
    const lost =
      was && !was.unsaved
        ? irreversibleLossNotes([{ path: was.path, type: 'file', size: was.size }], ctx.host.files)
        : []
    const displaced = former ? [former.note] : []
    const shown = (preview: Preview, ...notes: string[]) =>
      notes.length + lost.length + displaced.length > 0
        ? { ...preview, notes: [...displaced, ...notes, ...lost] }
        : preview
    if (was && !ctx.canReveal(input)) return shown({ title, text: input.content }, WITHHELD_NOTE)
    const before = former?.bytes && decode(former.bytes)
    const diff = before && after ? unifiedDiff(input.path, before.text, after.text) : plan.diff()
    if (diff) return shown({ title, diff: diff.diff }, ...plan.recoded)
    if (!was || !after) return shown({ title, text: `${bytes.length} bytes that are not text` })
    const why = was.bytes ? 'it is no text' : 'it is too large'
    return shown({ title, text: after.text }, `What is there now, ${was.size} bytes, is not shown: ${why}.`)
  },
  async run(input, ctx) {
    const { was, bytes, diff } = await planWrite(input, ctx)
    const { files } = ctx.host
    const lines = () => lineChange(diff())
    const written = was
      ? await files.replace(input.path, was, bytes, lines)
      : await files.create(input.path, bytes, lines)
    return { ...written, created: !was }
  },
  present: ({ path, size, created, hash }) => ({
    title: path,
    content: `${created ? 'Created' : 'Overwrote'} ${path} (${size} bytes).`,
    metadata: { hash, created }
  })
})

// The caller sees the preview of its call before permission to read the file is granted.
const WITHHELD_NOTE = 'The file may not be read without asking: what is in it now is not shown.'

/** Plans a write: the current and the new content, and their diff if both are text. */
async function planWrite(input: Static<typeof Input>, { host }: Context) {
  const was = await host.files.snapshot(input.path)
  if (!was && input.create_dirs === false) requireFolder(dirname(input.path), host.files)
  const old = was?.bytes && decode(was.bytes)
  const bytes = input.encoding === 'base64' ? fromBase64(input.content) : encodeLikeExisting(input.content, old)
  const after = decode(bytes)
  const comparable = after && (!was || old)
  const diff = () => (comparable ? unifiedDiff(was?.path ?? input.path, old?.text, after.text) : undefined)
  return { was, bytes, after, diff, recoded: encodingChangeNotes(old, after, bytes) }
}

/** A diff shows no bytes, so a change of the encoding is noted. */
function encodingChangeNotes(old: TextContent | undefined, now: TextContent | undefined, bytes: Buffer): string[] {
  if (!old || !now || old.encoding === now.encoding || isAscii(bytes)) return []
  return [`Its encoding changes from ${old.encoding} to ${now.encoding}.`]
}

const lineChange = (diff: Diff | undefined) => diff && { added: diff.added, removed: diff.removed }

function requireFolder(folder: string, files: Files) {
  const { kind } = files.peek(folder)
  if (kind === 'missing')
    throw new ToolError('FILE_NOT_FOUND', `The folder ${folder} does not exist.`, { path: folder })
  if (kind !== 'directory') throw new ToolError('NOT_A_DIRECTORY', `${folder} is not a folder.`, { path: folder })
}

/** Encodes a text in the existing file's format. Characters that its encoding lacks force UTF-8. */
function encodeLikeExisting(content: string, old: TextContent | undefined) {
  if (!content.isWellFormed()) throw invalidParam('content', 'is not valid Unicode.')
  if (!old) return Buffer.from(content)
  const text = content.includes('\r\n') ? content : withEol(content, old.eol)
  return encode(text, old.encoding) ?? Buffer.from(text)
}

function fromBase64(content: string) {
  const bytes = Buffer.from(content, 'base64')
  if (bytes.toString('base64').replace(/=+$/, '') === content.replace(/=+$/, '')) return bytes
  throw invalidParam('content', 'is not base64.')
}
