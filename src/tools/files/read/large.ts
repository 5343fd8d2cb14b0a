// Reads lines of a file that is too large for memory: found by counting line feeds in its bytes, of which only a window is
// decoded.

import type { LineIndex } from '../../../host/files/line-index.ts'
import type { OpenFile } from '../../../host/files/open-file.ts'
import type { Host } from '../../../host/host.ts'
import { decodeChunk, skipCharacters, trimPartialCharacter } from '../../../text/chunk-decoding.ts'
import { detectEncoding, detectEol, type Encoding } from '../../../text/encoding.ts'
import { nextLine } from '../../../text/newlines.ts'
import { sliceLines } from '../../../text/slice-lines.ts'
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
  const encoding = detectHeadEncoding(head)
  if (!encoding) throw binaryFileError(input.path, head, file.size)
  const index = host.lines.get(file, encoding)
  const hash = file.size <= MAX_COUNTED_BYTES ? (await index.readTotals(file, signal)).hash : undefined
  const { offset, limit, column } = lineRange(input)
  const { start, first_line } = await findStart(offset, file, index, signal)
  const from = column > 1 ? await findColumnOffset(file, encoding, start, column - 1, signal) : start
  const window = await file.read(Buffer.allocUnsafeSlow(WINDOW), from, signal)
  const read = decodeWindow(
    from + window.length < file.size ? trimPartialCharacter(window, encoding) : window,
    from,
    encoding
  )
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
    ...(!hash && { notes: [`The file has ${file.size} bytes: over ${MAX_COUNTED_BYTES} no hash is made of it.`] })
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
    const bytes = await file.read(chunk, at, signal)
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
function detectHeadEncoding(head: Buffer): Encoding | undefined {
  const paired = detectEncoding(head.subarray(0, head.length & ~1))
  return paired?.startsWith('utf-16') ? paired : detectEncoding(trimPartialCharacter(head, 'utf-8'))
}

/** Text that began as ASCII may turn out to be Latin-1; anything else is binary. */
function decodeWindow(
  bytes: Buffer,
  from: number,
  encoding: Encoding
): { text: string; encoding: Encoding } | undefined {
  if (encoding === 'utf-8' || encoding === 'utf-8-bom') {
    const here = bytes.length === 0 ? 'utf-8' : detectEncoding(bytes)
    if (here === 'latin1') return { text: decodeChunk(bytes, 'latin1'), encoding: here }
    if (here !== 'utf-8' && here !== 'utf-8-bom') return undefined
  }
  const text = decodeChunk(bytes, encoding)
  return { text: from === 0 ? text.replace(/^\ufeff/, '') : text, encoding }
}
