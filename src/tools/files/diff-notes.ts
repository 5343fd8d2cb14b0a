// Notes on a preview of what its diff does not show.
import { isAscii } from 'node:buffer'
import { decodeEditable, type Encoding, type TextContent } from '../../text/encoding.ts'
import { binaryKind, imageHeader } from '../../text/image-header.ts'
import type { OtherReading } from '../../text/named-encoding.ts'

/** The caller sees the preview of its call before permission to read the file is granted. */
export const WITHHELD_NOTE = 'Reading the file requires approval: its current content is not shown.'

/** A diff shows no bytes, so a change of the encoding is noted, and that it was guessed. */
export function encodingChangeNotes(
  old: TextContent | undefined,
  now: TextContent | undefined,
  bytes: Buffer
): string[] {
  if (!now || (isAscii(bytes) && bytes.toString('latin1') === now.text)) return []
  if (!old) return writtenEncodingNotes(now.encoding)
  if (old.encoding !== now.encoding)
    return [`The encoding of the file changes from ${old.encoding} to ${now.encoding}.`]
  return old.guessed && old.encoding !== 'utf-8' ? [guessNote(old.encoding)] : writtenEncodingNotes(now.encoding)
}

/** A diff shows no bytes, so an encoding other than UTF-8 is noted. */
export const writtenEncodingNotes = (encoding: Encoding): string[] =>
  encoding.startsWith('utf-8') ? [] : [`The file is written in ${encoding}.`]

/** Returns a sentence on a file whose bytes look like another encoding than the named one. */
export const describeOtherReading = (named: Encoding, { encoding }: OtherReading): string =>
  `The call says that the encoding is ${named}, but the file looks like ${encoding ?? 'binary data'}: other programs may read another text than the diff shows.`

/** Returns why new content that is no text needs strict approval; undefined for a binary format. Shells ignore NUL in a script. */
export const unshownReason = (bytes: Buffer): string | undefined =>
  binaryKind(bytes) !== undefined || imageHeader(bytes, bytes.length) !== undefined
    ? undefined
    : 'The new content is neither text nor a known binary format. It cannot be shown here, and programs may execute it.'

/** A diff shows invalid bytes and U+FFFD alike, so it is noted if the one is overwritten by the other. */
export function lostBytesNotes(was: Buffer | undefined, content: string): string[] {
  const isLoss = was && content.includes('\ufffd') && decodeEditable(was)?.text.isWellFormed() === false
  return isLoss ? [LOST_BYTES_NOTE] : []
}

const LOST_BYTES_NOTE =
  'The file has bytes that are invalid in its encoding. The new content replaces them with the character "�", so these bytes are lost. To keep them, use edit_file.'

/** Notes that the encoding of a changed file was guessed, or that some of its bytes are invalid. */
export const guessNote = (encoding: Encoding): string =>
  encoding === 'utf-8'
    ? 'The file has bytes that are not valid UTF-8. Such bytes outside the replaced text stay unchanged.'
    : `The encoding of the file was guessed as ${encoding}. The change does not change the encoding.`
