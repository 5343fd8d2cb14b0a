// Finds line ends in undecoded bytes: one byte wide, or two in UTF-16.
import type { Encoding } from './encoding.ts'

const NEWLINE = 10
/** Combines two bytes to a number in this machine's byte order. */
const toCodeUnit = (first: number, second: number) => new Uint16Array(Uint8Array.of(first, second).buffer)[0]!
const UNITS: Partial<Record<Encoding, number>> = {
  'utf-16le': toCodeUnit(NEWLINE, 0),
  'utf-16be': toCodeUnit(0, NEWLINE),
  'utf-16le-no-bom': toCodeUnit(NEWLINE, 0),
  'utf-16be-no-bom': toCodeUnit(0, NEWLINE)
}
/** A line feed, as a little-endian text search sees it. */
const TEXTS: Partial<Record<Encoding, string>> = {
  'utf-16le': '\n',
  'utf-16be': '\u0a00',
  'utf-16le-no-bom': '\n',
  'utf-16be-no-bom': '\u0a00'
}

/** Counts the line feeds. Bytes of UTF-16 must begin at an even memory address. */
export function countNewlines(bytes: Buffer, encoding: Encoding): number {
  const unit = UNITS[encoding]
  return unit === undefined ? countBytes(bytes) : countUnits(bytes, unit)
}

/** Returns the offset after the n-th line feed, counted from 1; -1 if there are fewer. */
export function afterNewline(bytes: Buffer, encoding: Encoding, n: number): number {
  let after = 0
  for (let i = 0; i < n; i++) {
    after = nextLine(bytes, encoding, after)
    if (after < 0) return -1
  }
  return after
}

export function endsWithNewline(bytes: Buffer, encoding: Encoding): boolean {
  const unit = UNITS[encoding]
  if (unit === undefined) return bytes.at(-1) === NEWLINE
  return bytes.length >= 2 && toCodeUnit(bytes.at(-2)!, bytes.at(-1)!) === unit
}

/** Returns the start of the line after the one at `at`; -1 if there is none. */
export function nextLine(bytes: Buffer, encoding: Encoding, at: number): number {
  const text = TEXTS[encoding]
  const found = text === undefined ? bytes.indexOf(NEWLINE, at) : bytes.indexOf(text, at, 'utf16le')
  return found < 0 ? -1 : found + (text === undefined ? 1 : 2)
}

const LINE_FEEDS = 0x0a0a0a0a
const LOW_BITS = 0x7f7f7f7f
const ONES = 0x01010101
/** Maximum value of a one-byte counter. */
const FULL = 255

// Processes four bytes at a time, independent of line lengths: a search from one line feed to the next takes ten times as long
// for short lines. A byte becomes 1 if it is a line feed, and those are added up in four counters side by side.
function countBytes(bytes: Buffer): number {
  const aligned = -bytes.byteOffset & 3
  if (bytes.length <= aligned) return countBytewise(bytes, 0, bytes.length)
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + aligned, (bytes.length - aligned) >> 2)
  let count = countBytewise(bytes, 0, aligned) + countBytewise(bytes, aligned + words.length * 4, bytes.length)
  for (let from = 0; from < words.length; from += FULL) {
    const to = Math.min(from + FULL, words.length)
    let counters = 0
    for (let i = from; i < to; i++) {
      const differing = words[i]! ^ LINE_FEEDS
      counters += (~(((differing & LOW_BITS) + LOW_BITS) | differing | LOW_BITS) >>> 7) & ONES
    }
    count += (counters & 0xff) + ((counters >>> 8) & 0xff) + ((counters >>> 16) & 0xff) + (counters >>> 24)
  }
  return count
}

function countBytewise(bytes: Buffer, from: number, to: number): number {
  let count = 0
  for (let i = from; i < to; i++) if (bytes[i] === NEWLINE) count++
  return count
}

function countUnits(bytes: Buffer, unit: number): number {
  let count = 0
  for (const each of new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1)) if (each === unit) count++
  return count
}
