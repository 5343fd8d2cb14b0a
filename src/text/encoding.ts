// Decodes and encodes text, so that a changed file retains its encoding, byte order mark and line endings.
import { isAscii, isUtf8 } from 'node:buffer'
import { guessEncoding } from './guess-encoding.ts'
import { binaryKind, imageHeader } from './image-header.ts'
import {
  decodeLegacy,
  encodeLegacy,
  isLegacyEncoding,
  LEGACY_ENCODINGS,
  type LegacyEncoding
} from './legacy-encodings.ts'
import { decodeUtf8, encodeUtf8, isMostlyUtf8 } from './utf8.ts'
import { guessUtf16 } from './utf16.ts'

/** UTF-16 without a byte order mark has separate names, so that none is added or removed. */
const UNICODE_ENCODINGS = ['utf-8', 'utf-8-bom', 'utf-16le', 'utf-16be', 'utf-16le-no-bom', 'utf-16be-no-bom'] as const
export const ENCODINGS = [...UNICODE_ENCODINGS, ...LEGACY_ENCODINGS] as const
type UnicodeEncoding = (typeof UNICODE_ENCODINGS)[number]
export type Encoding = UnicodeEncoding | LegacyEncoding
export type Eol = 'lf' | 'crlf' | 'mixed'

export interface TextContent {
  text: string
  encoding: Encoding
  eol: Eol
  /** The encoding was guessed from the bytes: they are not valid UTF-8, and have no byte order mark. */
  guessed?: true
}

/** A text to be changed: bytes that are invalid in UTF-8 are lone surrogates in it, which encoding converts back. */
export interface EditableText extends TextContent {
  /** Encoding the text gives the same bytes. If not, the file cannot be changed without changing other parts of it. */
  exact: boolean
}

/** Detected encoding. */
export interface DetectedEncoding {
  encoding: Encoding
  guessed?: true
}

/** Number of bytes examined to distinguish text from binary, and the maximum share of unprintable ones. */
const SAMPLE = 8000
const UNPRINTABLE_SHARE = 0.3

/**
 * Decodes a text to be shown. Bytes that stand for no character become U+FFFD. Returns undefined for binary content.
 *
 * @param requested The encoding, if it is not to be detected; a byte order mark is stronger.
 */
export function decode(bytes: Buffer, requested?: Encoding): TextContent | undefined {
  const content = decodeReversibly(bytes, requested)
  return content?.text.isWellFormed() === false ? { ...content, text: toDisplayText(content.text) } : content
}

/** Decodes a text to be changed and encoded again. Returns undefined for binary content. */
export function decodeEditable(bytes: Buffer, requested?: Encoding): EditableText | undefined {
  const content = decodeReversibly(bytes, requested)
  if (!content) return undefined
  const { text, encoding } = content
  return { ...content, exact: !isLegacyEncoding(encoding) || encodeLegacy(text, encoding)?.equals(bytes) === true }
}

function decodeReversibly(bytes: Buffer, requested: Encoding | undefined): TextContent | undefined {
  const detected = requested ? resolveRequested(bytes, requested) : detectEncoding(bytes)
  if (!detected) return undefined
  const { encoding } = detected
  const text = isLegacyEncoding(encoding) ? decodeLegacy(bytes, encoding) : READERS[encoding](bytes)
  return { text, ...detected, eol: detectEol(text) }
}

/** Replaces the characters that stand for invalid bytes, each by one U+FFFD. */
export const toDisplayText = (text: string): string => text.toWellFormed()

/** Encodes a text; returns undefined if the encoding lacks some of its characters. */
export const encode = (text: string, encoding: Encoding): Buffer | undefined =>
  isLegacyEncoding(encoding) ? encodeLegacy(text, encoding) : WRITERS[encoding](text)

/** Describes the first character of a text that the encoding lacks. */
export function describeUnencodable(text: string, encoding: Encoding): string {
  for (const character of new Set(text)) {
    if (encode(character, encoding)) continue
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
    return `${JSON.stringify(character)} (U+${code})`
  }
  return 'characters'
}

/** Detects `crlf` and `mixed` line endings; `lf` also if there are none. */
export function detectEol(text: string): Eol {
  const first = text.indexOf('\r\n')
  if (first < 0) return 'lf'
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (text.charCodeAt(at - 1) !== CR) return 'mixed'
  }
  return 'crlf'
}

/** Converts new text to the file's line endings; those of a mixed file are undetermined. */
export function withEol(text: string, eol: Eol): string {
  return eol === 'crlf' ? text.replace(/(?<!\r)\n/g, '\r\n') : text
}

const CR = 13

