// Estimates the maximum cost of applying hunks to a text.
import type { Hunk } from './patch-model.ts'
import { MAX_PLACES } from './target.ts'

export interface ApplyHunksInput {
  text: string
  hunks: readonly Hunk[]
}

/** In longer texts every character counts as a line: counting lines would be expensive itself. */
const MAX_LINE_COUNT_LENGTH = 65_536

/** Returns steps of some ten nanoseconds. */
export function estimateApplySteps({ text, hunks }: ApplyHunksInput): number {
  const lines = text.length > MAX_LINE_COUNT_LENGTH ? text.length : text.split('\n').length
  const sizes = hunks.map(measureHunk)
  const sum = (of: keyof Size) => sizes.reduce((all, size) => all + size[of], 0)
  const most = (of: keyof Size) => sizes.reduce((all, size) => Math.max(all, size[of]), 0)
  const reading = 10 * (text.length + sum('letters'))
  // With repeated lines, each hunk may match, or nearly match, everywhere.
  const placing = lines * (6 * hunks.length + 5 * sum('old')) + 20 * sum('anchors') * Math.min(lines, MAX_PLACES)
  // Candidate locations are compared line by line, and one line character by character.
  const nearest = 6 * most('old') ** 2 + (text.length * most('longest')) / 100
  return reading + placing + nearest
}

interface Size {
  letters: number
  /** Number of lines to find. */
  old: number
  /** Length of the longest of them. */
  longest: number
  anchors: number
}

function measureHunk({ lines, anchors }: Hunk): Size {
  let [letters, old, longest] = [0, 0, 0]
  for (const { sign, text } of lines) {
    letters += text.length + 1
    if (sign === '+') continue
    old++
    longest = Math.max(longest, text.length)
  }
  return { letters, old, longest, anchors: anchors.length }
}
