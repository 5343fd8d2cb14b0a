// Changing a text by the hunks of a patch: all of them, or none.
import { indentsBetween, reindent } from '../edit/indent.ts'
import { type NotPlaced, type Placed, placeHunks } from './locate-hunks.ts'
import { type Candidate, nearestPlaces } from './nearest-places.ts'
import type { Hunk } from './patch.ts'
import { Ground, isMarked, type Match, marked, unmarked } from './target.ts'

/** Where a hunk went, told by the line of the file, from 1, that it begins with. */
export interface AppliedHunk {
  line: number
  match: Match
  /** How many lines further down than it says; told where it says anything. */
  offset?: number
  fuzz: number
}

export interface Applied {
  outcome: 'applied'
  text: string
  hunks: AppliedHunk[]
}

export interface NotApplied {
  outcome: NotPlaced['outcome']
  /** Which hunk, from 0. */
  hunk: number
  /** What it may be about. */
  candidates: Candidate[]
  /** How many places there are, candidates told or not. */
  places: number
  /** What it wants to make of the file stands there already. */
  already: boolean
}

/** `text` begins with the byte order mark, where the file has one. */
export function applyHunks(text: string, hunks: readonly Hunk[]): Applied | NotApplied {
  const ground = new Ground(text)
  const placed = placeHunks(ground, hunks)
  if ('outcome' in placed) {
    const { hunk, outcome, places } = placed
    return { outcome, hunk, places: places.length, ...nearestPlaces(ground, hunks[hunk]!, places) }
  }
  return {
    outcome: 'applied',
    text: changed(ground, hunks, placed),
    hunks: placed.map((place, i) => told(hunks[i]!, place))
  }
}

function told({ at: stated }: Hunk, { at, match, fuzz }: Placed): AppliedHunk {
  return { line: Math.max(0, at) + 1, match, ...(stated !== undefined && { offset: at - stated }), fuzz }
}

/** Lines from `from` up to `to` out, others in. */
interface Block {
  from: number
  to: number
  lines: NewLine[]
}

interface NewLine {
  text: string
  /** Its ending is that of the lines around it, not one that the patch gives. */
  fitted: boolean
}

function changed(ground: Ground, hunks: readonly Hunk[], placed: readonly Placed[]): string {
  const blocks = hunks.flatMap((hunk, i) => blocksOf(ground, hunk, placed[i]!))
  const lines: NewLine[] = []
  const keep = (from: number, to: number) => {
    for (let i = from; i < to; i++) lines.push({ text: ground.lines[i]!, fitted: false })
  }
  let at = 0
  for (const { from, to, lines: added } of blocks) {
    keep(at, from)
    lines.push(...added)
    at = to
  }
  const kept = ground.lines.length - at
  keep(at, ground.lines.length)
  const open = isOpen(ground, hunks.at(-1), placed.at(-1))
  endOpenLine(ground, lines, kept, blocks)
  const last = lines.at(-1)
  if (open && last?.fitted) last.text = last.text.replace(/\r$/, '')
  const all = lines.map(line => line.text).join('\n') + (open || lines.length === 0 ? '' : '\n')
  return staysMarked(ground, hunks[0], placed[0]) ? marked(all) : all
}

/** A last line that had no newline gets the ending of the one above, where others now follow it. */
function endOpenLine(ground: Ground, lines: NewLine[], kept: number, blocks: readonly Block[]) {
  const last = ground.lines.length - 1
  const block = blocks.at(-1)
  if (!ground.open || kept > 0 || !block || block.from <= last || block.lines.length === 0) return
  const line = lines[lines.length - 1 - block.lines.length]
  if (line && !line.text.endsWith('\r') && block.lines.some(({ fitted }) => fitted))
    line.text += endingOf(ground, last - 1)
}

function blocksOf(ground: Ground, hunk: Hunk, place: Placed): Block[] {
  const fit = fitterOf(ground, hunk, place)
  const blocks: Block[] = []
  let at = place.at
  let block: Block | undefined
  for (const [i, { sign }] of withoutMark(hunk, place).entries()) {
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

/** The lines of a hunk; a mark at the file's beginning is no part of them. */
function withoutMark({ lines }: Hunk, { at }: Placed) {
  if (at !== 0) return lines
  const first = { old: lines.findIndex(({ sign }) => sign !== '+'), new: lines.findIndex(({ sign }) => sign !== '-') }
  return lines.map((line, i) => (i === first.old || i === first.new ? { ...line, text: unmarked(line.text) } : line))
}

/** How the lines that a hunk adds look in this file. */
function fitterOf(ground: Ground, hunk: Hunk, place: Placed): (i: number, block: Block) => NewLine {
  const lines = withoutMark(hunk, place)
  const found = lines.some(({ sign }) => sign !== '+')
  const asWritten = found ? place.match === 'exact' : hunk.at !== undefined || ground.lines.length === 0
  if (asWritten) return i => ({ text: lines[i]!.text, fitted: false })
  const indented = place.match === 'indentation' ? indentedLines(ground, hunk, place) : undefined
  return (i, { from, to, lines: before }) => {
    const text = (indented?.[i] ?? lines[i]!.text).replace(/\r$/, '')
    const replaced = from + before.length
    const like = replaced < to ? replaced : from > 0 ? from - 1 : to
    return { text: text + endingOf(ground, like), fitted: true }
  }
}

function indentedLines(ground: Ground, hunk: Hunk, place: Placed): string[] {
  const old = hunk.lines.filter(({ sign }) => sign !== '+').map(({ text }) => text)
  const indents = indentsBetween(old, ground.lines.slice(place.at, place.at + old.length))!
  return reindent(
    hunk.lines.map(({ text }) => text),
    indents
  )
}

/** What ends a line besides the newline. A last line without one is taken to end as the one above it. */
function endingOf({ lines, open }: Ground, i: number): '\r' | '' {
  const at = i >= lines.length - 1 && open ? lines.length - 2 : i
  return lines[at]?.endsWith('\r') ? '\r' : ''
}

/** Whether the last line ends without a newline. A patch that does not change that leaves it as it is. */
function isOpen(ground: Ground, hunk: Hunk | undefined, place: Placed | undefined): boolean {
  if (!hunk || !place) return ground.open
  const old = hunk.lines.filter(({ sign }) => sign !== '+')
  const now = hunk.lines.filter(({ sign }) => sign !== '-')
  if (place.at + old.length < ground.lines.length) return ground.open
  const [was, is] = [old.at(-1)?.open === true, now.at(-1)?.open === true]
  return was === is ? ground.open : is
}

/** Whether the file begins with a byte order mark, likewise. */
function staysMarked(ground: Ground, hunk: Hunk | undefined, place: Placed | undefined): boolean {
  if (!hunk || place?.at !== 0) return ground.marked
  const begins = (other: '+' | '-') => isMarked(hunk.lines.find(({ sign }) => sign !== other)?.text ?? '')
  const [was, is] = [begins('+'), begins('-')]
  return was === is ? ground.marked : is
}
