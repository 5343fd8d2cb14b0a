// Spells names of files as text without loss. A name is bytes, and not always UTF-8: a byte that is not part of a character is spelled
// `\xe9`. A backslash in a name that could be taken for the beginning of such a spelling is spelled `\x5c`, so that no two names
// have one spelling.
import { isUtf8 } from 'node:buffer'

/** A byte that is not ASCII, or a backslash. */
const SPELLED_BYTE = /\\x([89a-f][0-9a-f]|5c)/g
const MAY_BE_SPELLED = '\\x'
const MAX_CHARACTER_BYTES = 4
const FIRST_NON_ASCII = 0x80

/** Spells a name or a path. */
export function spellBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return spellBackslashes(bytes.toString())
  let spelled = ''
  let text = 0
  for (let at = 0; at < bytes.length; ) {
    const length = characterLengthAt(bytes, at)
    if (length === 0) {
      const byte = bytes[at]!.toString(16)
      spelled += `${spellBackslashes(bytes.toString('utf8', text, at))}\\x${byte}`
      text = at + 1
    }
    at += Math.max(1, length)
  }
  return spelled + spellBackslashes(bytes.toString('utf8', text))
}

/**
 * Returns the path as the system takes it: the bytes that are spelled in it, or else the text itself. What is not the spelling of any
 * name is a text, so that a name has no second spelling.
 */
export function toSystemPath(path: string): string | Buffer {
  if (!path.includes(MAY_BE_SPELLED) || path.search(SPELLED_BYTE) < 0) return path
  const bytes = decodeBytes(path)
  return spellBytes(bytes) === path ? bytes : path
}

/** Returns the length of a path in bytes. */
export const pathByteLength = (path: string): number => Buffer.byteLength(toSystemPath(path))

function decodeBytes(path: string): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (const match of path.matchAll(SPELLED_BYTE)) {
    parts.push(Buffer.from(path.slice(at, match.index)), Buffer.from(match[1]!, 'hex'))
    at = match.index + match[0].length
  }
  return Buffer.concat([...parts, Buffer.from(path.slice(at))])
}

const spellBackslashes = (text: string) => (text.includes(MAY_BE_SPELLED) ? text.replace(AMBIGUOUS, '\\x5c') : text)
const AMBIGUOUS = /\\(?=x(?:[89a-f][0-9a-f]|5c))/g

/** Returns the number of bytes of the character at a position; 0 if there is none. */
function characterLengthAt(bytes: Buffer, at: number): number {
  if (bytes[at]! < FIRST_NON_ASCII) return 1
  for (let length = 2; length <= MAX_CHARACTER_BYTES && at + length <= bytes.length; length++)
    if (isUtf8(bytes.subarray(at, at + length))) return length
  return 0
}
