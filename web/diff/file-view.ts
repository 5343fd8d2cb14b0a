// Keeps how much of each file of a review is shown, so that it is shown again when the card of a waiting call opens again.
import type { ShownContext } from './context-rows.ts'
import type { Review, ReviewedPart } from './review.ts'

/** The parts of a file that a person has expanded. The component that shows the file updates it. */
export interface FileView {
  /** A long diff is unfolded. */
  isWhole?: boolean
  /** Unchanged lines, with the text that they are from. */
  context?: { lines: readonly string[]; shown: ShownContext }
}

const views = new WeakMap<Review, Map<string, FileView>>()

/** Returns the view of a part of a review; that of a diff without a review is not kept. */
export function getFileView(viewed: ReviewedPart | undefined): FileView {
  if (!viewed) return {}
  const parts = views.get(viewed.review) ?? new Map<string, FileView>()
  views.set(viewed.review, parts)
  const view = parts.get(viewed.part) ?? {}
  parts.set(viewed.part, view)
  return view
}
