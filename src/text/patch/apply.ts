// Applies the hunks of a patch to a text: all or none.
import { mapIndents, reindent } from '../edit/indent.ts'
import { toDisplayText } from '../encoding.ts'
import { restoreBytes, type UncertainBytes } from '../replaced-bytes.ts'
import { type HunkNotPlaced, type HunkPlacement, locateHunks } from './locate-hunks.ts'
import { type HunkCandidate, nearestPlaces } from './nearest-places.ts'
import type { Hunk } from './patch-model.ts'
import { addBom, type HunkMatch, hasBom, PatchTarget, stripBom } from './target.ts'

/** Location of an applied hunk, by the line of the file, from 1, at which it begins. */
export interface AppliedHunk {
  line: number
  match: HunkMatch
  /** Number of lines below the stated position, if it states one. */
  offset?: number
  fuzz: number
}

export interface PatchApplied {
  outcome: 'applied'
  text: string
  hunks: AppliedHunk[]
}

export interface PatchNotApplied {
  outcome: HunkNotPlaced['outcome']
  /** Index of the hunk, from 0. */
  hunk: number
  /** Candidate locations. */
  candidates: HunkCandidate[]
  /** Number of matches, listed or not. */
  places: number
  /** The hunk is applied already. */
  already: boolean
}

/** A hunk whose new lines do not have U+FFFD as often as the lines they replace. */
export interface UncertainHunk extends UncertainBytes {
  hunk: number
}

/**
 * Applies the hunks. Bytes that are not in the encoding are quoted as they are shown, by U+FFFD, and stay where the new lines have
 * it, too. `text` begins with the byte order mark, if the file has one.
 */
export function applyHunks(text: string, hunks: readonly Hunk[]): PatchApplied | PatchNotApplied | UncertainHunk {
  const target = new PatchTarget(toDisplayText(text))
  const original = text.isWellFormed() ? target : new PatchTarget(text)
  const placed = locateHunks(target, hunks)
  if ('outcome' in placed) {
    const { hunk, outcome, places } = placed
    return { outcome, hunk, places: places.length, ...nearestPlaces(target, hunks[hunk]!, places) }
  }
  const blocks: Block[] = []
  for (const [i, hunk] of hunks.entries())
    for (const block of toBlocks(target, hunk, placed[i]!)) {
      const lines = original === target ? block.lines : restoreLines(original, block)
      if ('outcome' in lines) return { ...lines, hunk: i }
      blocks.push({ ...block, lines })
    }
  return {
    outcome: 'applied',
    text: applyPlacements(original, { hunks, placed, blocks }),
    hunks: placed.map((place, i) => toAppliedHunk(hunks[i]!, place))
  }
}

function toAppliedHunk({ at: stated }: Hunk, { at, match, fuzz }: HunkPlacement): AppliedHunk {
  return { line: Math.max(0, at) + 1, match, ...(stated !== undefined && { offset: at - stated }), fuzz }
}

/** Replaces lines from `from` up to `to`. */
interface Block {
  from: number
  to: number
  lines: NewLine[]
}

interface NewLine {
  text: string
  /** Its line ending is that of the surrounding lines, not the patch's. */
  usesFileEol: boolean
}

function restoreLines({ lines }: PatchTarget, { from, to, lines: added }: Block): NewLine[] | UncertainBytes {
  const texts = restoreBytes(lines.slice(from, to).join('\n'), added.map(({ text }) => text).join('\n'))
  if (typeof texts !== 'string') return texts
  return texts.split('\n').flatMap((text, i) => (added[i] ? { ...added[i], text } : []))
}

interface PlacedHunks {
  hunks: readonly Hunk[]
  placed: readonly HunkPlacement[]
  blocks: readonly Block[]
}

function applyPlacements(target: PatchTarget, { hunks, placed, blocks }: PlacedHunks): string {
  const lines: NewLine[] = []
  const keep = (from: number, to: number) => {
    for (let i = from; i < to; i++) lines.push({ text: target.lines[i]!, usesFileEol: false })
  }
  let at = 0
  for (const { from, to, lines: added } of blocks) {
    keep(at, from)
    lines.push(...added)
    at = to
  }
  const remaining = target.lines.length - at
  keep(at, target.lines.length)
  const open = endsWithoutNewline(target, hunks.at(-1), placed.at(-1))
  terminateLastLine(target, lines, remaining, blocks)
  const last = lines.at(-1)
  if (open && last?.usesFileEol) last.text = last.text.replace(/\r$/, '')
  const all = lines.map(line => line.text).join('\n') + (open || lines.length === 0 ? '' : '\n')
  return keepsBom(target, hunks[0], placed[0]) ? addBom(all) : all
}

