// Writes the source of a cell as the notebook has it, whole or as a list of lines; lines that stay are written as they were.
import { itemsOf } from '../json-spans.ts'
import { type JsonStyle, printJson, printScalar } from './json-style.ts'

/** The depth of a member of a cell. */
export const MEMBER_DEPTH = 3

/** Returns the JSON of a new source. `was` is that of the old one. */
export function replaceSource(was: string, now: string, style: JsonStyle): string {
  if (was.startsWith('"')) return replaceString(was, now, style)
  const items = was.startsWith('[') ? itemsOf(was, 0).map(({ start, end }) => was.slice(start, end)) : []
  if (items.length === 0 || now === '') return printSource(now, style)
  const { head, tail } = findUnchangedItems(items, now)
  const kept = (part: readonly string[]) => part.reduce((sum, item) => sum + parseItem(item).length, 0)
  const [first, last] = [items.slice(0, head), items.slice(items.length - tail)]
  const middle = splitLines(now.slice(kept(first), now.length - kept(last)))
  return joinLike(was, [...first, ...middle.map(line => printScalar(line, style)), ...last], style)
}

/** Returns the JSON of the source of a new cell. */
export const printSource = (source: string, style: JsonStyle): string =>
  printJson(splitLines(source), style, MEMBER_DEPTH)

const parseItem = (item: string): string => String(JSON.parse(item))

/** Returns the lines, each with its end. */
export const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Counts the whole lines at the start and at the end that the new source has, too. */
function findUnchangedItems(items: readonly string[], now: string) {
  const lines = items.map(parseItem)
  let head = 0
  let from = 0
  while (head < lines.length && lines[head]!.endsWith('\n') && now.startsWith(lines[head]!, from))
    from += lines[head++]!.length
  let tail = 0
  let to = now.length
  for (; tail < lines.length - head; tail++) {
    const start = to - lines[lines.length - 1 - tail]!.length
    if (start < from || !now.startsWith(lines[lines.length - 1 - tail]!, start)) break
    if (start > 0 && now[start - 1] !== '\n') break
    to = start
  }
  return { head, tail }
}

/** Writes a list with the white space of another one that is not empty. */
function joinLike(list: string, items: readonly string[], { comma }: JsonStyle): string {
  const spans = itemsOf(list, 0)
  const open = list.slice(1, spans[0]!.start)
  const close = list.slice(spans.at(-1)!.end, -1)
  const [first, second] = spans
  const between = second ? list.slice(first!.end, second.start) : open.includes('\n') ? `,${open}` : comma
  return `[${open}${items.join(between)}${close}]`
}

/** Replaces only what differs within a string, so that its other characters keep their escapes. */
function replaceString(was: string, now: string, style: JsonStyle): string {
  const old = parseItem(was)
  if (old === now) return was
  const most = Math.min(old.length, now.length)
  let head = 0
  while (head < most && old[head] === now[head]) head++
  if (isWithinPair(old, head) || isWithinPair(now, head)) head--
  let tail = 0
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  if (isWithinPair(old, old.length - tail) || isWithinPair(now, now.length - tail)) tail--
  const middle = printScalar(now.slice(head, now.length - tail), style).slice(1, -1)
  return was.slice(0, rawOffset(was, head)) + middle + was.slice(rawOffset(was, old.length - tail))
}

const isWithinPair = (text: string, at: number) =>
  /^[\ud800-\udbff]$/.test(text[at - 1] ?? '') && /^[\udc00-\udfff]$/.test(text[at] ?? '')

/** Returns where a character of a string stands in its JSON. */
function rawOffset(json: string, wanted: number): number {
  let at = 1
  for (let i = 0; i < wanted; i++) at += json[at] !== '\\' ? 1 : json[at + 1] === 'u' ? 6 : 2
  return at
}
