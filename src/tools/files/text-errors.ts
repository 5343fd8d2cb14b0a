// Errors of changes to files whose text cannot be written back.
import { invalidParam, ToolError } from '../../errors.ts'
import type { DetectedEncoding, Encoding } from '../../text/encoding.ts'
import type { UncertainBytes } from '../../text/replaced-bytes.ts'

/** Says how to write a character that an encoding lacks. */
export const REENCODE_HINT =
  'Use an escape sequence, or write the whole file with `encoding` utf-8, which changes the encoding of the file.'

/** An uncertain encoding may be named; zero bytes are in no text but UTF-16. */
export const encodingHint = (bytes: Buffer): string =>
  bytes.includes(0) ? '' : ' If the file is text, set `encoding`.'

/** Returns a sentence on a text that was not found in a file whose encoding is guessed: only other characters than ASCII depend on it. */
export const wrongGuessHint = ({ encoding, guessed }: DetectedEncoding, wanted: string): string =>
  guessed && !/^[\0-\x7f]*$/.test(wanted)
    ? ` The encoding of the file was guessed as ${encoding}. If the guess is wrong, set \`encoding\`.`
    : ''

/** Says why bytes that are shown as U+FFFD cannot be kept, and what to do. */
export const describeUncertain = ({ replaced, given }: UncertainBytes): string =>
  `has "�", which represents bytes that are invalid in the file's encoding, ${given} ${given === 1 ? 'time' : 'times'}, and the replaced text has ${replaced}: it is ambiguous which bytes are meant. To keep the bytes, use "�" as often as the replaced text, in the same order. Or omit all "�", or replace less text.`

export const nonTextError = (path: string, bytes: Buffer): ToolError =>
  new ToolError('BINARY_FILE', `${path} is not a text file.${encodingHint(bytes)}`, { path })

/** Refuses an encoding that the bytes of the file rule out. */
export const otherEncodingError = (path: string, encoding: Encoding): ToolError =>
  invalidParam('encoding', `is not the encoding of ${path}, which is ${encoding}: omit \`encoding\`.`)

export const inexactTextError = (path: string, encoding: Encoding): ToolError =>
  new ToolError(
    'BINARY_FILE',
    `${path} has bytes that are not valid ${encoding}, or that ${encoding} would encode differently. An edit would alter these bytes, so nothing was changed. If the encoding is wrong, set \`encoding\`.`,
    { path, encoding }
  )

/**
 * Refuses to put a character that is not ASCII into text that is no valid UTF-8 and that no other encoding was found for: written in
 * UTF-8, the file would be in two encodings. The characters of the text that is replaced may stay.
 */
export function assertCertainEncoding(path: string, { encoding, guessed }: DetectedEncoding, change: TextChange): void {
  if (!guessed || encoding !== 'utf-8') return
  const known = new Set(change.removed)
  const added = [...change.added].find(
    character => character > '\x7f' && character !== '\ufffd' && !known.has(character)
  )
  if (added !== undefined)
    throw invalidParam(
      'encoding',
      `is required: ${path} has bytes that are not valid UTF-8, and the new text has ${JSON.stringify(added)}. Set the file's encoding, such as shift_jis or windows-1252, or utf-8 if only some bytes are damaged.`
    )
}

interface TextChange {
  removed: string
  added: string
}
