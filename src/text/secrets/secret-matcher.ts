// Where in a text a secret stands: one of the values that are known, or something that has the shape of a token. Bytes,
// not characters: output may be anything.
import { type KnownSecret, type Piece, piecesOf, SHORTEST_VALUE } from './secret-variants.ts'
import { type ByteSet, SHAPES, type Shape, type Stretch } from './token-patterns.ts'

/** A secret found. `from` may lie behind the place it was looked for at: what stands before stays. */
interface Found {
  name: string
  from: number
  to: number
  /** It goes on behind `to` for as long as bytes are of this set. */
  on?: ByteSet
}

/** What is there cannot be told before more has come. */
export const MORE = 'more'
type Answer = Found | typeof MORE | undefined

/** As many values that begin with the same eight bytes are looked for, in all their spellings. */
const MOST_ALIKE = 64
/** Beginnings of secrets are looked up by so many bytes. */
const GRAM = 4
const FLAGS = 1 << 17
const SPREAD = 0x9e3779b1

/** What is looked for. Made once and used by many; never changes. */
export class Secrets {
  /** Whether a secret may begin with four bytes, by their hash: sometimes yes where none does, never the other way. */
  readonly #flags = new Uint8Array(FLAGS)
  readonly #known = new Map<number, Piece[]>()
  readonly #shapes = new Map<number, Shape[]>()
  /** What fewer than four bytes at the end of a text may be the beginning of. */
  readonly #knownTails = new Set<string>()
  readonly #tails = new Set<string>()

  constructor(known: readonly KnownSecret[], shapes: readonly Shape[] = SHAPES) {
    for (const shape of shapes) for (const gram of gramsOf(shape)) this.#put(this.#shapes, gram, shape)
    const alike = new Map<string, number>()
    for (const one of piecesOf(known)) {
      const beginning = one.bytes.toString('latin1', 0, SHORTEST_VALUE)
      const count = (alike.get(beginning) ?? 0) + 1
      alike.set(beginning, count)
      if (count > MOST_ALIKE) continue
      const gram = beginning.slice(0, GRAM)
      this.#put(this.#known, gram, one)
      for (const tail of tailsOf(gram)) this.#knownTails.add(tail)
    }
    for (const list of this.#known.values()) list.sort((a, b) => b.bytes.length - a.bytes.length)
  }

  /** The first place from `from` on where a secret may begin; the length of the bytes where there is none. */
  next(bytes: Uint8Array, from: number): number {
    const end = bytes.length - GRAM
    if (from > end) return from
    const flags = this.#flags
    let gram = (bytes[from]! << 16) | (bytes[from + 1]! << 8) | bytes[from + 2]!
    for (let at = from; at <= end; at++) {
      gram = (gram << 8) | bytes[at + 3]!
      if (flags[Math.imul(gram, SPREAD) >>> 15] === 1) return at
    }
    return end + 1
  }

  /** The secret that begins at `at`. With `whole` nothing follows the bytes. */
  at(bytes: Uint8Array, at: number, whole: boolean, runs: Runs): Answer {
    if (at + GRAM > bytes.length) return whole || !this.#tails.has(tailAt(bytes, at)) ? undefined : MORE
    const gram = gramAt(bytes, at)
    const known = this.#knownOf(gram, bytes, at, whole)
    if (known === MORE) return MORE
    const shape = this.#shapeOf(gram, bytes, at, whole, runs)
    if (!known || shape === MORE || !shape) return shape ?? known
    // Both: all that either would hide, under the name that tells more.
    return { ...shape, name: known.name, from: Math.min(at, shape.from), to: Math.max(known.to, shape.to) }
  }

  /** The longest known value that begins at `at`. */
  knownAt(bytes: Uint8Array, at: number, whole: boolean): Answer {
    if (at + GRAM > bytes.length) return whole || !this.#knownTails.has(tailAt(bytes, at)) ? undefined : MORE
    return this.#knownOf(gramAt(bytes, at), bytes, at, whole)
  }

  #knownOf(gram: number, bytes: Uint8Array, at: number, whole: boolean): Answer {
    for (const { name, bytes: value } of this.#known.get(gram) ?? []) {
      const end = Math.min(bytes.length, at + value.length)
      let same = at + GRAM
      while (same < end && bytes[same] === value[same - at]) same++
      if (same - at === value.length) return { name, from: at, to: same }
      if (same === bytes.length && !whole) return MORE
    }
    return undefined
  }

  #shapeOf(gram: number, bytes: Uint8Array, at: number, whole: boolean, runs: Runs): Answer {
    for (const shape of this.#shapes.get(gram) ?? []) {
      const answer = take(shape, bytes, at, runs)
      if (answer && (answer !== MORE || !whole)) return answer
    }
    return undefined
  }

  #put<T>(by: Map<number, T[]>, beginning: string, value: T) {
    const gram = gramAt(Buffer.from(beginning, 'latin1'), 0)
    this.#flags[Math.imul(gram, SPREAD) >>> 15] = 1
    for (const tail of tailsOf(beginning)) this.#tails.add(tail)
    const list = by.get(gram)
    if (list) list.push(value)
    else by.set(gram, [value])
  }
}

