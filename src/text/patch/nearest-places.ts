// Finds candidate locations for a hunk that matches nowhere, or ambiguously.
import { distance } from 'fastest-levenshtein'
import { unifiedDiff } from '../diff/unified-diff.ts'
import type { Hunk } from './patch-model.ts'
import { EXACT, INDENTATION, type PatchTarget } from './target.ts'

/** A candidate location; lines count from 1. */
export interface HunkCandidate {
  start_line: number
  end_line: number
  /** Share of the hunk's lines that match there. */
  similarity: number
  /** Diff from the expected to the actual lines. */
  diff: string
}

const MAX_CANDIDATES = 3
const DIFF_LINES = 20
/** Minimum similarity of a candidate. */
const MIN_SIMILARITY = 0.2
/** More frequent lines are not distinctive. */
const MAX_LINE_OCCURRENCES = 200
/** Limit on the cost of finding a similar line: thirty-two pairs of characters are compared at once. */
const MAX_COMPARE_STEPS = 10_000_000

export function nearestPlaces(target: PatchTarget, hunk: Hunk, places: readonly number[]) {
  const old = hunk.lines.flatMap(({ sign, text }) => (sign === '+' ? [] : [text]))
  const now = hunk.lines.flatMap(({ sign, text }) => (sign === '-' ? [] : [text]))
  const found =
    places.length > 0
      ? places.slice(0, MAX_CANDIDATES).map(at => ({ at, similarity: 1 }))
      : similarPlaces(target, hunk, old)
  const already =
    places.length === 0 && now.length > 0 && target.findPlaces(EXACT, { lines: now, open: undefined }).length > 0
  return { candidates: found.map(place => candidate(target, old, place)), already }
}

interface SimilarPlace {
  at: number
  similarity: number
}

/** Each matching line votes for the corresponding location of the hunk. */
function similarPlaces(target: PatchTarget, hunk: Hunk, old: readonly string[]): SimilarPlace[] {
  const nonBlank = old.filter(line => line.trim() !== '').length
  const votes = new Map<number, number>()
  for (const [i, line] of old.entries()) {
    if (line.trim() === '') continue
    const at = target.findPlaces(INDENTATION, { lines: [line], open: undefined })
    if (at.length <= MAX_LINE_OCCURRENCES) for (const place of at) votes.set(place - i, (votes.get(place - i) ?? 0) + 1)
  }
  const stated = hunk.at ?? 0
  const found = [...votes]
    .map(([at, count]) => ({ at: Math.max(0, at), similarity: count / nonBlank }))
    .sort((a, b) => b.similarity - a.similarity || Math.abs(a.at - stated) - Math.abs(b.at - stated))
    .filter(({ similarity }) => similarity >= MIN_SIMILARITY)
  return found.length > 0 ? found.slice(0, MAX_CANDIDATES) : findMostSimilarLine(target, old)
}

/** If no line of the hunk matches: the location of the line most similar to its longest. */
function findMostSimilarLine(target: PatchTarget, old: readonly string[]): SimilarPlace[] {
  const longest = old.reduce((best, line, i) => (line.trim().length > (old[best] ?? '').trim().length ? i : best), 0)
  const wanted = old[longest]?.trim() ?? ''
  let left = MAX_COMPARE_STEPS
  let best: SimilarPlace | undefined
  for (const [i, line] of target.lines.entries()) {
    const text = line.trim()
    const longer = Math.max(text.length, wanted.length)
    if (text === '' || wanted.length > 10 * text.length || text.length > 10 * wanted.length) continue
    left -= text.length + wanted.length + (text.length * wanted.length) / 32
    if (left < 0) break
    const similarity = 1 - distance(text, wanted) / longer
    if (similarity > (best?.similarity ?? 0.5)) best = { at: i - longest, similarity }
  }
  return best ? [{ at: Math.max(0, best.at), similarity: best.similarity / Math.max(1, old.length) }] : []
}

function candidate(target: PatchTarget, old: readonly string[], { at, similarity }: SimilarPlace): HunkCandidate {
  const end = Math.min(target.lines.length, Math.max(at + old.length, at + 1))
  const text = (lines: readonly string[]) => lines.map(line => `${line}\n`).join('')
  const lines = unifiedDiff('', text(old), text(target.lines.slice(at, end)))
    .diff.split('\n')
    .slice(3)
  const shown = lines.length > DIFF_LINES ? [...lines.slice(0, DIFF_LINES), '…'] : lines
  return {
    start_line: at + 1,
    end_line: Math.max(at + 1, end),
    similarity: Math.floor(similarity * 1000) / 1000,
    diff: shown.join('\n')
  }
}
