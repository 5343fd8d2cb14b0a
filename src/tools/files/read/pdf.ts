// Reads the text of PDF documents, page by page.
import { invalidParam, ToolError } from '../../../errors.ts'
import type { PdfErrorReason } from '../../../host/compute/pdf-worker.ts'
import { hashBytes } from '../../../host/files/content-source.ts'
import type { OpenFile } from '../../../host/files/open-file.ts'
import type { Host } from '../../../host/host.ts'
import { trimPartialCharacter } from '../../../text/chunk-decoding.ts'
import { detectEncoding } from '../../../text/encoding.ts'
import type { Presented } from '../../../tool/result.ts'
import { ANSWER_BUDGET, fileFacts, type ReadInput, type ReadOutput, tooLargeError } from './schemas.ts'

export const PDF = 'application/pdf'
/** Documents take time, but none of the main thread's. */
export const PDF_TIMEOUT_MS = 30_000

const MAX_PDF_BYTES = 50 * 1024 * 1024
const DEFAULT_PAGES = 20
const MAGIC = '%PDF-'
/** Readers search for the signature up to this offset, behind mail or server headers. */
const MAGIC_SCAN_BYTES = 1024
const BEGINS_AS_PDF = /^(?:\xef\xbb\xbf)?\s*%PDF-\d/
const PAGE_BREAK = '\f'

const REFUSALS: Record<PdfErrorReason, string> = {
  encrypted: 'is an encrypted PDF. It needs a password, and read_file cannot use one.',
  broken: 'is a damaged PDF: no page can be read. Use `encoding` base64 to read the bytes of the file.'
}

/** Text may mention the signature: beyond the start it counts only in binary content. */
export function isPdf(head: Buffer): boolean {
  const start = head.subarray(0, MAGIC_SCAN_BYTES)
  if (!start.includes(MAGIC)) return false
  return BEGINS_AS_PDF.test(start.toString('latin1')) || !detectEncoding(trimPartialCharacter(head, 'utf-8'))
}

/** `read` is the part of the file that was read already. */
export async function readPdf(
  input: ReadInput,
  file: OpenFile,
  read: Buffer,
  { pdf }: Pick<Host, 'pdf'>,
  signal: AbortSignal
): Promise<ReadOutput> {
  const { path } = input
  if (file.size > MAX_PDF_BYTES) throw tooLargeError(path, 'The PDF', file.size, MAX_PDF_BYTES)
  const bytes = read.length === file.size ? read : await file.bytes(signal)
  const about = fileFacts(file, bytes, hashBytes(bytes))
  const query = { ...pageRange(input), characters: ANSWER_BUDGET.size }
  const answer = await pdf.extractText({ bytes: new Uint8Array(bytes), ...query }, signal)
  if ('error' in answer)
    throw new ToolError('BINARY_FILE', `${path} ${REFUSALS[answer.error]}`, { path, reason: answer.error })
  const { total, pages, truncated } = answer
  return {
    content: pages.map(({ text }) => text.replaceAll(PAGE_BREAK, '\n')).join(PAGE_BREAK),
    ...about,
    lines: 0,
    encoding: 'utf-8',
    media_type: PDF,
    pages: pages.map(({ page }) => page),
    total_pages: total,
    ...(truncated && { truncated: true })
  }
}

export function presentPdf(output: ReadOutput, { path }: ReadInput): Presented {
  const { content, pages = [], total_pages = 0, truncated, hash } = output
  const texts = content.split(PAGE_BREAK)
  const shown = pages.map((page, i) => `--- Page ${page} of ${total_pages} ---\n${texts[i] || '(No text.)'}`)
  const last = pages.at(-1)
  if (last === undefined) shown.push(`(The document has only ${total_pages} pages.)`)
  else if (texts.every(text => text === '')) shown.push('(These pages contain no text: they may be scanned images.)')
  if (truncated && pages.length === 1) shown.push(`(Page ${last} is too long for one result: the rest is omitted.)`)
  if (last !== undefined && last < total_pages)
    shown.push(`(Pages ${pages[0]} to ${last} of ${total_pages}. Continue with pages ${last + 1}-.)`)
  return {
    title: path,
    content: shown.join('\n'),
    metadata: { hash, media_type: PDF, total_pages },
    ...(truncated && { truncated })
  }
}

/** Returns the first page and the number of pages. */
function pageRange({ pages, offset = 1, limit = DEFAULT_PAGES }: ReadInput) {
  if (pages === undefined) return { first: offset, pages: limit }
  const [first, last] = pages.split('-').map(Number)
  if (last === undefined) return { first: first!, pages: 1 }
  if (last === 0) return { first: first!, pages: DEFAULT_PAGES }
  if (last < first!) throw invalidParam('pages', `${pages} ends before it begins.`)
  return { first: first!, pages: last - first! + 1 }
}
