// Records which lines of a card have been displayed, in the card or in a diff editor. Nothing is approved before all lines that
// matter for the decision have been.
import type { Card, CardLine, DiffSide } from './card.ts'
import { hasInvisible } from './card-writer.ts'

/** A range of visible lines, counted from 0. The last one is included. */
export interface VisibleLines {
  readonly first: number
  readonly last: number
}

/**
 * Maximum number of columns of a line that counts as displayed in a diff editor that does not wrap lines: no editor of a usual
 * window is narrower.
 */
const MAX_UNWRAPPED_COLUMNS = 40
const TAB_COLUMNS = 8

export class Displayed {
  readonly card: Card
  readonly #seen = new Set<number>()

  constructor(card: Card) {
    this.card = card
  }

  /** Continues the record with another card: lines that are equal, from the start and from the end, remain displayed. */
  continueWith(card: Card): Displayed {
    const next = new Displayed(card)
    const isEqual = (line: number, now: number) => this.card[line]?.text === card[now]?.text
    let start = 0
    for (; start < card.length && isEqual(start, start); start++) if (this.#seen.has(start)) next.#seen.add(start)
    const shift = card.length - this.card.length
    for (let line = this.card.length - 1; line >= start && line + shift >= start && isEqual(line, line + shift); line--)
      if (this.#seen.has(line)) next.#seen.add(line + shift)
    return next
  }

  /** Records lines that are visible in the card. */
  seeCard({ first, last }: VisibleLines) {
    for (let line = first; line <= last; line++) this.#seen.add(line)
  }

  /** Records lines of a file that are visible in a diff editor. */
  seeFile({ file, side }: DiffSide, { first, last }: VisibleLines, isWrapped: boolean) {
    for (const [index, line] of this.card.entries()) {
      const at = line.shownAt
      if (at?.file !== file || at.side !== side || at.line < first || at.line > last) continue
      if (fitsDiff(line, isWrapped)) this.#seen.add(index)
    }
  }

  /** Returns the lines of the card that must still be displayed. */
  missing(): number[] {
    return this.card.flatMap(({ isRequired }, line) => (isRequired && !this.#seen.has(line) ? [line] : []))
  }

  /** Returns true if a diff editor shows all of the line. */
  isShownInDiff(line: number, isWrapped: boolean): boolean {
    const found = this.card[line]
    return found?.shownAt !== undefined && fitsDiff(found, isWrapped)
  }
}

/** A card shows invisible characters as code points, and wraps long lines. */
function fitsDiff({ text }: CardLine, isWrapped: boolean): boolean {
  return !text.includes('\\u{') && !hasInvisible(text) && (isWrapped || countColumns(text) <= MAX_UNWRAPPED_COLUMNS)
}

/** Wide characters are counted as two columns: a text in them is one long line sooner. */
function countColumns(text: string): number {
  let columns = 0
  for (const character of text) columns += character === '\t' ? TAB_COLUMNS : character > '\u02ff' ? 2 : 1
  return columns
}

/** Describes the lines that are missing: `3 lines were not displayed yet`. */
export const describeMissing = (count: number): string =>
  count === 1 ? '1 line was not displayed yet' : `${count} lines were not displayed yet`
