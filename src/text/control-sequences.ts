// Strips terminal control sequences.
import { stripVTControlCharacters } from 'node:util'

const ESCAPE = '\u001b'
const BELL = '\u0007'
/** Maximum length of a meaningful sequence. */
const MAX_SEQUENCE_LENGTH = 256

/**
 * Returns the text without control sequences. An incomplete sequence at its end is held back, and its size returned in bytes,
 * unless the text has ended.
 */
export function stripControlSequences(text: string, ended: boolean): { text: string; held_bytes: number } {
  const end = ended ? text.length : text.length - incompleteTailLength(text)
  return {
    text: stripVTControlCharacters(text.slice(0, end)).replaceAll(/\r+\n/g, '\n'),
    held_bytes: Buffer.byteLength(text.slice(end))
  }
}

/** Returns the number of trailing characters of an incomplete sequence. */
function incompleteTailLength(text: string): number {
  const last = text.lastIndexOf(ESCAPE)
  // The terminator of a title or a link is a separate sequence.
  const before = last === text.length - 1 ? text.lastIndexOf(ESCAPE, last - 1) : -1
  const at = before >= 0 && isIncompleteSequence(text.slice(before + 1, last)) ? before : last
  const length = text.length - at
  return at >= 0 && length <= MAX_SEQUENCE_LENGTH && isIncompleteSequence(text.slice(last + 1)) ? length : 0
}

/** Checks if a sequence is incomplete, given the text after its escape. */
const isIncompleteSequence = (rest: string) =>
  /^(?:\[[0-?]*[ -/]*|[ -/]*)$/.test(rest) || (/^[\]PX^_]/.test(rest) && !rest.includes(BELL))
