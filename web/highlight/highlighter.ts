// Finds the tokens of texts in workers, each loaded when the first text needs it. Without an answer in time, texts stay plain.
import { HighlightThread } from './highlight-thread.ts'
import type { Language } from './languages.ts'
import type { LineTokens } from './tokens.ts'

/** Longer lines stay plain, in characters. */
const MAX_LINE_LENGTH = 1_000
/** Longer texts stay plain, in characters. */
const MAX_TEXT_LENGTH = 200_000
/** Maximum number of remembered texts. */
const MAX_REMEMBERED = 100

type Found = readonly LineTokens[] | undefined

const remembered = new Map<string, Promise<Found>>()
/** By the words of a language. */
const grammars = new HighlightThread('./highlight-worker.js')
/** By the parser of shells. */
const shells = new HighlightThread('./shell-worker.js')

/** Returns the tokens of each line, or undefined if the lines stay plain. */
export function highlightLines(language: Language, lines: readonly string[]): Promise<Found> {
  const sent = lines.map(line => (line.length > MAX_LINE_LENGTH ? '' : line))
  const text = sent.join('\n')
  if (text.length > MAX_TEXT_LENGTH || text.trim() === '') return Promise.resolve(undefined)
  const key = `${language}\n${text}`
  const known = remembered.get(key)
  if (known) return known
  const tokens = findTokens(language, text, sent)
  remembered.set(key, tokens)
  if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!)
  return tokens
}

/** A part of a script that cannot be parsed, as in a diff, gets the colours of its words. */
const findTokens = async (language: Language, text: string, lines: readonly string[]): Promise<Found> =>
  (language === 'bash' ? await shells.find({ language, text }, lines) : undefined) ??
  grammars.find({ language, text }, lines)
