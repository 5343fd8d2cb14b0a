// Decodes and encodes text, so that a changed file retains its encoding, byte order mark and line endings.
import { isAscii, isUtf8 } from 'node:buffer'

export type Encoding = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'utf-16be' | 'latin1'
export type Eol = 'lf' | 'crlf' | 'mixed'

export interface TextContent {
  text: string
  encoding: Encoding
  eol: Eol
}

/** Number of bytes examined to distinguish text from binary, and the maximum share of unprintable ones. */
const SAMPLE = 8000
const UNPRINTABLE_SHARE = 0.3

/** Returns undefined for binary content, or if the encoding is uncertain. */
export function decode(bytes: Buffer): TextContent | undefined {
  const encoding = detectEncoding(bytes)
  if (!encoding) return undefined
  const text = READERS[encoding](bytes)
  return { text, encoding, eol: detectEol(text) }
}

/** Encodes a text; returns undefined if the encoding lacks some of its characters. */
export function encode(text: string, encoding: Encoding): Buffer | undefined {
  return WRITERS[encoding](text)
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

export function detectEncoding(bytes: Buffer): Encoding | undefined {
  if (startsWith(bytes, BOM.utf32le)) return undefined
  if (startsWith(bytes, BOM.utf16le)) return bytes.length % 2 === 0 ? 'utf-16le' : undefined
  if (startsWith(bytes, BOM.utf16be)) return bytes.length % 2 === 0 ? 'utf-16be' : undefined
  if (bytes.subarray(0, SAMPLE).includes(0) || !isMostlyPrintable(bytes)) return undefined
  if (startsWith(bytes, BOM.utf8)) return isUtf8(bytes) ? 'utf-8-bom' : undefined
  if (isAscii(bytes) || isUtf8(bytes)) return 'utf-8'
  return isCertainlyLatin1(bytes) ? 'latin1' : undefined
}

const BOM = { utf8: [0xef, 0xbb, 0xbf], utf16le: [0xff, 0xfe], utf16be: [0xfe, 0xff], utf32le: [0xff, 0xfe, 0, 0] }

const READERS: Record<Encoding, (bytes: Buffer) => string> = {
  'utf-8': bytes => bytes.toString('utf8'),
  'utf-8-bom': bytes => bytes.toString('utf8', BOM.utf8.length),
  'utf-16le': bytes => bytes.toString('utf16le', BOM.utf16le.length),
  'utf-16be': bytes => Buffer.from(bytes.subarray(BOM.utf16be.length)).swap16().toString('utf16le'),
  latin1: bytes => bytes.toString('latin1')
}

const WRITERS: Record<Encoding, (text: string) => Buffer | undefined> = {
  'utf-8': text => Buffer.from(text),
  'utf-8-bom': text => Buffer.concat([Buffer.from(BOM.utf8), Buffer.from(text)]),
  'utf-16le': text => Buffer.concat([Buffer.from(BOM.utf16le), Buffer.from(text, 'utf16le')]),
  'utf-16be': text => Buffer.concat([Buffer.from(BOM.utf16be), Buffer.from(text, 'utf16le').swap16()]),
  latin1: text => (/^[\0-\xff]*$/.test(text) ? Buffer.from(text, 'latin1') : undefined)
}

function startsWith(bytes: Buffer, mark: readonly number[]) {
  return bytes.length >= mark.length && mark.every((byte, i) => bytes[i] === byte)
}

function isMostlyPrintable(bytes: Buffer) {
  const end = Math.min(bytes.length, SAMPLE)
  let unprintable = 0
  for (let i = 0; i < end; i++) if (bytes[i]! < 32 && !isUsualControl(bytes[i]!)) unprintable++
  return unprintable <= end * UNPRINTABLE_SHARE
}

/** Backspace, tab, line feed, form feed, carriage return, escape. */
const isUsualControl = (byte: number) => (byte >= 8 && byte <= 13 && byte !== 11) || byte === 27

// Latin-1 assigns every byte, so it is accepted only without unusual bytes: no controls, neither those of ASCII nor those between
// 0x80 and 0x9f that other code pages use for letters, and not too many high bytes.
function isCertainlyLatin1(bytes: Buffer) {
  let high = 0
  for (const byte of bytes) {
    if (byte === 127 || (byte < 32 && !isUsualControl(byte)) || (byte > 127 && byte < 160)) return false
    if (byte >= 160) high++
  }
  return high <= bytes.length * UNPRINTABLE_SHARE
}
