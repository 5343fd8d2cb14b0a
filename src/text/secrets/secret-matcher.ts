// Where in a text a secret stands: one of the values that are known, or something that has the shape of a token. Bytes,
// not characters: output may be anything.
import { type KnownSecret, MIN_SECRET_LENGTH, type SecretVariant, secretVariants } from './secret-variants.ts'
import { type ByteSet, type Stretch, TOKEN_PATTERNS, type TokenPattern } from './token-patterns.ts'

/** A secret found. `from` may lie behind the place it was looked for at: what stands before stays. */
interface SecretMatch {
  name: string
  from: number
  to: number
  /** It goes on behind `to` for as long as bytes are of this set. */
  continues?: ByteSet
}

/** What is there cannot be told before more has come. */
export const MORE = 'more'
type MatchResult = SecretMatch | typeof MORE | undefined

/** As many values that begin with the same eight bytes are looked for, in all their spellings. */
const MAX_VALUES_PER_PREFIX = 64
/** Beginnings of secrets are looked up by so many bytes. */
const GRAM = 4
const FLAGS = 1 << 17
const SPREAD = 0x9e3779b1

/** What is looked for. Made once and used by many; never changes. */
export class SecretMatcher {
  /** Whether a secret may begin with four bytes, by their hash: sometimes yes where none does, never the other way. */
  readonly #filter = new Uint8Array(FLAGS)
  readonly #known = new Map<number, SecretVariant[]>()
  readonly #patterns = new Map<number, TokenPattern[]>()
  /** What fewer than four bytes at the end of a text may be the beginning of. */
  readonly #knownTails = new Set<string>()
  readonly #tails = new Set<string>()

  constructor(known: readonly KnownSecret[], shapes: readonly TokenPattern[] = TOKEN_PATTERNS) {
    for (const shape of shapes) for (const gram of gramsOf(shape)) this.#add(this.#patterns, gram, shape)
    const alike = new Map<string, number>()
    for (const one of secretVariants(known)) {
      const beginning = one.bytes.toString('latin1', 0, MIN_SECRET_LENGTH)
      const count = (alike.get(beginning) ?? 0) + 1
      alike.set(beginning, count)
      if (count > MAX_VALUES_PER_PREFIX) continue
      const gram = beginning.slice(0, GRAM)
      this.#add(this.#known, gram, one)
      for (const tail of tailsOf(gram)) this.#knownTails.add(tail)
    }
    for (const list of this.#known.values()) list.sort((a, b) => b.bytes.length - a.bytes.length)
  }

  /** The first place from `from` on where a secret may begin; the length of the bytes where there is none. */
  nextCandidate(bytes: Uint8Array, from: number): number {
    const end = bytes.length - GRAM
    if (from > end) return from
    const flags = this.#filter
    let gram = (bytes[from]! << 16) | (bytes[from + 1]! << 8) | bytes[from + 2]!
    for (let at = from; at <= end; at++) {
      gram = (gram << 8) | bytes[at + 3]!
      if (flags[Math.imul(gram, SPREAD) >>> 15] === 1) return at
    }
    return end + 1
  }

  /** The secret that begins at `matchAt`. With `whole` nothing follows the bytes. */
  matchAt(bytes: Uint8Array, at: number, whole: boolean, runs: Runs): MatchResult {
    if (at + GRAM > bytes.length) return whole || !this.#tails.has(tailAt(bytes, at)) ? undefined : MORE
    const gram = gramAt(bytes, at)
    const known = this.#matchKnown(gram, bytes, at, whole)
    if (known === MORE) return MORE
    const shape = this.#matchPattern(gram, bytes, at, whole, runs)
    if (!known || shape === MORE || !shape) return shape ?? known
    // Both: all that either would hide, under the name that tells more.
    return { ...shape, name: known.name, from: Math.min(at, shape.from), to: Math.max(known.to, shape.to) }
  }

  /** The longest known value that begins at `matchAt`. */
  matchKnownAt(bytes: Uint8Array, at: number, whole: boolean): MatchResult {
    if (at + GRAM > bytes.length) return whole || !this.#knownTails.has(tailAt(bytes, at)) ? undefined : MORE
    return this.#matchKnown(gramAt(bytes, at), bytes, at, whole)
  }

  #matchKnown(gram: number, bytes: Uint8Array, at: number, whole: boolean): MatchResult {
    for (const { name, bytes: value } of this.#known.get(gram) ?? []) {
      const end = Math.min(bytes.length, at + value.length)
      let same = at + GRAM
      while (same < end && bytes[same] === value[same - at]) same++
      if (same - at === value.length) return { name, from: at, to: same }
      if (same === bytes.length && !whole) return MORE
    }
    return undefined
  }