/** Detects the encoding; undefined for binary content. Valid UTF-8, and what has a byte order mark, is never guessed. */
export function detectEncoding(bytes: Buffer): DetectedEncoding | undefined {
  if (startsWith(bytes, BOM.utf32le)) return undefined
  if (startsWith(bytes, BOM.utf16le)) return bytes.length % 2 === 0 ? { encoding: 'utf-16le' } : undefined
  if (startsWith(bytes, BOM.utf16be)) return bytes.length % 2 === 0 ? { encoding: 'utf-16be' } : undefined
  if (bytes.subarray(0, SAMPLE).includes(0)) return isKnownBinary(bytes) ? undefined : asGuess(guessUtf16(bytes))
  if (!isMostlyPrintable(bytes)) return undefined
  const marked = startsWith(bytes, BOM.utf8)
  if (isAscii(bytes) || isUtf8(bytes)) return { encoding: marked ? 'utf-8-bom' : 'utf-8' }
  if (hasUnusualControl(bytes) || isKnownBinary(bytes)) return undefined
  if (marked) return { encoding: 'utf-8-bom' }
  return asGuess(isMostlyUtf8(bytes) ? 'utf-8' : guessEncoding(bytes))
}

const asGuess = (encoding: Encoding | undefined): DetectedEncoding | undefined =>
  encoding && { encoding, guessed: true }

/** Applies a requested encoding to a file that may have a byte order mark. */
export function resolveRequested(bytes: Buffer, requested: Encoding): DetectedEncoding | undefined {
  if (startsWith(bytes, BOM.utf32le)) return undefined
  const mark = MARKED.find(encoding => startsWith(bytes, MARKS[encoding]))
  const encoding = mark ?? WITHOUT_MARK[requested] ?? requested
  if (encoding.startsWith('utf-16')) return bytes.length % 2 === 0 ? { encoding } : undefined
  return bytes.subarray(0, SAMPLE).includes(0) ? undefined : { encoding }
}

const BOM = { utf8: [0xef, 0xbb, 0xbf], utf16le: [0xff, 0xfe], utf16be: [0xfe, 0xff], utf32le: [0xff, 0xfe, 0, 0] }
const MARKED = ['utf-8-bom', 'utf-16le', 'utf-16be'] as const
const MARKS = { 'utf-8-bom': BOM.utf8, 'utf-16le': BOM.utf16le, 'utf-16be': BOM.utf16be }
const WITHOUT_MARK: Partial<Record<Encoding, Encoding>> = {
  'utf-8-bom': 'utf-8',
  'utf-16le': 'utf-16le-no-bom',
  'utf-16be': 'utf-16be-no-bom'
}

const READERS: Record<UnicodeEncoding, (bytes: Buffer) => string> = {
  'utf-8': decodeUtf8,
  'utf-8-bom': bytes => decodeUtf8(bytes.subarray(BOM.utf8.length)),
  'utf-16le': bytes => bytes.toString('utf16le', BOM.utf16le.length),
  'utf-16be': bytes => Buffer.from(bytes.subarray(BOM.utf16be.length)).swap16().toString('utf16le'),
  'utf-16le-no-bom': bytes => bytes.toString('utf16le'),
  'utf-16be-no-bom': bytes => Buffer.from(bytes).swap16().toString('utf16le')
}

const WRITERS: Record<UnicodeEncoding, (text: string) => Buffer> = {
  'utf-8': encodeUtf8,
  'utf-8-bom': text => Buffer.concat([Buffer.from(BOM.utf8), encodeUtf8(text)]),
  'utf-16le': text => Buffer.concat([Buffer.from(BOM.utf16le), Buffer.from(text, 'utf16le')]),
  'utf-16be': text => Buffer.concat([Buffer.from(BOM.utf16be), Buffer.from(text, 'utf16le').swap16()]),
  'utf-16le-no-bom': text => Buffer.from(text, 'utf16le'),
  'utf-16be-no-bom': text => Buffer.from(text, 'utf16le').swap16()
}

function startsWith(bytes: Buffer, mark: readonly number[]) {
  return bytes.length >= mark.length && mark.every((byte, i) => bytes[i] === byte)
}

const isKnownBinary = (bytes: Buffer) =>
  binaryKind(bytes) !== undefined || imageHeader(bytes, bytes.length) !== undefined

function isMostlyPrintable(bytes: Buffer) {
  const end = Math.min(bytes.length, SAMPLE)
  let unprintable = 0
  for (let i = 0; i < end; i++) if (bytes[i]! < 32 && !isUsualControl(bytes[i]!)) unprintable++
  return unprintable <= end * UNPRINTABLE_SHARE
}

/** Backspace, tab, line feed, form feed, carriage return, escape. */
const isUsualControl = (byte: number) => (byte >= 8 && byte <= 13 && byte !== 11) || byte === 27

function hasUnusualControl(bytes: Buffer) {
  for (const byte of bytes) if (byte === 127 || (byte < 32 && !isUsualControl(byte))) return true
  return false
}