/** A last line without newline gets the ending of the previous one if lines are added after it. */
function terminateLastLine(target: PatchTarget, lines: NewLine[], remaining: number, blocks: readonly Block[]) {
  const last = target.lines.length - 1
  const block = blocks.at(-1)
  if (!target.endsWithoutNewline || remaining > 0 || !block || block.from <= last || block.lines.length === 0) return
  const line = lines[lines.length - 1 - block.lines.length]
  if (line && !line.text.endsWith('\r') && block.lines.some(({ usesFileEol }) => usesFileEol))
    line.text += carriageReturnAt(target, last - 1)
}

function toBlocks(target: PatchTarget, hunk: Hunk, place: HunkPlacement): Block[] {
  const fit = lineFitter(target, hunk, place)
  const blocks: Block[] = []
  let at = place.at
  let block: Block | undefined
  for (const [i, { sign }] of linesWithoutBom(hunk, place).entries()) {
    if (sign === ' ') {
      block = undefined
      at++
      continue
    }
    if (!block) {
      block = { from: at, to: at, lines: [] }
      blocks.push(block)
    }
    if (sign === '-') block.to = ++at
    else block.lines.push(fit(i, block))
  }
  return blocks
}

/** Returns the lines of a hunk without a byte order mark at the file's beginning. */
function linesWithoutBom({ lines }: Hunk, { at }: HunkPlacement) {
  if (at !== 0) return lines
  const first = { old: lines.findIndex(({ sign }) => sign !== '+'), new: lines.findIndex(({ sign }) => sign !== '-') }
  return lines.map((line, i) => (i === first.old || i === first.new ? { ...line, text: stripBom(line.text) } : line))
}

/** Returns a function that adapts the added lines of a hunk to this file. */
function lineFitter(target: PatchTarget, hunk: Hunk, place: HunkPlacement): (i: number, block: Block) => NewLine {
  const lines = linesWithoutBom(hunk, place)
  const found = lines.some(({ sign }) => sign !== '+')
  const asWritten = found ? place.match === 'exact' : hunk.at !== undefined || target.lines.length === 0
  if (asWritten) return i => ({ text: lines[i]!.text, usesFileEol: false })
  const indented = place.match === 'indentation' ? reindentHunk(target, hunk, place) : undefined
  return (i, { from, to, lines: before }) => {
    const text = (indented?.[i] ?? lines[i]!.text).replace(/\r$/, '')
    const replaced = from + before.length
    const like = replaced < to ? replaced : from > 0 ? from - 1 : to
    return { text: text + carriageReturnAt(target, like), usesFileEol: true }
  }
}

function reindentHunk(target: PatchTarget, hunk: Hunk, place: HunkPlacement): string[] {
  const old = hunk.lines.filter(({ sign }) => sign !== '+').map(({ text }) => text)
  const indents = mapIndents(old, target.lines.slice(place.at, place.at + old.length))!
  return reindent(
    hunk.lines.map(({ text }) => text),
    indents
  )
}

/** Returns the CR of a line, if any. A last line without ending is assumed to end as the previous one. */
function carriageReturnAt({ lines, endsWithoutNewline }: PatchTarget, i: number): '\r' | '' {
  const at = i >= lines.length - 1 && endsWithoutNewline ? lines.length - 2 : i
  return lines[at]?.endsWith('\r') ? '\r' : ''
}

/** Determines if the last line ends without a newline. A patch that does not change that preserves it. */
function endsWithoutNewline(target: PatchTarget, hunk: Hunk | undefined, place: HunkPlacement | undefined): boolean {
  if (!hunk || !place) return target.endsWithoutNewline
  const old = hunk.lines.filter(({ sign }) => sign !== '+')
  const now = hunk.lines.filter(({ sign }) => sign !== '-')
  if (place.at + old.length < target.lines.length) return target.endsWithoutNewline
  const [was, is] = [old.at(-1)?.open === true, now.at(-1)?.open === true]
  return was === is ? target.endsWithoutNewline : is
}

/** Determines if the file begins with a byte order mark, likewise. */
function keepsBom(target: PatchTarget, hunk: Hunk | undefined, place: HunkPlacement | undefined): boolean {
  if (!hunk || place?.at !== 0) return target.hasBom
  const begins = (other: '+' | '-') => hasBom(hunk.lines.find(({ sign }) => sign !== other)?.text ?? '')
  const [was, is] = [begins('+'), begins('-')]
  return was === is ? target.hasBom : is
}
