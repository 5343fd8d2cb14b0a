// The text of a file for a diff that is shown or applied as UTF-8.
import { decode } from '../encoding.ts'
import { findHiddenAscii } from '../hidden-ascii.ts'

/** Decodes a file for a diff. Returns undefined for content that a diff cannot show. */
export function decodeForDiff(bytes: Buffer): string | undefined {
  const text = decode(bytes)
  if (!text || text.encoding.startsWith('utf-16')) return undefined
  return text.encoding === 'utf-8-bom' ? `\ufeff${text.text}` : text.text
}

/** Returns true if programs may read other characters in the new content than a diff of the texts would show. */
export function hidesAsciiInDiff(was: Buffer | undefined, now: Buffer | undefined): boolean {
  const [before, after] = [was, now].map(bytes => bytes && decode(bytes))
  return after !== undefined && findHiddenAscii(before, after) !== undefined
}