/** How far stretches in one piece of text go: no byte is looked at twice for a set, however many shapes begin there. */
export class Runs {
  readonly #seen = new Map<ByteSet, { from: number; to: number }>()

  /** Where the stretch that begins at `at` ends, at most at `limit`. */
  end(of: ByteSet, bytes: Uint8Array, at: number, limit: number): number {
    let seen = this.#seen.get(of)
    if (!seen || at < seen.from || at > seen.to) {
      seen = { from: at, to: at }
      this.#seen.set(of, seen)
    }
    const until = Math.min(limit, bytes.length)
    while (seen.to < until && of[bytes[seen.to]!] === 1) seen.to++
    return Math.min(seen.to, until)
  }
}

function take({ name, parts, keep = 0, before, any_case }: Shape, bytes: Uint8Array, at: number, runs: Runs): Answer {
  let end = at
  let from = at
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!
    if (i === keep) from = end
    if (typeof part === 'object' && 'of' in part) {
      const last = i === parts.length - 1
      const stop = stretched(part, bytes, end, runs, last)
      if (stop === MORE || stop === undefined) return stop
      if (last && part.max === undefined) return { name, from, to: stop, on: part.of }
      end = stop
    } else {
      const stop = literal(typeof part === 'string' ? [part] : part, bytes, end, any_case === true)
      if (stop === MORE || stop === undefined) return stop
      end = stop
    }
  }
  const follows = before === undefined ? end : literal([before], bytes, end, false)
  return follows === MORE || follows === undefined ? follows : { name, from, to: end }
}

function stretched({ of, min, max, mixed }: Stretch, bytes: Uint8Array, at: number, runs: Runs, last: boolean) {
  // An open end needs no more than its minimum to be known.
  const limit = at + (max ?? (last ? min : Number.POSITIVE_INFINITY))
  const end = runs.end(of, bytes, at, limit)
  if (end === bytes.length && end < limit) return MORE
  if (end - at < min || (mixed && !isMixed(bytes.subarray(at, at + min)))) return undefined
  return end
}

function literal(texts: readonly string[], bytes: Uint8Array, at: number, anyCase: boolean) {
  let more = false
  for (const text of texts) {
    let same = 0
    while (same < text.length && at + same < bytes.length && alike(bytes[at + same]!, text.charCodeAt(same), anyCase))
      same++
    if (same === text.length) return at + same
    more ||= at + same === bytes.length
  }
  return more ? MORE : undefined
}

/** Literals that may be in any case are written in small letters. */
const alike = (byte: number, code: number, anyCase: boolean) =>
  byte === code || (anyCase && byte >= 0x41 && byte <= 0x5a && byte + 0x20 === code)

function isMixed(bytes: Uint8Array) {
  let kinds = 0
  for (const byte of bytes) kinds |= byte <= 0x39 ? 1 : byte <= 0x5a ? 2 : 4
  return kinds === 7
}

const gramAt = (bytes: Uint8Array, at: number) =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!

const tailAt = (bytes: Uint8Array, at: number) => String.fromCharCode(...bytes.subarray(at))
const tailsOf = (gram: string) => Array.from({ length: GRAM - 1 }, (_, i) => gram.slice(0, i + 1))

/** The four bytes that a shape may begin with, in each way of writing them. */
function gramsOf({ parts, any_case }: Shape): Set<string> {
  let all: string[] = ['']
  for (const part of parts) all = all.flatMap(one => extended(one, part))
  const grams = all.map(text => text.slice(0, GRAM))
  return new Set(any_case ? grams.flatMap(inAnyCase) : grams)
}

/** Of a stretch no more than its least bytes are needed: one that may be shorter stands behind three others. */
function extended(text: string, part: Shape['parts'][number]): string[] {
  if (text.length >= GRAM) return [text]
  if (typeof part === 'string') return [text + part]
  if (!('of' in part)) return part.map(one => text + one)
  const bytes = Array.from(part.of.keys(), byte => String.fromCharCode(byte)).filter((_, byte) => part.of[byte] === 1)
  let all = part.min === 0 ? [text, ...bytes.map(byte => text + byte)] : [text]
  for (let i = 0; i < part.min && all[0]!.length < GRAM; i++) all = all.flatMap(one => bytes.map(byte => one + byte))
  return all
}

const inAnyCase = (text: string): string[] =>
  Array.from(text).reduce<string[]>(
    (all, letter) => all.flatMap(one => [...new Set([letter, letter.toUpperCase()])].map(next => one + next)),
    ['']
  )
