// Tokens as they pass between the highlighter's worker and the page: lengths and kinds without any text, so that colours cannot
// change what is shown.

import type { Language } from './languages.ts'

/** The kinds of tokens; each has a colour of this name in `styles/tokens.css`. */
export const TOKEN_KINDS = [
  'plain',
  'keyword',
  'string',
  'number',
  'comment',
  'title',
  'type',
  'attribute',
  'meta'
] as const
export type TokenKind = (typeof TOKEN_KINDS)[number]

/** The tokens of one line: the offset at which each ends, and the index of its kind. */
export type LineTokens = readonly number[]

/** The request to the worker. */
export interface HighlightRequest {
  language: Language
  text: string
}

/** The worker's answer: `ready` once it is loaded, then one answer per request. */
export type HighlightAnswer =
  | { state: 'ready' }
  /** The length and the kind of each token, in turn. */
  | { state: 'done'; tokens: Uint32Array }
  | { state: 'failed' }

/** A line with more tokens stays plain: each costs an element. */
const MAX_LINE_TOKENS = 200
/** Maximum number of coloured tokens of a text; one with more stays plain. */
const MAX_TOKENS = 40_000

/**
 * Splits the tokens of a text into those of its lines. Returns undefined unless they cover the text exactly, or if there are too
 * many.
 */
export function splitTokens(tokens: Uint32Array, lines: readonly string[]): readonly LineTokens[] | undefined {
  if (tokens.length % 2 !== 0 || tokens.length > 2 * MAX_TOKENS) return undefined
  const split: LineTokens[] = []
  let next = 0
  let left = tokens[0] ?? 0
  for (const [index, line] of lines.entries()) {
    const ends: number[] = []
    /** The end of a line is a character of the text, except that of the last one. */
    let missing = line.length + (index < lines.length - 1 ? 1 : 0)
    let at = 0
    while (missing > 0) {
      if (next >= tokens.length) return undefined
      const kind = tokens[next + 1]!
      if (kind >= TOKEN_KINDS.length) return undefined
      const taken = Math.min(left, missing)
      at += taken
      missing -= taken
      left -= taken
      ends.push(Math.min(at, line.length), kind)
      if (left === 0) {
        next += 2
        left = tokens[next] ?? 0
      }
    }
    split.push(ends.length > 2 * MAX_LINE_TOKENS ? [] : ends)
  }
  return next === tokens.length && left === 0 ? split : undefined
}
