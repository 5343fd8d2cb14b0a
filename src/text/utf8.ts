// UTF-8 in which some bytes are invalid, decoded without loss: each such byte becomes a lone surrogate, U+DC80 to U+DCFF, as
// Python's error handler `surrogateescape` does. Valid text contains no surrogates, so encoding is unambiguous.
import { isUtf8 } from 'node:buffer'

const ESCAPE_BASE = 0xdc00

export function decodeUtf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  const parts: string[] = []
  let start = 0
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at]! < 0x80 ? 1 : sequenceLength(bytes, at)
    if (length > 0) {
      at += length
      continue
    }
    parts.push(bytes.toString('utf8', start, at), String.fromCharCode(ESCAPE_BASE + bytes[at]!))
    start = ++at
  }
  parts.push(bytes.toString('utf8', start))
  return parts.join('')
}

export function encodeUtf8(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text)
  return Buffer.concat(
    text
      .split(ESCAPED)
      .map((part, i) => (i % 2 === 0 ? Buffer.from(part) : Buffer.of(part.charCodeAt(0) - ESCAPE_BASE)))
  )
}

/** Invalid bytes, each of which decoding has made a lone surrogate. */
const ESCAPED = /((?<![\ud800-\udbff])[\udc80-\udcff])/

/** Checks if invalid bytes are few beside the valid characters that are not ASCII: then the text is in UTF-8, but damaged. */
export function isMostlyUtf8(bytes: Buffer): boolean {
  let [valid, invalid] = [0, 0]
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at]! < 0x80 ? 1 : sequenceLength(bytes, at)
    if (length > 1) valid++
    // The bytes of a damaged sequence count as one.
    if (length === 0 && !(isContinuation(bytes[at]) && bytes[at - 1]! >= 0x80 && sequenceLength(bytes, at - 1) === 0))
      invalid++
    at += Math.max(length, 1)
  }
  return valid > 0 && (invalid === 1 || valid >= 2 * invalid)
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

/** Returns the length of the character at an offset that is not ASCII; 0 if the byte is invalid. */
function sequenceLength(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0
  return length > 0 && isUtf8(bytes.subarray(at, at + length)) ? length : 0
}
