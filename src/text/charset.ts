// Decodes text from the web: the encoding is determined by its byte order mark, by the headers, by its own declaration, or else
// guessed as it is for files.
import { isAscii, isUtf8 } from 'node:buffer'
import { decode } from './encoding.ts'

export interface DecodedText {
  text: string
  charset: string
  /** Nothing declares the encoding: it was guessed from the bytes. */
  isGuessed?: true
}

/** A declaration is near the beginning. Browsers look no further, but change the encoding if they meet one later. */
const CHARSET_SCAN_BYTES = 1_024
const LATE_CHARSET_SCAN_BYTES = 100_000
const MARKS: readonly [bytes: number[], charset: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be']
]
const CHARSET_DECLARATION =
  /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{1,40})|^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{1,40})/i

/** `headerCharset` is the charset of the header, if any. */
export function decodeWithCharset(bytes: Buffer, headerCharset: string | undefined): DecodedText {
  const marked = MARKS.find(([mark]) => mark.every((byte, i) => bytes[i] === byte))?.[1]
  const charset =
    marked ??
    normalizeCharset(headerCharset) ??
    findDeclaredCharset(bytes, CHARSET_SCAN_BYTES) ??
    undeclaredCharset(bytes)
  if (charset !== undefined) return { text: new TextDecoder(charset).decode(bytes), charset }
  const guess = decode(bytes)
  if (!guess) return { text: new TextDecoder(FALLBACK).decode(bytes), charset: FALLBACK }
  return { text: guess.text, charset: guess.encoding.replace('-no-bom', ''), isGuessed: true }
}

/** Encoding of what is no text by its bytes. */
const FALLBACK = 'windows-1252'

/** Bytes beyond ASCII that are valid UTF-8 are hardly anything else; a late declaration counts for other bytes. */
function undeclaredCharset(bytes: Buffer): string | undefined {
  const isValid = isUtf8(bytes)
  if (isValid && !isAscii(bytes)) return 'utf-8'
  return findDeclaredCharset(bytes, LATE_CHARSET_SCAN_BYTES) ?? (isValid ? 'utf-8' : undefined)
}

function findDeclaredCharset(bytes: Buffer, length: number): string | undefined {
  const [, meta, xml] = CHARSET_DECLARATION.exec(bytes.toString('latin1', 0, length)) ?? []
  const name = meta ?? xml
  // A declaration readable as ASCII cannot be in UTF-16.
  return name !== undefined && /^utf-?16/i.test(name) ? 'utf-8' : normalizeCharset(name)
}

/** Returns the encoding's canonical name; undefined for an unknown label. */
function normalizeCharset(label: string | undefined): string | undefined {
  if (label === undefined) return undefined
  try {
    return new TextDecoder(label.trim()).encoding
  } catch {
    return undefined
  }
}
