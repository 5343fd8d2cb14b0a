// Decodes characters in chunks of a longer text.
import type { Encoding } from './encoding.ts'
import {
  characterLength,
  decodeLegacy,
  isLegacyEncoding,
  type LegacyEncoding,
  trimPartialLegacy
} from './legacy-encodings.ts'

/** Returns the bytes of whole characters: the rest may begin a character that continues in the next chunk. */
export function trimPartialCharacter(bytes: Buffer, encoding: Encoding): Buffer {
  if (isLegacyEncoding(encoding)) return trimPartialLegacy(bytes, encoding)
  if (encoding.startsWith('utf-16')) return trimPartialSurrogate(bytes, isLittleEndian(encoding))
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
  if (isLegacyEncoding(encoding)) return skipLegacyCharacters(bytes, encoding, n)
  const step = encoding.startsWith('utf-16') ? 2 : 1
  const begins = step === 1 ? beginsUtf8 : isLittleEndian(encoding) ? beginsUtf16le : beginsUtf16be
  let characters = 0
  for (let at = 0; at + step <= bytes.length; at += step) {
    if (!begins(bytes, at)) continue
    if (characters === n) return { bytes: at }
    characters++
  }
  return characters === n ? { bytes: bytes.length } : { characters }
}

/** Decodes a chunk of whole characters; unlike a whole file it has no byte order mark. */
export function decodeChunk(bytes: Buffer, encoding: Encoding): string {
  if (isLegacyEncoding(encoding)) return decodeLegacy(bytes, encoding)
  if (!encoding.startsWith('utf-16')) return bytes.toString('utf8')
  return (isLittleEndian(encoding) ? bytes : Buffer.from(bytes).swap16()).toString('utf16le')
}

const isLittleEndian = (encoding: Encoding) => encoding.startsWith('utf-16le')

/** The chunk begins with a whole character. */
function skipLegacyCharacters(bytes: Buffer, encoding: LegacyEncoding, n: number) {
  let [at, characters] = [0, 0]
  while (characters < n && at < bytes.length) {
    at += characterLength(bytes, at, encoding)
    characters++
  }
  return characters === n ? { bytes: at } : { characters }
}

const isContinuation = (byte: number) => (byte & 0xc0) === 0x80
const isLowSurrogate = (high: number) => (high & 0xfc) === 0xdc
const isHighSurrogate = (high: number) => (high & 0xfc) === 0xd8

// These check if a character begins at the offset of a code unit.
const beginsUtf8 = (bytes: Buffer, at: number) => !isContinuation(bytes[at]!)
const beginsUtf16le = (bytes: Buffer, at: number) => !isLowSurrogate(bytes[at + 1]!)
const beginsUtf16be = (bytes: Buffer, at: number) => !isLowSurrogate(bytes[at]!)

const sequenceLength = (lead: number) => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1)

function trimPartialSurrogate(bytes: Buffer, littleEndian: boolean) {
  const even = bytes.length & ~1
  const high = bytes[even - (littleEndian ? 1 : 2)]
  return bytes.subarray(0, high !== undefined && isHighSurrogate(high) ? even - 2 : even)
}
