// Errors of changes to files whose text cannot be written back.
import { invalidParam, ToolError } from '../../errors.ts'
import type { DetectedEncoding, Encoding } from '../../text/encoding.ts'
import type { UncertainBytes } from '../../text/replaced-bytes.ts'

/** Says how to write a character that an encoding lacks. */
export const REENCODE_HINT =
  'Write it otherwise, such as by an escape, or write the whole file with encoding utf-8, which changes its encoding.'

/** An uncertain encoding may be named; zero bytes are in no text but UTF-16. */
export const encodingHint = (bytes: Buffer): string => (bytes.includes(0) ? '' : ' If it is, name its encoding.')

/** Returns a sentence on a text that was not found in a file whose encoding is guessed: only other characters than ASCII depend on it. */
export const wrongGuessHint = ({ encoding, guessed }: DetectedEncoding, wanted: string): string =>
  guessed && !/^[\0-\x7f]*$/.test(wanted)
    ? ` The encoding of the file, ${encoding}, is guessed: if it is another one, name it with encoding.`
    : ''

/** Says why bytes that are shown as U+FFFD cannot be kept, and what to do. */
export const describeUncertain = ({ replaced, given }: UncertainBytes): string =>
  `has "\ufffd", which stands for bytes that are not in the file's encoding, ${given} ${given === 1 ? 'time' : 'times'}, and the text that is ` +
  `replaced has ${replaced}: which bytes are meant is uncertain. Have as many in the same order, which keeps them, or none, or replace less of the text.`

export const nonTextError = (path: string, bytes: Buffer): ToolError =>
  new ToolError('BINARY_FILE', `${path} is not text.${encodingHint(bytes)}`, { path })

/** Refuses an encoding that the bytes of the file rule out. */
export const otherEncodingError = (path: string, encoding: Encoding): ToolError =>
  invalidParam('encoding', `is not that of ${path}, which is in ${encoding}: leave it out.`)

export const inexactTextError = (path: string, encoding: Encoding): ToolError =>
  new ToolError(
    'BINARY_FILE',
    `${path} has bytes that are no ${encoding}, or that ${encoding} would write otherwise: a change would alter them, too. ` +
      'Nothing was changed. Name its encoding if it is another one.',
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
      `is needed: ${path} has bytes that are not valid UTF-8, and the new text has ${JSON.stringify(added)}. Name the file's encoding, ` +
        'such as shift_jis or windows-1252, or utf-8 if the file is in UTF-8 but for some damaged bytes.'
    )
}

interface TextChange {
  removed: string
  added: string
}
