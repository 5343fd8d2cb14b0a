// A file as it will be after some edits, one applied on the result of the other, all of them or none; with what a person
// must see to agree. Values in, values out: it may be worked out on another thread.
import { createHash } from 'node:crypto'
import { binaryDiff } from '../diff/binary-diff.ts'
import { type Diff, unifiedDiff } from '../diff/unified-diff.ts'
import { decode, type Encoding, encode } from '../encoding.ts'
import { applyEdit, type Edit, type EditCandidate, type EditNotApplied, type MatchKind } from './apply-edit.ts'
import type { LineWindow } from './line-window.ts'

/** What is to be planned. Public, for the table of jobs is: its declarations name it. */
export interface FileEdits {
  path: string
  bytes: Uint8Array
  edits: readonly Edit[]
  /** What planning the same edits of the same file found before. */
  known?: SimilarityCache | undefined
}

/** Where texts stand that are only similar: looking for them takes longer than all the rest. */
export interface SimilarityCache {
  /** Of the file and the edits: it holds for these alone. */
  hash: string
  /** By edit. */
  windows: (LineWindow | undefined)[]
}

export interface AppliedEdit {
  replacements: number
  match: MatchKind
  similarity: number
}

export interface EditCandidateDiff extends Omit<EditCandidate, 'text'> {
  /** How the quoted text differs from what stands there. */
  diff: string
}

export type EditPlan =
  | {
      outcome: 'edited'
      bytes: Uint8Array
      diff: Diff
      /** For git, where the file is not in UTF-8, so that no diff of its text is one of its bytes. */
      git_patch?: string
      edits: AppliedEdit[]
      known?: SimilarityCache
    }
  | { outcome: 'not_text' }
  /** What the edit makes is there already. */
  | { outcome: 'unchanged'; edit: number }
  /** New text that the file's encoding cannot say. */
  | { outcome: 'unwritable'; edit: number; encoding: Encoding }
  | (Omit<EditNotApplied, 'candidates'> & { edit: number; candidates: EditCandidateDiff[] })

const CANDIDATE_LINES = 20

export function planEdits({ path, bytes, edits, known }: FileEdits): EditPlan {
  const before = decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (!before) return { outcome: 'not_text' }
  let { text } = before
  const applied: AppliedEdit[] = []
  const holds = known !== undefined && known.hash === cacheKey(bytes, edits)
  const windows: (LineWindow | undefined)[] = []
  for (const [at, edit] of edits.entries()) {
    const result = applyEdit(text, before.eol, edit, holds ? known.windows[at] : undefined)
    if (result.outcome !== 'edited')
      return { ...result, edit: at, candidates: toCandidateDiffs(path, edit.old, result) }
    const last = at === edits.length - 1
    if (result.text === text || (last && result.text === before.text)) return { outcome: 'unchanged', edit: at }
    const { replacements, match, similarity } = result
    applied.push({ replacements, match, similarity })
    windows.push(result.window)
    text = result.text
    // The other encodings have every character.
    if (before.encoding === 'latin1' && !encode(text, 'latin1'))
      return { outcome: 'unwritable', edit: at, encoding: 'latin1' }
  }
  const after = encode(text, before.encoding)!
  const mark = before.encoding === 'utf-8-bom' ? '\ufeff' : ''
  const diff = unifiedDiff(path, mark + before.text, mark + text)
  const found = windows.some(window => window) && { known: { hash: cacheKey(bytes, edits), windows } }
  const patch = !before.encoding.startsWith('utf-8') && {
    git_patch: binaryDiff({ path, bytes }, { path, bytes: after })
  }
  return { outcome: 'edited', bytes: after, diff, ...patch, edits: applied, ...found }
}

const cacheKey = (bytes: Uint8Array, edits: readonly Edit[]) =>
  createHash('sha256').update(bytes).update(JSON.stringify(edits)).digest('hex')

/** How much work a plan is at most, in steps of some ten nanoseconds. */
export function estimatePlanSteps({ bytes, edits }: FileEdits): number {
  const looking = edits.reduce((sum, { old }) => sum + (bytes.length * (old.length + 100)) / 100, bytes.length)
  if (looking > MAX_INLINE_STEPS) return looking
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const likening = edits.reduce(
    (sum, { old }) => sum + (text.includes(old) ? 0 : estimateSimilaritySteps(text, old)),
    0
  )
  const lines = edits.reduce((sum, edit) => sum + (edit.places === 'all' ? bytes.length / 5 : countEditLines(edit)), 0)
  return looking + likening + lines * lines * 4
}

/** More than anybody does on the spot. */
const MAX_INLINE_STEPS = 1_000_000

/** Where every stretch of a text is somewhat similar, as where lines repeat, each must be compared. */
function estimateSimilaritySteps(text: Buffer, old: string) {
  const stretches = text.toString('latin1').split('\n').length
  return stretches * (old.length * 2 + 32) * (old.length / 32 + 1)
}

const countEditLines = (edit: Edit) => edit.old.split('\n').length + edit.new.split('\n').length

const toCandidateDiffs = (path: string, old: string, { candidates }: EditNotApplied): EditCandidateDiff[] =>
  candidates.map(({ text, ...candidate }) => ({ ...candidate, diff: candidateDiff(path, old, text) }))

/** Bounded: a candidate is told to be recognised. */
function candidateDiff(path: string, old: string, text: string) {
  const wanted = old.endsWith('\n') || !text.endsWith('\n') ? old : `${old}\n`
  const lines = unifiedDiff(path, wanted, text).diff.split('\n').slice(2)
  return lines.length > CANDIDATE_LINES ? [...lines.slice(0, CANDIDATE_LINES), '…'].join('\n') : lines.join('\n')
}
