// Tokenizer of the code search. Compound names are split (`HTTPServer`, `http_server`, `http-server`) and each part is stemmed;
// the whole name is also a token, in one normalized spelling.
import { stem } from './stem.ts'

const NAME = /[A-Za-z0-9_$]+(?:-[A-Za-z0-9]+)*/g
const NAME_BEYOND_ASCII = /[\p{L}\p{N}\p{M}_$]+(?:-[\p{L}\p{N}\p{M}]+)*/gu
const PART = /[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g
const PART_BEYOND_ASCII =
  /(?!\p{Script=Han})\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|\p{N}+|[\p{Lo}\p{Lm}\p{Lt}]+/gu
/** Scripts without spaces: a match may begin anywhere, so each pair of characters is a token. */
const WITHOUT_SPACES = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{3,}$/u
const ASCII = /^[\0-\x7f]*$/
const ACCENTS = /[\u0300-\u036f]/g

/** Longer names and parts are data, not words. */
const MAX_NAME_LENGTH = 64
const MAX_PART_LENGTH = 40
/** A name with more parts is a hash or similar: only the whole counts. */
const MAX_PARTS = 10
/** Maximum number of names whose tokens are cached. */
const MAX_CACHED_NAMES = 50_000

const termCache = new Map<string, readonly string[]>()

/** Returns the tokens of a text in order: for each name its parts, then the whole if it is compound. */
export function tokenize(text: string): string[] {
  const words: string[] = []
  eachName(text, name => {
    for (const word of nameTerms(name)) words.push(word)
  })
  return words
}

/** Returns the tokens joined for the index. */
export function toIndexText(text: string): string {
  let words = ''
  eachName(text, name => {
    for (const word of nameTerms(name)) words += `${word} `
  })
  return words
}

function eachName(text: string, visit: (name: string) => void) {
  const names = ASCII.test(text) ? text.matchAll(NAME) : stripAccents(text).matchAll(NAME_BEYOND_ASCII)
  for (const [name] of names) visit(name)
}

const stripAccents = (text: string) => text.normalize('NFKD').replace(ACCENTS, '').normalize('NFC')

function nameTerms(name: string): readonly string[] {
  const known = termCache.get(name)
  if (known) return known
  const words = splitName(name)
  if (termCache.size >= MAX_CACHED_NAMES) termCache.clear()
  termCache.set(name, words)
  return words
}

function splitName(name: string): readonly string[] {
  if (name.length > MAX_NAME_LENGTH) return []
  const parts = splitIdentifier(name)
  if (parts.length > MAX_PARTS) return [parts.join('')]
  const stems = parts.map(stem)
  const words = stems.filter(isWord).flatMap(toBigrams)
  return parts.length > 1 ? [...words, stems.join('_')] : words
}

/** Splits a name into lower-case parts. */
export function splitIdentifier(name: string): string[] {
  const parts = name.match(ASCII.test(name) ? PART : PART_BEYOND_ASCII) ?? []
  return parts.filter(({ length }) => length <= MAX_PART_LENGTH).map(part => part.toLowerCase())
}

// A single letter or digit is not meaningful, except in scripts whose characters are words.
const isWord = (part: string) => part.length > 1 || !ASCII.test(part)

function toBigrams(word: string): string[] {
  if (!WITHOUT_SPACES.test(word)) return [word]
  const characters = [...word]
  return characters.slice(1).map((character, i) => characters[i]! + character)
}
