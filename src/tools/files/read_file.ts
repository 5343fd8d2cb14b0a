import { createHash } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import { hashOf, type OpenFile } from '../../host/files.ts'
import { decode, encodingOf, eolOf } from '../../text/encoding.ts'
import { binaryKind, imageHeader } from '../../text/image-header.ts'
import { LineCollector } from '../../text/line-collector.ts'
import { sliceLines } from '../../text/slice-lines.ts'
import { defineTool, type Presented } from '../../tool.ts'

const Input = Type.Object(
  {
    path: Type.String({ description: 'File to read, relative to the workspace root.' }),
    encoding: Type.Optional(
      Type.Enum(['utf-8', 'base64'], {
        description: 'utf-8 (default) gives text and finds out its real encoding; base64 gives the bytes of any file.'
      })
    ),
    offset: Type.Optional(Type.Integer({ minimum: 1, description: 'First line to read, counted from 1.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: 'How many lines to read; 2000 by default.' }))
  },
  { additionalProperties: false }
)

const Output = Type.Object({
  content: Type.String({
    description: 'The lines as they are in the file; base64 for images and for encoding base64.'
  }),
  size: Type.Integer({ description: 'Bytes in the file.' }),
  modified: Type.String({ description: 'When the file was last modified.' }),
  hash: Type.Optional(
    Type.String({ description: 'sha256 of the whole file, for if_match. Left out when not all was read.' })
  ),
  lines: Type.Integer({ description: 'How many lines content holds.' }),
  total_lines: Type.Optional(
    Type.Integer({ description: 'How many lines the file has. Left out when not all was read.' })
  ),
  encoding: Type.String({ description: 'utf-8, utf-8-bom, utf-16le, utf-16be, latin1, or base64.' }),
  eol: Type.Optional(Type.String({ description: 'Line endings: lf, crlf or mixed.' })),
  truncated: Type.Optional(Type.Boolean({ description: 'The lines wanted were more than one answer holds.' })),
  media_type: Type.Optional(Type.String({ description: 'Of an image.' })),
  width: Type.Optional(Type.Integer({ description: 'Of an image, in pixels.' })),
  height: Type.Optional(Type.Integer({ description: 'Of an image, in pixels.' }))
})

const DEFAULT_LIMIT = 2000
/** 50 KB, each line with its number. */
const ANSWER_LIMIT = { size: 50 * 1024, toll: 8 }
const LINE_LIMIT = 2000
const IMAGE_LIMIT = 5 * 1024 * 1024
const BASE64_LIMIT = 10 * 1024 * 1024
/** Larger files are read as a stream. */
const WHOLE_LIMIT = 10 * 1024 * 1024
/** Of larger ones only what is wanted is read, without hash and line count. */
const COUNT_LIMIT = 256 * 1024 * 1024

export default defineTool({
  name: 'read_file',
  category: 'files',
  description: 'Read a text file with line numbers, or an image. Long files are read in parts, with offset and limit.',
  input: Input,
  output: Output,
  timeout_ms: 5_000,
  effect: 'read',
  idempotent: true,
  cacheable: true,
  subject: ({ path }) => ({ paths: [{ path, access: 'read' }] }),
  async run(input, { host, signal }) {
    const file = host.files.open(input.path)
    try {
      if (input.encoding === 'base64') return await asBase64(input, file, signal)
      if (file.size > WHOLE_LIMIT) return await asStream(input, file, signal)
      return asText(input, file, await file.bytes(signal))
    } finally {
      file.close()
    }
  },
  present(output, { path, offset = 1 }) {
    if (output.media_type) return image(output, path)
    const metadata = { hash: output.hash, total_lines: output.total_lines, encoding: output.encoding, eol: output.eol }
    const bytes = `${output.size} ${output.size === 1 ? 'byte' : 'bytes'}`
    if (output.encoding === 'base64') return { title: path, content: `${bytes}, base64:\n${output.content}`, metadata }
    if (output.lines === 0) return { title: path, content: nothing(output.total_lines ?? 0), metadata }
    const content = numbered(output.content, offset) + howToGoOn(output, offset)
    return { title: path, content, metadata, ...(output.truncated && { truncated: true }) }
  }
})

type Input = Static<typeof Input>
type Output = Static<typeof Output>

function asText({ path, offset = 1, limit = DEFAULT_LIMIT }: Input, file: OpenFile, bytes: Buffer): Output {
  const known = { size: bytes.length, modified: file.modified, hash: hashOf(bytes) }
  const picture = imageHeader(bytes)
  if (picture) {
    if (bytes.length > IMAGE_LIMIT) throw tooLarge(path, 'The image', bytes.length, IMAGE_LIMIT)
    return { ...known, content: bytes.toString('base64'), lines: 0, encoding: 'base64', ...picture }
  }
  const decoded = decode(bytes)
  if (!decoded) throw binary(path, bytes, file.size)
  const { content, lines, total, cut } = sliceLines(decoded.text, offset, offset + limit - 1, ANSWER_LIMIT)
  const { encoding, eol } = decoded
  return { content, ...known, lines, total_lines: total, encoding, eol, ...(cut && { truncated: true }) }
}

async function asBase64({ path }: Input, file: OpenFile, signal: AbortSignal): Promise<Output> {
  if (file.size > BASE64_LIMIT) throw tooLarge(path, 'The file', file.size, BASE64_LIMIT)
  const bytes = await file.bytes(signal)
  const known = { size: bytes.length, modified: file.modified, hash: hashOf(bytes) }
  return { content: bytes.toString('base64'), ...known, lines: 0, encoding: 'base64' }
}

/** A file too large to hold: the wanted lines, and the hash and count where reading to the end is bearable. */
async function asStream(
  { path, offset = 1, limit = DEFAULT_LIMIT }: Input,
  file: OpenFile,
  signal: AbortSignal
): Promise<Output> {
  const lines = new LineCollector(offset, offset + limit - 1, ANSWER_LIMIT)
  const digest = createHash('sha256')
  const toTheEnd = file.size <= COUNT_LIMIT
  let encoding: string | undefined
  for await (const chunk of file.chunks(signal)) {
    encoding ??= streamable(path, chunk, file.size)
    lines.add(chunk)
    if (toTheEnd) digest.update(chunk)
    else if (lines.satisfied) break
  }
  const content = Buffer.concat(lines.parts)
    .toString(encoding === 'latin1' ? 'latin1' : 'utf8')
    .replace(/^\ufeff/, '')
  return {
    content,
    size: file.size,
    modified: file.modified,
    ...(toTheEnd && { hash: `sha256:${digest.digest('hex')}`, total_lines: lines.total }),
    lines: lines.lines,
    encoding: encoding ?? 'utf-8',
    eol: eolOf(content),
    ...(lines.cut && { truncated: true })
  }
}

function streamable(path: string, first: Buffer, size: number) {
  if (imageHeader(first)) throw tooLarge(path, 'The image', size, IMAGE_LIMIT)
  // The chunk may end inside a character.
  const encoding = encodingOf(first.subarray(0, first.lastIndexOf(10) + 1 || first.length - 4))
  if (!encoding) throw binary(path, first, size)
  if (encoding.startsWith('utf-16')) throw tooLarge(path, `A file in ${encoding}`, size, WHOLE_LIMIT)
  return encoding
}

function binary(path: string, bytes: Buffer, size: number) {
  const kind = binaryKind(bytes)
  const cure = 'Its bytes can be read with encoding base64.'
  return new ToolError('BINARY_FILE', `${path} is not text${kind ? ` but a ${kind}` : ''}. ${cure}`, {
    path,
    size,
    kind
  })
}

const tooLarge = (path: string, what: string, size: number, limit: number) =>
  new ToolError('TOO_LARGE', `${what} ${path} has ${size} bytes; the limit is ${limit}.`, { path, size, limit })

function image(output: Output, path: string): Presented {
  const { media_type, width, height, size } = output
  const pixels = width === undefined ? '' : `, ${width} × ${height} pixels`
  const data_url = `data:${media_type};base64,${output.content}`
  return {
    title: path,
    content: `Image ${path}: ${media_type}${pixels}, ${size} bytes.`,
    metadata: { hash: output.hash, media_type, width, height },
    attachments: [{ media_type: media_type!, data_url, ...(width && { width }), ...(height && { height }) }]
  }
}

function numbered(content: string, first: number) {
  const parts: string[] = []
  let line = first
  for (let start = 0; start < content.length; line++) {
    const newline = content.indexOf('\n', start)
    const next = newline < 0 ? content.length : newline + 1
    let end = newline < 0 ? next : newline
    if (content[end - 1] === '\r') end--
    const text =
      end - start > LINE_LIMIT
        ? `${content.slice(start, start + LINE_LIMIT)}… (${end - start} characters)`
        : content.slice(start, end)
    parts.push(`${String(line).padStart(6)}\t${text}`)
    start = next
  }
  return parts.join('\n')
}

const nothing = (total: number) => (total === 0 ? '(The file is empty.)' : `(The file has only ${total} lines.)`)

function howToGoOn({ content, lines, total_lines, truncated }: Output, offset: number) {
  const next = offset + lines
  const cut = truncated && lines === 1 && !content.endsWith('\n')
  const note = cut ? `\n(Line ${offset} is longer than one answer holds: the rest of it is left out.)` : ''
  if (total_lines !== undefined && next > total_lines) return note
  const total = total_lines === undefined ? '' : ` of ${total_lines}`
  return `${note}\n(Lines ${offset} to ${next - 1}${total}. Go on with offset ${next}.)`
}
