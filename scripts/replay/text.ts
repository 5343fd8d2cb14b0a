// Text files as lines, each with its ending, and what two versions differ in.
import { isUtf8 } from 'node:buffer'

/** The lines of a text, each with its newline; the last may have none. */
export const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Lines `from` to `to` (from 0, the end left out) that become other lines. */
export interface TextChange {
  from: number
  to: number
  lines: readonly string[]
}

const HUNK_HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm
/** Lines of context that git shows, and after which it begins a new hunk. */
export const CONTEXT_LINES = 3

/** What a hunk replaces, context left out; from the numbers in a diff and the texts themselves. */
export function parseHunks(diff: string, before: readonly string[], after: readonly string[]): TextChange[] {
  return [...diff.matchAll(HUNK_HEADER)].map(([, oldStart, oldCount = '1', newStart, newCount = '1']) => {
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

export const applyChanges = (lines: readonly string[], { from, to, lines: now }: TextChange): string[] => [
  ...lines.slice(0, from),
  ...now,
  ...lines.slice(to)
]

/** The bytes as text without a byte order mark, as whoever reads the file sees it: as UTF-8 where they are that, else
 * as Latin-1. */
export const joinLines = (bytes: Buffer): string =>
  isUtf8(bytes) ? new TextDecoder().decode(bytes) : bytes.toString('latin1')
