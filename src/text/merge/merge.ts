// Three-way merge of texts by lines.
import { diff3MergeRegions } from 'node-diff3'
import { detectEol, type Eol, withEol } from '../encoding.ts'
import { type LineIds, splitAtAnchors, type Three } from './anchors.ts'

/** A conflict: both sides changed the same or adjacent lines differently. */
export interface Conflict {
  /** Lines of ours, from 1. If ours has none there, the end is the line before the start. */
  start_line: number
  end_line: number
  ours: string
  theirs: string
}

export type MergeResult = { text: string } | { conflicts: Conflict[] }

/**
 * Merges the changes from base to theirs into ours. Line endings and the final newline are those of ours, unless only theirs
 * changed them.
 */
export function merge(base: string, ours: string, theirs: string): MergeResult {
  const merged = mergeLines(base, ours, theirs)
  if ('text' in merged) return merged
  const eol = mergeEol(detectEol(base), detectEol(ours), detectEol(theirs))
  if (eol === undefined) return merged
  const alike = mergeLines(toLf(base), toLf(ours), toLf(theirs))
  return 'text' in alike ? { text: withEol(alike.text, eol) } : alike
}

/** Merges the line endings of a whole text as a line is merged; undefined if they must be merged line by line. */
function mergeEol(base: Eol, ours: Eol, theirs: Eol): Eol | undefined {
  if ([base, ours, theirs].includes('mixed')) return undefined
  if (base === ours && ours === theirs) return undefined
  return ours === base ? theirs : ours
}

const toLf = (text: string) => text.replaceAll('\r\n', '\n')

function mergeLines(base: string, ours: string, theirs: string): MergeResult {
  const known = new Map<string, number>()
  // Text after the last newline is a line too, even if empty: so the final newline is merged like any other.
  const lines = (text: string) => toLineIds(text.split('\n'), known)
  const merged: number[] = []
  const clashes: Clash[] = []
  let line = 1
  for (const part of splitAtAnchors([lines(ours), lines(base), lines(theirs)])) {
    for (const piece of mergePart(part)) {
      if ('theirs' in piece) clashes.push({ ...piece, at: line + piece.at })
      else for (const each of piece) merged.push(each)
    }
    line += part[0].length
  }
  const words = [...known.keys()]
  const text = (lines: LineIds) => lines.map(line => words[line]).join('\n')
  if (clashes.length === 0) return { text: text(merged) }
  const conflicts = clashes.map(({ at, ours, theirs }) => {
    return { start_line: at, end_line: at + ours.length - 1, ours: text(ours), theirs: text(theirs) }
  })
  return { conflicts }
}

function toLineIds(lines: string[], known: Map<string, number>): LineIds {
  return lines.map(line => {
    const number = known.get(line) ?? known.size
    known.set(line, number)
    return number
  })
}

interface Clash {
  /** First line of ours. */
  at: number
  ours: LineIds
  theirs: LineIds
}

/** Merges one part: lines and conflicts. */
function mergePart([ours, base, theirs]: Three<LineIds>): (LineIds | Clash)[] {
  if (isSame(ours, theirs) || isSame(base, theirs)) return [ours]
  if (isSame(base, ours)) return [theirs]
  return diff3MergeRegions([...ours], [...base], [...theirs]).map(region => {
    if (region.stable) return region.bufferContent
    const { aStart, aContent, bContent } = region
    return isSame(aContent, bContent) ? aContent : { at: aStart, ours: aContent, theirs: bContent }
  })
}

const isSame = (one: LineIds, other: LineIds) =>
  one.length === other.length && one.every((line, i) => line === other[i])
