// Tracks which parts of a preview have been on the screen. Nothing is approved before all of them have: what was never displayed
// was never reviewed.
import { signal } from '@preact/signals'
import type { Approval } from '../../src/client/client.ts'
import { parseDiffRows } from './diff-rows.ts'

export type ReviewedPreview = Approval['preview']

type PartKind = 'notes' | 'text' | 'executed file' | 'rest of the text' | 'file' | 'diff' | 'params'

/** A part of a preview that is marked as viewed on its own. */
export interface ReviewPart {
  key: string
  kind: PartKind
}

/** The parts of one preview. The id is unique to the call and the digest of the preview, so that a new preview starts over. */
export interface Review {
  id: string
  parts: readonly ReviewPart[]
}

/** A part of a review, as the component has it that shows the part. */
export interface ReviewedPart {
  review: Review
  part: string
}

/** Viewed parts by review. */
const viewedParts = signal<ReadonlyMap<string, ReadonlySet<string>>>(new Map())

export const fileKey = (index: number) => `file ${index}`
export const executedKey = (index: number) => `executed ${index}`

/** Lists the parts of a preview. Params count as content if neither a text nor a diff shows what they would do. */
export function createReview(id: string, preview: ReviewedPreview | undefined, params?: unknown): Review {
  const parts: ReviewPart[] = [{ key: 'notes', kind: 'notes' }]
  if (preview?.text !== undefined) {
    parts.push({ key: 'text', kind: 'text' })
    const executed = preview.sections?.slice(1) ?? []
    parts.push(...executed.map((_, index): ReviewPart => ({ key: executedKey(index), kind: 'executed file' })))
  }
  // A part that no card shows: it counts until the whole preview has been loaded.
  if (preview?.cut) parts.push({ key: 'rest', kind: 'rest of the text' })
  if (preview?.diff !== undefined) {
    const files = parseDiffRows(preview.diff)
    if (files) parts.push(...files.map((_, index): ReviewPart => ({ key: fileKey(index), kind: 'file' })))
    else parts.push({ key: 'diff', kind: 'diff' })
  }
  if (preview?.text === undefined && preview?.diff === undefined && hasEntries(params))
    parts.push({ key: 'params', kind: 'params' })
  return { id, parts }
}

const hasEntries = (params: unknown) => typeof params === 'object' && params !== null && Object.keys(params).length > 0

export const isPartViewed = ({ id }: Review, key: string): boolean => viewedParts.value.get(id)?.has(key) ?? false

export function setPartViewed({ id }: Review, key: string, isViewed: boolean) {
  const before = viewedParts.peek().get(id)
  if ((before?.has(key) ?? false) === isViewed) return
  const after = new Set(before)
  if (isViewed) after.add(key)
  else after.delete(key)
  viewedParts.value = new Map(viewedParts.peek()).set(id, after)
}

/** Returns whether any part was viewed, which needs no list of the parts. */
export const hasViewedParts = (id: string): boolean => (viewedParts.value.get(id)?.size ?? 0) > 0

export const isFullyViewed = (review: Review): boolean => review.parts.every(({ key }) => isPartViewed(review, key))

const WORD_LIST = new Intl.ListFormat('en-GB')

/** Kinds of which a preview may have many. */
const COUNTED_KINDS: readonly PartKind[] = ['executed file', 'file']

/** Describes what was not viewed: `text and 3 of 40 files not viewed completely`. Returns undefined if everything was. */
export function describeUnviewed(review: Review): string | undefined {
  const missing = review.parts.filter(({ key }) => !isPartViewed(review, key))
  if (missing.length === 0) return undefined
  const others = missing.filter(({ kind }) => !COUNTED_KINDS.includes(kind)).map(({ kind }) => kind)
  const counts = COUNTED_KINDS.flatMap(counted => {
    const count = missing.filter(({ kind }) => kind === counted).length
    const all = review.parts.filter(({ kind }) => kind === counted).length
    return count === 0 ? [] : [`${count} of ${all} ${all === 1 ? counted : `${counted}s`}`]
  })
  return `${WORD_LIST.format([...others, ...counts])} not viewed completely`
}
