// The old and new text of an edit, and what replaces a match.

/** Old and new text, taken literally. */
export interface Quote {
  old: string
  new: string
}

export interface Replacement {
  start: number
  end: number
  /** Computed lazily: of many matches, mostly none is replaced. */
  readonly text: string
  /** The replacement takes on the indentation of its place, though the quote is found exactly. */
  readonly match?: 'indentation'
  /** The indentation of the new text may be wrong: its further lines may lack what the quote lacks. */
  readonly isUncertain?: true
}
