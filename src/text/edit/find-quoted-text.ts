// Finds the old text of an edit in a file with increasing tolerance: exact, line endings, trailing white space, indentation. Each
// match includes its replacement text.
import { type Eol, withEol } from '../encoding.ts'
import { endOfLine, indexLines, type LineTable, lineAt } from '../line-table.ts'
import { findWithForgottenLines } from './forgotten-lines.ts'
import { mapIndents, reindent } from './indent.ts'
import type { LineWindow } from './line-window.ts'
import { replaceAtMargin } from './lost-margin.ts'
import { occurrences } from './occurrences.ts'
import type { Quote, Replacement } from './quote.ts'

/** Finds at most `most` matches of a text. */
export type QuoteFinder = (text: string, eol: Eol, quote: Quote, most: number) => Replacement[]

export function findExact(text: string, eol: Eol, quote: Quote, most: number): Replacement[] {
  const replacement = withEol(quote.new, eol)
  const length = quote.old.length
  return positions(text, quote.old, most).map(
    start => replaceAtMargin(text, start, eol, quote) ?? { start, end: start + length, text: replacement }
  )
}

/** Returns the places that have all quoted lines as they are, but others between them. */
export function findLeftOutLines(text: string, old: string): LineWindow[] {
  const wanted = linesToFind(old)
  return wanted ? findWithForgottenLines(indexLines(text).trimmed, wanted.trimmed) : []
}

/** Checks if some lines of a quote have the indentation of the file, and others do not. */
const isMixed = (indents: ReadonlyMap<string, string>) =>
  [...indents].some(([from, to]) => from === to) && [...indents].some(([from, to]) => from !== to)

/** Includes overlapping matches: either could be the intended one. */
function positions(text: string, wanted: string, most: number) {
  const found: number[] = []
  for (let at = text.indexOf(wanted); at >= 0 && found.length < most; at = text.indexOf(wanted, at + 1)) {
    found.push(at)
  }
  return found
}

export function findWithAnyEol(text: string, eol: Eol, quote: Quote, most: number): Replacement[] {
  if (!quote.old.includes('\n')) return []
  const flat = text.replaceAll('\r\n', '\n')
  const old = quote.old.replaceAll('\r\n', '\n')
  const found = positions(flat, old, most)
  if (found.length === 0) return []
  const inText = originalPositions(text)
  return found.map(at => {
    const [start, end] = [inText(at), inText(at + old.length)]
    return lazyReplacement(start, end, () => withEolOf(quote.new, eol, text.slice(start, end)))
  })
}

/** Maps a position in a text without the CRs of its CRLFs to one in the original. */
function originalPositions(text: string) {
  const dropped: number[] = []
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) dropped.push(at - dropped.length)
  return (position: number) => {
    let [low, high] = [0, dropped.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (dropped[middle]! < position) low = middle + 1
      else high = middle
    }
    return position + low
  }
}

export function findWithAnyLineEnds(text: string, eol: Eol, quote: Quote, most: number): Replacement[] {
  const wanted = linesToFind(quote.old)
  if (!wanted) return []
  const lines = indexLines(text)
  const starts = matchingWindows(lines.trimmed, wanted.trimmed, most)
  return starts.map(first => replaceLines(lines, first, wanted.trimmed.length, eol, quote.old, () => quote.new))
}

export function findWithAnyIndent(text: string, eol: Eol, quote: Quote, most: number): Replacement[] {
  const wanted = linesToFind(quote.old)
  if (!wanted) return []
  const lines = indexLines(text)
  const bare = wanted.trimmed.map(line => line.trimStart())
  const bareLines = lines.trimmed.map(line => line.trimStart())
  const count = bare.length
  return matchingWindows(bareLines, bare, most).flatMap(first => {
    const here = Array.from({ length: count }, (_, i) => lineAt(lines, first + i))
    const indents = mapIndents(wanted.trimmed, here)
    if (!indents || (isMixed(indents) && findLeftOutLines(text, quote.old).length > 0)) return []
    const indented = () => reindent(quote.new.split('\n'), indents).join('\n')
    return [replaceLines(lines, first, count, eol, quote.old, indented)]
  })
}

/** Returns undefined for white space only, which has no meaningful location. */
export function linesToFind(old: string): LineTable | undefined {
  return old.trim() === '' ? undefined : indexLines(old)
}

function matchingWindows(lines: readonly string[], wanted: readonly string[], most: number): number[] {
  const found: number[] = []
  for (const first of occurrences(lines, wanted)) {
    found.push(first)
    if (found.length === most) break
  }
  return found
}

/** Replaces whole lines; the last line ending is replaced only if the search text has one too. */
export function replaceLines(
  lines: LineTable,
  first: number,
  count: number,
  eol: Eol,
  old: string,
  now: () => string
): Replacement {
  const start = lines.starts[first]!
  const next = lines.starts[first + count]!
  const content = endOfLine(lines.text, next)
  const around = lines.text.slice(start, next)
  if (!old.endsWith('\n')) return lazyReplacement(start, content, () => withEolOf(now(), eol, around))
  // The last line of a file may lack the ending that the search text has: it stays without.
  const literal = () => (content === next ? now().replace(/\r?\n$/, '') : now())
  return lazyReplacement(start, next, () => withEolOf(literal(), eol, around))
}

export const lazyReplacement = (
  start: number,
  end: number,
  text: () => string,
  facts: Pick<Replacement, 'isUncertain'> = {}
): Replacement => ({
  ...facts,
  start,
  end,
  get text() {
    return text()
  }
})

/** Converts new text to the line endings of its context. */
function withEolOf(text: string, eol: Eol, around: string) {
  const flat = text.replaceAll('\r\n', '\n')
  return eol === 'crlf' || (eol === 'mixed' && around.includes('\r\n')) ? withEol(flat, 'crlf') : flat
}
