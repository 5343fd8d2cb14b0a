// Shows a text page by page, and records if all of it has been on the screen.
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'

interface ScreenSize {
  rows: number
  columns: number
}

/** Rows of a page that are left for the prompt. */
const PROMPT_ROWS = 3
/** Maximum number of columns of a tab. */
const TAB_COLUMNS = 8
/** A line with more characters per column of a page is longer than the page, without being measured. */
const MAX_CHARACTERS_PER_COLUMN = 8

export class PagedText {
  /** The first line that is not shown may lack its start. */
  readonly #lines: string[]
  #shown = 0

  constructor(text: string) {
    this.#lines = text.split('\n')
  }

  /** Returns true once every line has been on the screen. */
  get isComplete(): boolean {
    return this.#shown >= this.#lines.length
  }

  /** Describes the position, such as `line 40 of 3012`. */
  get position(): string {
    return `line ${this.#shown} of ${this.#lines.length}`
  }

  /** Returns the lines that fit on the next page. A line that is longer than a page is shown in parts, without its colors. */
  takePage({ rows, columns }: ScreenSize): string {
    const from = this.#shown
    // A wide character may leave the last column empty.
    const width = Math.max(2, columns - 1)
    let left = Math.max(1, rows - PROMPT_ROWS)
    while (!this.isComplete) {
      const line = this.#lines[this.#shown]!
      const end = endWithin(line, left * width)
      if (end !== undefined && this.#shown > from) break
      if (end !== undefined) {
        const plain = stripVTControlCharacters(line)
        this.#lines[this.#shown] = plain.slice(end)
        return plain.slice(0, end)
      }
      left -= Math.max(1, Math.ceil(measure(line) / width))
      this.#shown += 1
    }
    return this.#lines.slice(from, this.#shown).join('\n')
  }
}

const measure = (text: string) =>
  text.split('\t').reduce((columns, part, index) => columns + stringWidth(part) + (index > 0 ? TAB_COLUMNS : 0), 0)

/** Returns how many characters of a line, without its colors, fit in this many columns. Undefined if all of it does. */
function endWithin(line: string, columns: number): number | undefined {
  if (line.length <= columns * MAX_CHARACTERS_PER_COLUMN && measure(line) <= columns) return undefined
  let used = 0
  const plain = stripVTControlCharacters(line)
  for (const { segment, index } of new Intl.Segmenter().segment(plain)) {
    used += measure(segment)
    if (used > columns) return Math.max(1, index)
  }
  return plain.length
}