  #matchPattern(gram: number, bytes: Uint8Array, at: number, whole: boolean, runs: Runs): MatchResult {
    for (const shape of this.#patterns.get(gram) ?? []) {
      const answer = matchPattern(shape, bytes, at, runs)
      if (answer && (answer !== MORE || !whole)) return answer
    }
    return undefined
  }

  #add<T>(by: Map<number, T[]>, beginning: string, value: T) {
    const gram = gramAt(Buffer.from(beginning, 'latin1'), 0)
    this.#filter[Math.imul(gram, SPREAD) >>> 15] = 1
    for (const tail of tailsOf(beginning)) this.#tails.add(tail)
    const list = by.get(gram)
    if (list) list.push(value)
    else by.set(gram, [value])
  }
}

/** How far stretches in one piece of text go: no byte is looked at twice for a set, however many shapes begin there. */
export class Runs {
  readonly #seen = new Map<ByteSet, { from: number; to: number }>()

  /** Where the stretch that begins at `matchAt` ends, at most at `limit`. */
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

function matchPattern(
  { name, parts, keptParts = 0, lookahead, ignoreCase }: TokenPattern,
  bytes: Uint8Array,
  at: number,
  runs: Runs
): MatchResult {
  let end = at
  let from = at
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!
    if (i === keptParts) from = end
    if (typeof part === 'object' && 'of' in part) {
      const last = i === parts.length - 1
      const stop = matchRun(part, bytes, end, runs, last)
      if (stop === MORE || stop === undefined) return stop
      if (last && part.max === undefined) return { name, from, to: stop, continues: part.of }
      end = stop
    } else {
      const stop = literal(typeof part === 'string' ? [part] : part, bytes, end, ignoreCase === true)
      if (stop === MORE || stop === undefined) return stop
      end = stop
    }
  }
  const follows = lookahead === undefined ? end : literal([lookahead], bytes, end, false)
  return follows === MORE || follows === undefined ? follows : { name, from, to: end }
}

function matchRun({ of, min, max, mixed }: Stretch, bytes: Uint8Array, at: number, runs: Runs, last: boolean) {
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
    while (
      same < text.length &&
      at + same < bytes.length &&
      equalsByte(bytes[at + same]!, text.charCodeAt(same), anyCase)
    )
      same++
    if (same === text.length) return at + same
    more ||= at + same === bytes.length
  }
  return more ? MORE : undefined
}

/** Literals that may be in any case are written in small letters. */
const equalsByte = (byte: number, code: number, anyCase: boolean) =>
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
function gramsOf({ parts, ignoreCase }: TokenPattern): Set<string> {
  let all: string[] = ['']
  for (const part of parts) all = all.flatMap(one => extendPrefix(one, part))
  const grams = all.map(text => text.slice(0, GRAM))
  return new Set(ignoreCase ? grams.flatMap(caseVariants) : grams)
}

/** Of a stretch no more than its least bytes are needed: one that may be shorter stands behind three others. */
function extendPrefix(text: string, part: TokenPattern['parts'][number]): string[] {
  if (text.length >= GRAM) return [text]
  if (typeof part === 'string') return [text + part]
  if (!('of' in part)) return part.map(one => text + one)
  const bytes = Array.from(part.of.keys(), byte => String.fromCharCode(byte)).filter((_, byte) => part.of[byte] === 1)
  let all = part.min === 0 ? [text, ...bytes.map(byte => text + byte)] : [text]
  for (let i = 0; i < part.min && all[0]!.length < GRAM; i++) all = all.flatMap(one => bytes.map(byte => one + byte))
  return all
}

const caseVariants = (text: string): string[] =>
  Array.from(text).reduce<string[]>(
    (all, letter) => all.flatMap(one => [...new Set([letter, letter.toUpperCase()])].map(next => one + next)),
    ['']
  )
