// Shows a text page by page, and records if all of it has been on the screen.
import { stripVTControlCharacters } from 'node:util'

export interface ScreenSize {
  rows: number
  columns: number
}

/** Rows of a page that are left for the prompt. */
const PROMPT_ROWS = 3

export class PagedText {
  readonly #lines: readonly string[]
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

  /** Returns the lines that fit on the next page, at least one. */
  takePage({ rows, columns }: ScreenSize): string {
    const from = this.#shown
    let left = Math.max(1, rows - PROMPT_ROWS)
    while (!this.isComplete) {
      left -= countRows(this.#lines[this.#shown]!, columns)
      if (left < 0 && this.#shown > from) break
      this.#shown += 1
    }
    return this.#lines.slice(from, this.#shown).join('\n')
  }
}

const countRows = (line: string, columns: number) =>
  Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns))
