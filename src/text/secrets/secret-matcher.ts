// Finds secrets in a text: known values, or strings in the format of a token. Works on bytes, since output may be in any
// encoding.
import { type KnownSecret, MIN_SECRET_LENGTH, type SecretVariant, secretVariants } from './secret-variants.ts'
import { type ByteSet, type Stretch, TOKEN_PATTERNS, type TokenPattern } from './token-patterns.ts'

/** A match. `from` may be after the requested position: the text before it stays. */
interface SecretMatch {
  name: string
  from: number
  to: number
  /** It extends beyond `to` as long as bytes are in this set. */
  continues?: ByteSet
}

/** More bytes are needed for a decision. */
export const MORE = 'more'
type MatchResult = SecretMatch | typeof MORE | undefined

/** Maximum number of values with the same first eight bytes, including all their spellings. */
const MAX_VALUES_PER_PREFIX = 64
/** Number of leading bytes by which secrets are looked up. */
const GRAM = 4
const FLAGS = 1 << 17
const SPREAD = 0x9e3779b1

/** Holds values by their four leading bytes. */
class GramIndex<T> {
  /** Bloom-like filter of the four leading bytes, by hash: false positives are possible, false negatives are not. */
  readonly filter: Uint8Array
  readonly byGram = new Map<number, T[]>()
  /** Proper prefixes shorter than four bytes, for the end of a text. */
  readonly tails = new Set<string>()

  constructor(filter: Uint8Array = new Uint8Array(FLAGS)) {
    this.filter = filter
  }

  add(beginning: string, value: T) {
    const gram = gramAt(Buffer.from(beginning, 'latin1'), 0)
    this.filter[Math.imul(gram, SPREAD) >>> 15] = 1
    for (const tail of tailsOf(beginning)) this.tails.add(tail)
    const list = this.byGram.get(gram)
    if (list) list.push(value)
    else this.byGram.set(gram, [value])
  }
}

/** Indexes of patterns, which all matchers with the same patterns share. */
const patternIndexes = new WeakMap<readonly TokenPattern[], GramIndex<TokenPattern>>()

function indexPatterns(patterns: readonly TokenPattern[]): GramIndex<TokenPattern> {
  const known = patternIndexes.get(patterns)
  if (known) return known
  const index = new GramIndex<TokenPattern>()
  for (const pattern of patterns) for (const gram of gramsOf(pattern)) index.add(gram, pattern)
  patternIndexes.set(patterns, index)
  return index
}

/** The secrets to find. Immutable and shared. */
export class SecretMatcher {
  /** Filter of both indexes. */
  readonly #filter: Uint8Array
  readonly #known: GramIndex<SecretVariant>
  readonly #patterns: GramIndex<TokenPattern>

  constructor(known: readonly KnownSecret[], patterns: readonly TokenPattern[] = TOKEN_PATTERNS) {
    this.#patterns = indexPatterns(patterns)
    this.#filter = this.#patterns.filter.slice()
    this.#known = new GramIndex(this.#filter)
    const alike = new Map<string, number>()
    for (const one of secretVariants(known)) {
      const beginning = one.bytes.toString('latin1', 0, MIN_SECRET_LENGTH)
      const count = (alike.get(beginning) ?? 0) + 1
      alike.set(beginning, count)
      if (count > MAX_VALUES_PER_PREFIX) continue
      this.#known.add(beginning.slice(0, GRAM), one)
    }
    for (const list of this.#known.byGram.values()) list.sort((a, b) => b.bytes.length - a.bytes.length)
  }

  /** Returns the first position from `from` on at which a secret may begin; the length of the bytes if there is none. */
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

  /** Checks cheaply if a complete text may contain a secret: a false result is certain. */
  mayOccurIn(text: string): boolean {
    const flags = this.#filter
    let gram = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code > 0x7f) return true
      gram = (gram << 8) | code
      if (at >= GRAM - 1 && flags[Math.imul(gram, SPREAD) >>> 15] === 1) return true
    }
    return false
  }

  /** Returns the secret that begins at `at`. With `whole` no more bytes follow. */
  matchAt(bytes: Uint8Array, at: number, whole: boolean, runs: Runs): MatchResult {
    if (at + GRAM > bytes.length) return whole || !this.#hasTail(tailAt(bytes, at)) ? undefined : MORE
    const gram = gramAt(bytes, at)
    const known = this.#matchKnown(gram, bytes, at, whole)
    if (known === MORE) return MORE
    const shape = this.#matchPattern(gram, bytes, at, whole, runs)
    if (!known || shape === MORE || !shape) return shape ?? known
    // Both match: redacts the union, under the more specific name.
    return { ...shape, name: known.name, from: Math.min(at, shape.from), to: Math.max(known.to, shape.to) }
  }

  /** Returns the longest known value that begins at `at`. */
  matchKnownAt(bytes: Uint8Array, at: number, whole: boolean): MatchResult {
    if (at + GRAM > bytes.length) return whole || !this.#known.tails.has(tailAt(bytes, at)) ? undefined : MORE
    return this.#matchKnown(gramAt(bytes, at), bytes, at, whole)
  }

  #matchKnown(gram: number, bytes: Uint8Array, at: number, whole: boolean): MatchResult {
    for (const { name, bytes: value } of this.#known.byGram.get(gram) ?? []) {
      const end = Math.min(bytes.length, at + value.length)
      let same = at + GRAM
      while (same < end && bytes[same] === value[same - at]) same++
      if (same - at === value.length) return { name, from: at, to: same }
      if (same === bytes.length && !whole) return MORE
    }
    return undefined
  }

  #matchPattern(gram: number, bytes: Uint8Array, at: number, whole: boolean, runs: Runs): MatchResult {
    for (const shape of this.#patterns.byGram.get(gram) ?? []) {
      const answer = matchPattern(shape, bytes, at, runs)
      if (answer && (answer !== MORE || !whole)) return answer
    }
    return undefined
  }

  #hasTail(tail: string): boolean {
    return this.#known.tails.has(tail) || this.#patterns.tails.has(tail)
  }
}

/** Caches the ends of runs in one text: no byte is examined twice for a set, however many patterns begin there. */
export class Runs {
  readonly #seen = new Map<ByteSet, { from: number; to: number }>()

  /** Returns the end of the run that begins at `at`, at most `limit`. */
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
  { name, parts, unredactedParts = 0, lookahead, ignoreCase }: TokenPattern,
  bytes: Uint8Array,
  at: number,
  runs: Runs
): MatchResult {
  let end = at
  let from = at
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!
    if (i === unredactedParts) from = end
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
  // An open end is recognized by its minimum length.
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

/** Case-insensitive literals are written in lower case. */
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

/** Returns the four leading bytes of a pattern, in all spellings. */
function gramsOf({ parts, ignoreCase }: TokenPattern): Set<string> {
  let all: string[] = ['']
  for (const part of parts) all = all.flatMap(one => extendPrefix(one, part))
  const grams = all.map(text => text.slice(0, GRAM))
  return new Set(ignoreCase ? grams.flatMap(caseVariants) : grams)
}

/** Only the minimum length of a run is needed: one that may be shorter follows at least three other bytes. */
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
