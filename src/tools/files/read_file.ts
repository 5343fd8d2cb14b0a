import { invalidParam } from '../../errors.ts'
import { isNotebook } from '../../text/notebook/notebook-text.ts'
import type { RunContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'
import { presentBuffer, readBuffer } from './read/buffer.ts'
import { requestedEncoding } from './read/encoding.ts'
import { presentBytes, presentImage, readBytes, readImage, refuseLargeImage } from './read/image.ts'
import { readLarge } from './read/large.ts'
import { NOTEBOOK, presentNotebook, readNotebook } from './read/notebook.ts'
import { withHint } from './read/path-hint.ts'
import { isPdf, PDF, PDF_TIMEOUT_MS, presentPdf, readPdf } from './read/pdf.ts'
import {
  ReadInput as Input,
  MAX_WHOLE_FILE_BYTES,
  type ReadInput,
  ReadOutput,
  type ReadPresenter
} from './read/schemas.ts'
import { presentText, readText } from './read/text.ts'

/** Number of leading bytes by which the kind of a file is detected. */
const HEAD = 256 * 1024

export default defineTool({
  name: 'read_file',
  category: 'files',
  description:
    'Reads a file: text with line numbers, an image, PDF pages or notebook cells. Read long files in parts with offset and limit.',
  input: Input,
  output: ReadOutput,
  timeout_ms: ({ path }) => (/\.pdf$/i.test(path) ? PDF_TIMEOUT_MS : 5_000),
  effect: 'read',
  traits: { idempotent: true, cacheable: true },
  request({ path, offset, encoding }) {
    requestedEncoding(encoding)
    if (offset === 0) throw invalidParam('offset', 'must be at least 1, or negative to count from the end.')
    return { paths: [{ path, access: 'read' }] }
  },
  run: (input, ctx) => withHint(input.path, ctx, () => read(input, ctx)),
  present(output, input) {
    const shown = PRESENTERS.find(({ accepts }) => accepts(output))!.present(output, input)
    return output.buffer ? presentBuffer(output.buffer, shown) : shown
  }
})

const LARGE_NOTEBOOK = 'The notebook is over 10 MB, so it is shown as text.'
const NO_NOTEBOOK = 'The file is not a notebook of format 4, so it is shown as text.'

/** The first matching presenter is used. */
const PRESENTERS: readonly ReadPresenter[] = [
  { accepts: ({ media_type }) => media_type === PDF, present: presentPdf },
  { accepts: ({ media_type }) => media_type === NOTEBOOK, present: presentNotebook },
  { accepts: ({ media_type }) => media_type !== undefined, present: presentImage },
  { accepts: ({ encoding }) => encoding === 'base64', present: presentBytes },
  { accepts: () => true, present: presentText }
]

async function read(input: ReadInput, { host, signal }: RunContext): Promise<ReadOutput> {
  const { path, encoding, pages } = input
  const unsaved = host.files.unsaved(path)
  if (unsaved) return readBuffer(input, unsaved, host)
  const file = host.files.open(path)
  try {
    if (encoding === 'base64') return await readBytes(input, file, signal)
    const large = file.size > MAX_WHOLE_FILE_BYTES
    const bytes = large ? await file.read(Buffer.allocUnsafeSlow(HEAD), 0, signal) : await file.bytes(signal)
    if (encoding === undefined && isPdf(bytes)) return await readPdf(input, file, bytes, host, signal)
    if (pages !== undefined) throw invalidParam('pages', `${path} is not a PDF.`)
    refuseLargeImage(path, bytes, file.size)
    const cells = isNotebook(path) && encoding === undefined
    if (large) {
      const output = await readLarge(input, file, bytes, host, signal)
      return cells ? withNote(LARGE_NOTEBOOK, output) : output
    }
    const image = readImage(file, bytes)
    if (image) return image
    const notebook = cells ? await readNotebook(input, file, bytes, host, signal) : undefined
    if (notebook) return notebook
    const output = rememberText(file.path, readText(input, file, bytes), bytes, host)
    return cells ? withNote(NO_NOTEBOOK, output) : output
  } finally {
    file.close()
  }
}

const withNote = (note: string, output: ReadOutput) => ({ ...output, notes: [note, ...(output.notes ?? [])] })

/** Remembers the text, so that a later write with this outdated hash gets the changes since. */
function rememberText(path: string, output: ReadOutput, bytes: Buffer, { texts }: RunContext['host']): ReadOutput {
  const { hash } = output
  if (hash !== undefined) texts.remember({ path, hash }, bytes)
  return output
}
