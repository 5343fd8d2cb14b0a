// Reads lines of a file that is too large for memory: found by counting line feeds in its bytes, of which only a window is
// decoded.

import type { LineIndex } from '../../../host/files/line-index.ts'
import type { OpenFile } from '../../../host/files/open-file.ts'
import type { Host } from '../../../host/host.ts'
import { decodeChunk, skipCharacters, trimPartialCharacter } from '../../../text/chunk-decoding.ts'
import {
  type DetectedEncoding,
  detectEncoding,
  detectEol,
  type Encoding,
  resolveRequested
} from '../../../text/encoding.ts'
import { isLegacyEncoding } from '../../../text/legacy-encodings.ts'
import { nextLine } from '../../../text/newlines.ts'
import { sliceLines } from '../../../text/slice-lines.ts'
import { encodingNotes, requestedEncoding } from './encoding.ts'
import { ANSWER_BUDGET, binaryFileError, type ReadInput, type ReadOutput } from './schemas.ts'
import { lineRange } from './text.ts'

/** Lines of larger files are not counted, and no hash is computed. */
const MAX_COUNTED_BYTES = 256 * 1024 * 1024
/** Large enough for one answer, whatever the size of its characters. */
const WINDOW = 4 * ANSWER_BUDGET.size + 16
const STEP = 1 << 20

export async function readLarge(
  input: ReadInput,
  file: OpenFile,
  head: Buffer,
  host: Host,
  signal: AbortSignal
): Promise<ReadOutput> {
  const requested = requestedEncoding(input.encoding)
  const detected = requested ? resolveRequested(head, requested) : detectHeadEncoding(head)
  if (!detected) throw binaryFileError(input.path, head, file.size)
  const { encoding } = detected
  const index = host.lines.get(file, encoding)
  const hash = file.size <= MAX_COUNTED_BYTES ? (await index.readTotals(file, signal)).hash : undefined
  const { offset, limit, column } = lineRange(input)
  const { start, first_line } = await findStart(offset, file, index, signal)
  const from = column > 1 ? await findColumnOffset(file, encoding, start, column - 1, signal) : start
  const window = await file.read(Buffer.allocUnsafeSlow(WINDOW), from, signal)
  const isCut = from + window.length < file.size
  const found = requested ? detected : detectWindowEncoding(window, isCut, detected)
  const read = found && {
    ...found,
    text: decodeWindow(isCut ? trimPartialCharacter(window, found.encoding) : window, from, found.encoding)
  }
  if (!read) throw binaryFileError(input.path, window, file.size)
  const { content, lines, cut } = sliceLines(read.text, 0, limit, ANSWER_BUDGET)
  return {
    content,
    size: file.size,
    modified: file.modified,
    ...(hash && { hash }),
    lines,
    ...(offset < 0 && { first_line }),
    ...(index.total !== undefined && { total_lines: index.total }),
    encoding: read.encoding,
    eol: detectEol(content),
    ...(cut && { truncated: true }),
    ...withNotes([
      ...encodingNotes(read),
      ...(hash ? [] : [`The file has ${file.size} bytes. Files over ${MAX_COUNTED_BYTES} bytes are not hashed.`])
    ])
  }
}

/** Finds the offset of the first requested line, and its number if known. */
async function findStart(offset: number, file: OpenFile, index: LineIndex, signal: AbortSignal) {
  if (offset > 0) return { start: (await index.startOf(offset, file, signal)) ?? file.size, first_line: offset }
  const start = await index.startFromEnd(-offset, file, signal)
  if (start === 0) return { start, first_line: 1 }
  return { start, first_line: index.total === undefined ? offset : index.total + 1 + offset }
}

/** Returns the offset after so many characters of the line at `start`; the line's end if it has fewer. */
async function findColumnOffset(file: OpenFile, encoding: Encoding, start: number, count: number, signal: AbortSignal) {
  const chunk = Buffer.allocUnsafeSlow(STEP)
  let left = count
  for (let at = start; at < file.size; ) {
    const read = await file.read(chunk, at, signal)
    const isCut = at + read.length < file.size
    // Characters of these cannot be found from inside of one.
    const bytes = isCut && isLegacyEncoding(encoding) ? trimPartialCharacter(read, encoding) : read
    if (bytes.length === 0) break
    const end = nextLine(bytes, encoding, 0)
    const line = end < 0 ? bytes : bytes.subarray(0, end - (encoding.startsWith('utf-16') ? 2 : 1))
    const skipped = skipCharacters(line, encoding, left)
    if ('bytes' in skipped) return at + skipped.bytes
    if (end >= 0) return at + line.length
    left -= skipped.characters
    at += bytes.length
  }
  return file.size
}

/** Detects the encoding from the first bytes of a file, which may end inside a character. */
function detectHeadEncoding(head: Buffer): DetectedEncoding | undefined {
  const paired = detectEncoding(head.subarray(0, head.length & ~1))
  return paired?.encoding.startsWith('utf-16') ? paired : detectEncoding(wholeLines(head))
}

/** Text that began as ASCII may turn out to be in another encoding; undefined for binary content. */
function detectWindowEncoding(
  window: Buffer,
  isCut: boolean,
  detected: DetectedEncoding
): DetectedEncoding | undefined {
  if (!detected.encoding.startsWith('utf-8') || window.length === 0) return detected
  const here = detectEncoding(isCut ? wholeLines(window) : window)
  return here?.encoding === 'utf-8' && !here.guessed ? detected : here
}

/** Leaves off the last line, which may end inside a character, unless it is the only one. */
function wholeLines(bytes: Buffer): Buffer {
  const newline = bytes.lastIndexOf(NEWLINE)
  return newline < 0 ? trimPartialCharacter(bytes, 'utf-8') : bytes.subarray(0, newline + 1)
}

const NEWLINE = 10

function decodeWindow(bytes: Buffer, from: number, encoding: Encoding): string {
  const text = decodeChunk(bytes, encoding).toWellFormed()
  return from === 0 ? text.replace(/^\ufeff/, '') : text
}

const withNotes = (notes: string[]) => (notes.length > 0 ? { notes } : {})
