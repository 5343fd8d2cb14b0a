// Decodes text from the web: the encoding is determined by its byte order mark, by the headers, by its own declaration, or else
// by heuristics.
import { isUtf8 } from 'node:buffer'

export interface DecodedText {
  text: string
  charset: string
}

/** A declaration is near the beginning. */
const CHARSET_SCAN_BYTES = 1_024
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
    normalizeCharset(findDeclaredCharset(bytes)) ??
    (isUtf8(bytes) ? 'utf-8' : 'windows-1252')
  return { text: new TextDecoder(charset).decode(bytes), charset }
}

function findDeclaredCharset(bytes: Buffer): string | undefined {
  const [, meta, xml] = CHARSET_DECLARATION.exec(bytes.toString('latin1', 0, CHARSET_SCAN_BYTES)) ?? []
  const name = meta ?? xml
  // A declaration readable as ASCII cannot be in UTF-16.
  return name !== undefined && /^utf-?16/i.test(name) ? 'utf-8' : name
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
