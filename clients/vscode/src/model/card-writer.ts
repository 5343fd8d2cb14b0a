// Writes a card line by line. Text of others cannot look like a line of the card: it is on one line, or behind a bar. Invisible
// characters are shown as code points, and long lines are continued on the next one.
import { escapeInvisible, escapeLine } from '../../../../src/text/escape-invisible.ts'
import type { Card, CardLine, FileLine } from './card.ts'

/** Maximum length of a line in characters: an editor that wraps lines displays all of it. */
const MAX_LINE_LENGTH = 200
/** Precedes each line of a text of others. */
const BAR = '│ '
/** Precedes the continuation of a long line. */
const CONTINUED = '↪ '

interface LineOptions {
  /** Default: false. */
  isRequired?: boolean
  shownAt?: FileLine | undefined
}

export class CardWriter {
  readonly #lines: CardLine[] = []

  get card(): Card {
    return this.#lines
  }

  /** Adds a text as one line of the card; a long one is continued. */
  line(text: string, { isRequired = false, shownAt }: LineOptions = {}) {
    const parts = splitLine(escapeLine(text))
    for (const [index, part] of parts.entries())
      this.#lines.push({
        text: index === 0 ? part : CONTINUED + part,
        isRequired,
        ...(shownAt && { shownAt })
      })
  }

  /** Adds an empty line, except after another one. */
  gap() {
    if (this.#lines.length > 0 && this.#lines.at(-1)!.text !== '') this.line('')
  }

  heading(text: string, options: LineOptions = {}) {
    this.gap()
    this.line(`▌ ${text}`, options)
  }

  /** Adds a text of several lines by someone else. */
  quote(text: string, options: LineOptions = {}) {
    for (const line of text.split('\n')) this.line(BAR + line, options)
  }
}

function splitLine(text: string): string[] {
  if (text.length <= MAX_LINE_LENGTH) return [text]
  // Characters outside the BMP are not split.
  const characters = [...text]
  const parts: string[] = []
  for (let at = 0; at < characters.length; at += MAX_LINE_LENGTH)
    parts.push(characters.slice(at, at + MAX_LINE_LENGTH).join(''))
  return parts
}

/** Returns true if a card shows the text in another form than an editor. */
export const hasInvisible = (text: string): boolean => escapeInvisible(text) !== text
