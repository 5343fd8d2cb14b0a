// A card: a call as lines of text, of which those that matter for a decision must be displayed before it.

/** The text of a file before or after the change. */
export interface DiffSide {
  /** Index of the file in the preview. */
  readonly file: number
  readonly side: 'before' | 'after'
}

/** The line of a file that a line of the card shows. Counted from 0. */
export interface FileLine extends DiffSide {
  readonly line: number
}

export interface CardLine {
  readonly text: string
  /** True if an approval requires that the line was displayed. */
  readonly isRequired: boolean
  /** The same line in a diff editor, which may be displayed instead. */
  readonly shownAt?: FileLine
}

export type Card = readonly CardLine[]

export const cardText = (card: Card): string => card.map(({ text }) => text).join('\n')
