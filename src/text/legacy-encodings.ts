// Encodings other than Unicode: their names, their coding by iconv-lite, and the length of their characters.
import iconv from 'iconv-lite'

/** Names as in the WHATWG Encoding Standard, where it has them. */
export const LEGACY_ENCODINGS = [
  'latin1',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'windows-874',
  'iso-8859-2',
  'iso-8859-3',
  'iso-8859-4',
  'iso-8859-5',
  'iso-8859-6',
  'iso-8859-7',
  'iso-8859-8',
  'iso-8859-9',
  'iso-8859-13',
  'iso-8859-15',
  'iso-8859-16',
  'koi8-r',
  'koi8-u',
  'ibm437',
  'ibm850',
  'ibm852',
  'ibm866',
  'macintosh',
  'shift_jis',
  'euc-jp',
  'gb18030',
  'big5',
  'euc-kr'
] as const
export type LegacyEncoding = (typeof LEGACY_ENCODINGS)[number]

const NAMES: ReadonlySet<string> = new Set(LEGACY_ENCODINGS)

export const isLegacyEncoding = (encoding: string): encoding is LegacyEncoding => NAMES.has(encoding)

/** Decodes bytes; those that stand for no character become U+FFFD. */
export const decodeLegacy = (bytes: Buffer, encoding: LegacyEncoding): string =>
  encoding === 'latin1' ? bytes.toString('latin1') : iconv.decode(bytes, encoding, { stripBOM: false })

/** Returns undefined if the encoding lacks a character of the text. */
export function encodeLegacy(text: string, encoding: LegacyEncoding): Buffer | undefined {
  if (encoding === 'latin1') return /^[\0-\xff]*$/.test(text) ? Buffer.from(text, 'latin1') : undefined
  const bytes = iconv.encode(text, encoding)
  return decodeLegacy(bytes, encoding) === text ? bytes : undefined
}

/** Returns the number of bytes of the character at an offset, by its first bytes. It may exceed the bytes that are there. */
export const characterLength = (bytes: Buffer, at: number, encoding: LegacyEncoding): number =>
  bytes[at]! < 0x80 ? 1 : (MULTIBYTE[encoding]?.(bytes, at) ?? 1)

/** Returns the bytes of whole characters, without one at the end that is cut. The first byte begins a character. */
export function trimPartialLegacy(bytes: Buffer, encoding: LegacyEncoding): Buffer {
  if (!MULTIBYTE[encoding]) return bytes
  let at = 0
  for (let next = 0; next <= bytes.length; ) {
    at = next
    if (at === bytes.length) break
    next += characterLength(bytes, at, encoding)
  }
  return bytes.subarray(0, at)
}

const MULTIBYTE: Partial<Record<LegacyEncoding, (bytes: Buffer, at: number) => number>> = {
  shift_jis: (bytes, at) => (bytes[at]! <= 0xa0 || bytes[at]! >= 0xe0 ? 2 : 1),
  'euc-jp': (bytes, at) => (bytes[at] === 0x8f ? 3 : 2),
  gb18030: (bytes, at) => (isDigit(bytes[at + 1]) ? 4 : 2),
  big5: () => 2,
  'euc-kr': () => 2
}

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39
