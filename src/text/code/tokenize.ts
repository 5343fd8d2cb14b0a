// The words of a text as code search knows them. A name is taken apart where its writer put parts together (`HTTPServer`,
// `http_server`, `http-server`), each part by its stem; and it is kept as a whole, in one spelling for all these ways.
import { stem } from './stem.ts'

const NAME = /[A-Za-z0-9_$]+(?:-[A-Za-z0-9]+)*/g
const NAME_BEYOND_ASCII = /[\p{L}\p{N}\p{M}_$]+(?:-[\p{L}\p{N}\p{M}]+)*/gu
const PART = /[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g
const PART_BEYOND_ASCII =
  /(?!\p{Script=Han})\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|\p{N}+|[\p{Lo}\p{Lm}\p{Lt}]+/gu
/** Written without spaces: what is looked for may begin anywhere, so each pair of characters counts as a word. */
const WITHOUT_SPACES = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{3,}$/u
const ASCII = /^[\0-\x7f]*$/
const ACCENTS = /[\u0300-\u036f]/g

/** Longer names and parts are data, not words. */
const MAX_NAME_LENGTH = 64
const MAX_PART_LENGTH = 40
/** A name of more parts is a hash or the like: only the whole counts. */
const MAX_PARTS = 10
/** Names whose words are kept, so that each is taken apart once. */
const MAX_CACHED_NAMES = 50_000

const termCache = new Map<string, readonly string[]>()

/** The words of a text, in its order: of each name its parts, then the whole where it has several. */
export function tokenize(text: string): string[] {
  const words: string[] = []
  eachName(text, name => {
    for (const word of nameTerms(name)) words.push(word)
  })
  return words
}

/** The same as one text, ready to be indexed. */
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

/** The parts of a name, in small letters. */
export function splitIdentifier(name: string): string[] {
  const parts = name.match(ASCII.test(name) ? PART : PART_BEYOND_ASCII) ?? []
  return parts.filter(({ length }) => length <= MAX_PART_LENGTH).map(part => part.toLowerCase())
}

// A single letter or digit says nothing, other than in a script whose characters are words.
const isWord = (part: string) => part.length > 1 || !ASCII.test(part)

function toBigrams(word: string): string[] {
  if (!WITHOUT_SPACES.test(word)) return [word]
  const characters = [...word]
  return characters.slice(1).map((character, i) => characters[i]! + character)
}
