// Reads lines of a text that fits in memory.
import { hashBytes } from '../../../host/files/content-source.ts'
import type { OpenFile } from '../../../host/files/open-file.ts'
import { decode } from '../../../text/encoding.ts'
import { countLines, sliceLines, startOfLine } from '../../../text/slice-lines.ts'
import type { Presented } from '../../../tool/result.ts'
import { encodingNotes, requestedEncoding } from './encoding.ts'
import { ANSWER_BUDGET, binaryFileError, fileFacts, type ReadInput, type ReadOutput } from './schemas.ts'

const DEFAULT_LIMIT = 2000
/** Longer lines are truncated when shown with line numbers. */
const MAX_LINE_CHARACTERS = 2000

/** The requested lines: the first counted from 1, or from the end if negative. */
export const lineRange = ({ offset = 1, limit = DEFAULT_LIMIT, column = 1 }: ReadInput) => ({ offset, limit, column })

export function readText(input: ReadInput, file: Pick<OpenFile, 'size' | 'modified'>, bytes: Buffer): ReadOutput {
  const decoded = decode(bytes, requestedEncoding(input.encoding))
  if (!decoded) throw binaryFileError(input.path, bytes, file.size)
  const { text, encoding, eol } = decoded
  const notes = encodingNotes(decoded)
  const { offset, limit, column } = lineRange(input)
  const total = countLines(text)
  const first = offset < 0 ? Math.max(1, total + 1 + offset) : offset
  const start = startOfLine(text, first)
  const piece = sliceLines(text, start + measureCharacters(text, start, column - 1), limit, ANSWER_BUDGET)
  return {
    content: piece.content,
    ...fileFacts(file, bytes, hashBytes(bytes)),
    lines: piece.lines,
    ...(offset < 0 && { first_line: first }),
    total_lines: total,
    encoding,
    eol,
    ...(piece.cut && { truncated: true }),
    ...(notes.length > 0 && { notes })
  }
}

export function presentText(output: ReadOutput, input: ReadInput): Presented {
  const { hash, total_lines, encoding, eol, truncated, content, lines, notes = [] } = output
  const shown = lines === 0 ? emptyNote(total_lines ?? 0) : numberLines(output, input)
  return {
    title: input.path,
    content:
      [...notes.map(note => `(${note})`), shown].join('\n') + (content === '' ? '' : continuationNote(output, input)),
    metadata: { hash, total_lines, encoding, eol },
    ...(truncated && { truncated })
  }
}

/** Returns the length of the first `count` characters of the line at `start`; of all if it has fewer. */
function measureCharacters(text: string, start: number, count: number): number {
  let at = start
  for (let i = 0; i < count && at < text.length && text[at] !== '\n'; i++) at += text.codePointAt(at)! > 0xffff ? 2 : 1
  return at - start
}

function numberLines(output: ReadOutput, input: ReadInput) {
  const { content } = output
  const parts: string[] = []
  for (let start = 0, line = firstLine(output, input); start < content.length; line++) {
    const newline = content.indexOf('\n', start)
    const next = newline < 0 ? content.length : newline + 1
    let end = newline < 0 ? next : newline
    if (content[end - 1] === '\r') end--
    const whole = end - start <= MAX_LINE_CHARACTERS || (start === 0 && showsWholeLine(output, input))
    const text = whole
      ? content.slice(start, end)
      : `${content.slice(start, start + MAX_LINE_CHARACTERS)}… (${end - start} characters)`
    parts.push(`${String(line).padStart(6)}\t${text}`)
    start = next
  }
  return parts.join('\n')
}

const firstLine = ({ first_line }: ReadOutput, { offset = 1 }: ReadInput) => first_line ?? offset

const emptyNote = (total: number) => (total === 0 ? '(The file is empty.)' : `(The file has only ${total} lines.)`)

/** Lines are shown in full for a request with a column, which is for a long line, and if one line fills the answer. */
const showsWholeLine = (output: ReadOutput, { column }: ReadInput) => column !== undefined || endsMidLine(output)

const endsMidLine = ({ truncated, lines, content }: ReadOutput) => truncated && lines === 1 && !content.endsWith('\n')

function continuationNote(output: ReadOutput, input: ReadInput) {
  const { content, lines, total_lines, size } = output
  const first = firstLine(output, input)
  const next = first + lines
  if (endsMidLine(output)) {
    const column = (input.column ?? 1) + [...content].length
    return `\n(Line ${first} continues: read it with offset ${first} and column ${column}. The next line is ${next}.)`
  }
  const long = hasCutLine(content, input.column !== undefined)
    ? `\n(Long lines are shortened: use offset and column to read the rest.)`
    : ''
  if (next === 0 || (total_lines !== undefined && next > total_lines)) return long
  const total = total_lines === undefined ? ` of a file with ${size} bytes` : ` of ${total_lines}`
  return `${long}\n(Lines ${first} to ${next - 1}${total}. Continue with offset ${next}.)`
}

/** Checks if a line of the content, or of all but the first, is shown only in part. */
function hasCutLine(content: string, butFirst: boolean) {
  for (let start = butFirst ? endOfLine(content, 0) + 1 : 0; start < content.length; ) {
    const end = endOfLine(content, start)
    if (end - start > MAX_LINE_CHARACTERS + 1) return true
    start = end + 1
  }
  return false
}

function endOfLine(text: string, from: number) {
  const newline = text.indexOf('\n', from)
  return newline < 0 ? text.length : newline
}
