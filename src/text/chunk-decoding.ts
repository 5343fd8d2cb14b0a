// Decodes characters in chunks of a longer text.
import type { Encoding } from './encoding.ts'

/** Returns the bytes of whole characters: the rest may begin a character that continues in the next chunk. */
export function trimPartialCharacter(bytes: Buffer, encoding: Encoding): Buffer {
  if (encoding === 'latin1') return bytes
  if (encoding === 'utf-16le' || encoding === 'utf-16be') return trimPartialSurrogate(bytes, encoding)
  let lead = bytes.length - 1
  while (lead > bytes.length - 4 && lead > 0 && isContinuation(bytes[lead]!)) lead--
  const missing = lead >= 0 && lead + sequenceLength(bytes[lead]!) > bytes.length
  return missing ? bytes.subarray(0, lead) : bytes
}

/** Returns the size of the first n characters in bytes; if there are fewer, undefined and their number. */
export function skipCharacters(
  bytes: Buffer,
  encoding: Encoding,
  n: number
): { bytes: number } | { characters: number } {
  const step = encoding.startsWith('utf-16') ? 2 : 1
  let characters = 0
  for (let at = 0; at + step <= bytes.length; at += step) {
    if (!BEGINS[encoding](bytes, at)) continue
    if (characters === n) return { bytes: at }
    characters++
  }
  return characters === n ? { bytes: bytes.length } : { characters }
}

/** Decodes a chunk of whole characters; unlike a whole file it has no byte order mark. */
export const decodeChunk = (bytes: Buffer, encoding: Encoding): string => READERS[encoding](bytes)

const READERS: Record<Encoding, (bytes: Buffer) => string> = {
  'utf-8': bytes => bytes.toString('utf8'),
  'utf-8-bom': bytes => bytes.toString('utf8'),
  'utf-16le': bytes => bytes.toString('utf16le'),
  'utf-16be': bytes => Buffer.from(bytes).swap16().toString('utf16le'),
  latin1: bytes => bytes.toString('latin1')
}

const isContinuation = (byte: number) => (byte & 0xc0) === 0x80
const isLowSurrogate = (high: number) => (high & 0xfc) === 0xdc
const isHighSurrogate = (high: number) => (high & 0xfc) === 0xd8

const beginsUtf8 = (bytes: Buffer, at: number) => !isContinuation(bytes[at]!)

/** Checks if a character begins at the offset of a code unit. */
const BEGINS: Record<Encoding, (bytes: Buffer, at: number) => boolean> = {
  'utf-8': beginsUtf8,
  'utf-8-bom': beginsUtf8,
  'utf-16le': (bytes, at) => !isLowSurrogate(bytes[at + 1]!),
  'utf-16be': (bytes, at) => !isLowSurrogate(bytes[at]!),
  latin1: () => true
}

const sequenceLength = (lead: number) => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1)

function trimPartialSurrogate(bytes: Buffer, encoding: 'utf-16le' | 'utf-16be') {
  const even = bytes.length & ~1
  const high = bytes[even - (encoding === 'utf-16le' ? 1 : 2)]
  return bytes.subarray(0, high !== undefined && isHighSurrogate(high) ? even - 2 : even)
}
