// A known value in the ways in which it may be printed.

/** A value that must not be shown. */
export interface KnownSecret {
  /** Shown in its place. */
  name: string
  value: string
}

/** Bytes to look for, and what they are. */
export interface Piece {
  name: string
  bytes: Buffer
}

/** A shorter value would hide plain words. */
export const SHORTEST_VALUE = 8
/** A longer value is known by its pieces, so that no more than this ever waits for what follows. */
const LONGEST_PIECE = 1_024

/** Line by line, as it is, in JSON and in a URL. Each once, under the first name it has. */
export function piecesOf(known: readonly KnownSecret[]): Piece[] {
  const seen = new Map<string, Piece>()
  for (const piece of known.flatMap(spelled)) {
    const key = piece.bytes.toString('latin1')
    if (!seen.has(key)) seen.set(key, piece)
  }
  return [...seen.values()]
}

function spelled({ name, value }: KnownSecret): Piece[] {
  // The first and last lines of an armoured key stand in every other key too.
  const lines = value.split(/[\r\n]+/).filter(line => !line.startsWith('-----'))
  const texts = lines.map(line => line.trim()).flatMap(line => [line, inJson(line), inUrl(line)])
  return texts
    .map(text => Buffer.from(text))
    .filter(bytes => bytes.length >= SHORTEST_VALUE)
    .flatMap(bytes => cut(bytes).map(piece => ({ name, bytes: piece })))
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const inUrl = (text: string) => encodeURIComponent(text.toWellFormed())

function cut(bytes: Buffer): Buffer[] {
  const count = Math.ceil(bytes.length / LONGEST_PIECE)
  const size = Math.ceil(bytes.length / count)
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
}
