// Text files as lines, each with its ending, and what two versions differ in.
import { isUtf8 } from 'node:buffer'

/** The lines of a text, each with its newline; the last may have none. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Lines `from` to `to` (from 0, the end left out) that become other lines. */
export interface Change {
  from: number
  to: number
  lines: readonly string[]
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm
/** Lines of context that git shows, and after which it begins a new hunk. */
export const CONTEXT = 3

/** What a hunk replaces, context left out; from the numbers in a diff and the texts themselves. */
export function changesOf(diff: string, before: readonly string[], after: readonly string[]): Change[] {
  return [...diff.matchAll(HEADER)].map(([, oldStart, oldCount = '1', newStart, newCount = '1']) => {
    let [from, to] = range(oldStart!, oldCount)
    let [newFrom, newTo] = range(newStart!, newCount)
    while (from < to && newFrom < newTo && before[from] === after[newFrom]) {
      from++
      newFrom++
    }
    while (from < to && newFrom < newTo && before[to - 1] === after[newTo - 1]) {
      to--
      newTo--
    }
    return { from, to, lines: after.slice(newFrom, newTo) }
  })
}

/** A range of no lines is numbered by the line above it. */
function range(start: string, count: string): [number, number] {
  const from = Number(start) - (Number(count) === 0 ? 0 : 1)
  return [from, from + Number(count)]
}

export const changed = (lines: readonly string[], { from, to, lines: now }: Change): string[] => [
  ...lines.slice(0, from),
  ...now,
  ...lines.slice(to)
]

/** The bytes as text without a byte order mark, as whoever reads the file sees it: as UTF-8 where they are that, else
 * as Latin-1. */
export const textOf = (bytes: Buffer): string =>
  isUtf8(bytes) ? new TextDecoder().decode(bytes) : bytes.toString('latin1')
