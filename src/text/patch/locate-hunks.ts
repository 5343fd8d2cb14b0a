// Locates the hunks of a patch in a file.
import type { Hunk } from './patch-model.ts'
import { EXACT, type HunkMatch, MATCH_LEVELS, type MatchLevel, type PatchTarget, type WantedLines } from './target.ts'

export interface HunkPlacement {
  /** Line of the file, from 0, of the hunk's first line. Negative if missing context was left out. */
  at: number
  match: HunkMatch
  /** Maximum number of context lines left out at the ends. */
  fuzz: number
}

export interface HunkNotPlaced {
  /** Index of the hunk, from 0. */
  hunk: number
  outcome: 'not_found' | 'ambiguous'
  /** First lines, from 0, of equally good locations. */
  places: number[]
}

/** The lines to find, and the range of the changes in them. */
interface Core {
  wanted: WantedLines
  /** Number of context lines left out at the beginning. */
  skipped: number
  /** Number of lines before the first change, and up to the end of the last one. */
  changesFrom: number
  changesTo: number
}

const MAX_FUZZ = 2
/** With context left out, the rest must match except for invisible differences. */
const FUZZY_LEVELS = MATCH_LEVELS.slice(0, 3)

export function locateHunks(target: PatchTarget, hunks: readonly Hunk[]): HunkPlacement[] | HunkNotPlaced {
  return hunks[0]?.at === undefined ? locateByText(target, hunks) : locateByNumber(target, hunks)
}

function hunkCore(hunk: Hunk, fuzz = 0): Core {
  const [lead, trail] = contextLengths(hunk)
  const most = Math.max(lead, trail)
  // As in patch: the longer end is shortened first.
  const skipped = Math.min(lead, Math.max(0, fuzz + lead - most))
  const dropped = Math.min(trail, Math.max(0, fuzz + trail - most))
  const all = hunk.lines.filter(({ sign }) => sign !== '+')
  const old = all.slice(skipped, all.length - dropped)
  const isExactEnd = hunk.at !== undefined && dropped === 0
  const wanted = { lines: old.map(({ text }) => text), open: isExactEnd ? old.at(-1)?.open === true : undefined }
  return { wanted, skipped, changesFrom: lead - skipped, changesTo: old.length - (trail - dropped) }
}

function contextLengths({ lines }: Hunk): [number, number] {
  const lead = lines.findIndex(({ sign }) => sign !== ' ')
  const last = lines.findLastIndex(({ sign }) => sign !== ' ')
  return [lead, lines.length - 1 - last]
}

/** Locates each hunk as near as possible to its stated line, shifted by the offset of the previous one. */
function locateByNumber(target: PatchTarget, hunks: readonly Hunk[]): HunkPlacement[] | HunkNotPlaced {
  const placed: HunkPlacement[] = []
  let moved = 0
  let end = 0
  for (const [i, hunk] of hunks.entries()) {
    const found = locateNear(target, hunk, hunk.at! + moved, end)
    if ('places' in found) return { hunk: i, ...found }
    placed.push(found)
    moved = found.at - hunk.at!
    end = found.at + lastChangeOffset(hunk)
  }
  return placed
}

function locateNear(
  target: PatchTarget,
  hunk: Hunk,
  expected: number,
  end: number
): HunkPlacement | Omit<HunkNotPlaced, 'hunk'> {
  if (hunkCore(hunk).wanted.lines.length === 0) return locateAtNumber(target, hunk, expected, end)
  for (let fuzz = 0; fuzz <= MAX_FUZZ; fuzz++) {
    const core = hunkCore(hunk, fuzz)
    if (fuzz > 0 && core.wanted.lines.every(line => line.trim() === '')) break
    for (const level of fuzz === 0 ? MATCH_LEVELS : FUZZY_LEVELS) {
      const place = (at: number): HunkPlacement => ({ at: at - core.skipped, match: level.match, fuzz })
      const wanted = expected + core.skipped
      const first = end - core.changesFrom
      if (wanted >= first && target.matchesAt(level, core.wanted, wanted)) return place(wanted)
      const places = target.findPlaces(level, core.wanted).filter(at => at >= first)
      const least = Math.min(...places.map(at => Math.abs(at - wanted)))
      const nearest = places.filter(at => Math.abs(at - wanted) === least)
      if (nearest.length > 1) return { outcome: 'ambiguous', places: nearest }
      if (nearest.length === 1) return place(nearest[0]!)
    }
  }
  return { outcome: 'not_found', places: [] }
}

/** Lines to add without context can be located only by number. */
function locateAtNumber(
  target: PatchTarget,
  hunk: Hunk,
  expected: number,
  end: number
): HunkPlacement | Omit<HunkNotPlaced, 'hunk'> {
  const { length } = target.lines
  const at = hunk.at === 0 ? 0 : expected
  if (at < end || at > length) return { outcome: 'not_found', places: [] }
  return { at, match: length === 0 ? 'exact' : 'line_number', fuzz: 0 }
}

