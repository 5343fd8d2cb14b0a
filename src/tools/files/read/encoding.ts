// Requested encodings of file reads, and notes on those that were guessed.

import { parseEncoding } from '../../../host/files/parse-encoding.ts'
import type { DetectedEncoding, Encoding } from '../../../text/encoding.ts'
import type { ReadInput } from './schemas.ts'

/** Returns undefined if the encoding is to be detected; `utf-8` asks for text in whatever encoding. */
export function requestedEncoding(encoding: ReadInput['encoding']): Encoding | undefined {
  return encoding === undefined || encoding === 'utf-8' || encoding === 'base64' ? undefined : parseEncoding(encoding)
}

/** Returns notes on a guess, and on bytes that are shown as U+FFFD. */
export function encodingNotes({ encoding, guessed, text }: DetectedEncoding & { text: string }): string[] {
  const invalid = text.includes('\ufffd')
  if (encoding.startsWith('utf-8'))
    return guessed || invalid
      ? [
          'Bytes that are not valid UTF-8 are shown as \ufffd. Edits of other parts of the file do not change these bytes.'
        ]
      : []
  return [
    ...(guessed ? [`The encoding was guessed as ${encoding}. If the text looks wrong, set \`encoding\`.`] : []),
    ...(invalid ? [`Bytes that are not valid ${encoding} are shown as �.`] : [])
  ]
}
