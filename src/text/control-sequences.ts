// What a program wrote to a terminal, as plain text.
import { stripVTControlCharacters } from 'node:util'

const ESCAPE = '\u001b'
const BELL = '\u0007'
/** No sequence that means anything is longer. */
const MAX_SEQUENCE_LENGTH = 256

/** The text without what steers a terminal. A sequence cut off at its end is held back, as so many bytes, unless no more
 * will come. */
export function stripControlSequences(text: string, ended: boolean): { text: string; held_bytes: number } {
  const end = ended ? text.length : text.length - incompleteTailLength(text)
  return {
    text: stripVTControlCharacters(text.slice(0, end)).replaceAll(/\r+\n/g, '\n'),
    held_bytes: Buffer.byteLength(text.slice(end))
  }
}

/** How many characters at the end belong to a sequence that is not complete. */
function incompleteTailLength(text: string): number {
  const last = text.lastIndexOf(ESCAPE)
  // The end of a title or a link is a sequence of its own.
  const before = last === text.length - 1 ? text.lastIndexOf(ESCAPE, last - 1) : -1
  const at = before >= 0 && isIncompleteSequence(text.slice(before + 1, last)) ? before : last
  const length = text.length - at
  return at >= 0 && length <= MAX_SEQUENCE_LENGTH && isIncompleteSequence(text.slice(last + 1)) ? length : 0
}

/** Whether more must come of a sequence that goes on so after its escape. */
const isIncompleteSequence = (rest: string) =>
  /^(?:\[[0-?]*[ -/]*|[ -/]*)$/.test(rest) || (/^[\]PX^_]/.test(rest) && !rest.includes(BELL))