/** Returns the number of lines of the file that a hunk covers, up to its last change. */
function lastChangeOffset(hunk: Hunk) {
  const core = hunkCore(hunk)
  return core.skipped + core.changesTo
}

interface Choice {
  level: MatchLevel
  /** Possible locations, in order. */
  places: number[]
  from: number
  to: number
}

/** Locates hunks in file order, and only if the result is unambiguous. */
function locateByText(target: PatchTarget, hunks: readonly Hunk[]): HunkPlacement[] | HunkNotPlaced {
  const choices: Choice[] = []
  let end = 0
  for (const [i, hunk] of hunks.entries()) {
    const core = hunkCore(hunk)
    const choice = choose(target, hunk, core, end)
    if (!choice) return { hunk: i, outcome: 'not_found', places: [] }
    choices.push({ ...choice, from: core.changesFrom, to: core.changesTo })
    end = choice.places[0]! + core.changesTo
  }
  let limit = target.lines.length
  for (const [i, { places, from, to }] of [...choices.entries()].reverse()) {
    const last = places.findLast(at => at + to <= limit)!
    const fitting = places.filter(at => at <= last)
    if (fitting.length > 1) return { hunk: i, outcome: 'ambiguous', places: fitting }
    limit = last + from
  }
  return choices.map(({ level, places }) => ({ at: places[0]!, match: level.match, fuzz: 0 }))
}

/** Returns the matches at the strictest level that has any. */
function choose(target: PatchTarget, hunk: Hunk, { wanted, changesFrom }: Core, end: number) {
  const { lines } = wanted
  const runs = hunk.anchors.length > 0 ? findAnchorRuns(target, hunk.anchors) : undefined
  for (const level of MATCH_LEVELS) {
    const all = lines.length > 0 ? target.findPlaces(level, wanted) : insertionPlaces(target, hunk, level)
    const open = hunk.at_end ? all.filter(at => at + lines.length === target.lines.length) : all
    const led = runs ? placesBelowAnchors(runs, lines.length, open) : open
    const places = led.filter(at => at + changesFrom >= end)
    if (places.length > 0) return { level, places }
  }
  return undefined
}

/** Returns the locations for lines without context: at the end, below an anchor, else anywhere. */
function insertionPlaces({ lines }: PatchTarget, { at_end }: Hunk, level: MatchLevel): number[] {
  if (level !== EXACT) return []
  return at_end ? [lines.length] : Array.from({ length: lines.length + 1 }, (_, at) => at)
}

/**
 * Selects locations by anchors: for each run of them the first below it, and any that includes its last anchor. All are in file
 * order, so that nothing is examined twice.
 */
function placesBelowAnchors(runs: readonly AnchorRun[], height: number, places: readonly number[]): number[] {
  const led = new Set<number>()
  const chosen: number[] = []
  // Pointers to the first location that includes the run's last anchor, the first below it, the first not chosen yet.
  let [quoting, below, left] = [0, 0, 0]
  for (const [i, { outermost, line }] of runs.entries()) {
    while (quoting < places.length && places[quoting]! + height <= line) quoting++
    while (below < places.length && places[below]! <= line) below++
    const next = runs[i + 1]?.line ?? Number.POSITIVE_INFINITY
    const to = below < places.length && places[below]! <= next ? below + 1 : below
    // For the same outermost anchor, the first run of inner ones with a location applies.
    if (to <= quoting || led.has(outermost)) continue
    led.add(outermost)
    for (left = Math.max(left, quoting); left < to; left++) chosen.push(places[left]!)
  }
  return chosen
}

/** A run of nested anchors, given by the positions of the first and the last. */
interface AnchorRun {
  outermost: number
  line: number
}

/** Returns, for each occurrence of the last anchor, the run with the nearest others above it. */
function findAnchorRuns(target: PatchTarget, [first, ...inner]: readonly string[]): AnchorRun[] {
  for (const level of MATCH_LEVELS) {
    const linesOf = (anchor: string) => target.findPlaces(level, { lines: [anchor], open: undefined })
    let runs = linesOf(first!).map((line): AnchorRun => ({ outermost: line, line }))
    for (const anchor of inner) runs = extendRuns(runs, linesOf(anchor))
    if (runs.length > 0) return runs
  }
  return []
}

/** Extends the last run that ends above each line. */
function extendRuns(runs: readonly AnchorRun[], lines: readonly number[]): AnchorRun[] {
  let above = -1
  return lines.flatMap(line => {
    while (above + 1 < runs.length && runs[above + 1]!.line < line) above++
    return above < 0 ? [] : [{ outermost: runs[above]!.outermost, line }]
  })
}
