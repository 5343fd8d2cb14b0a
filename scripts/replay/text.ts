// Splits text files into lines with their endings, and computes the changes between two versions.
import { isUtf8 } from 'node:buffer'

/** Returns the lines of a text, each with its newline; the last may have none. */
export const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Replaces lines `from` to `to` (from 0, exclusive) by other lines. */
export interface TextChange {
  from: number
  to: number
  lines: readonly string[]
}

const HUNK_HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm
/** Git's number of context lines, which also separates hunks. */
export const CONTEXT_LINES = 3

/** Returns the changes of each hunk without context, from the line numbers in a diff and the texts. */
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

/** An empty range is numbered by the line above it. */
function range(start: string, count: string): [number, number] {
  const from = Number(start) - (Number(count) === 0 ? 0 : 1)
  return [from, from + Number(count)]
}

export const applyChanges = (lines: readonly string[], { from, to, lines: now }: TextChange): string[] => [
  ...lines.slice(0, from),
  ...now,
  ...lines.slice(to)
]

/** Decodes bytes without a byte order mark, as readers of the file see it: as UTF-8 if valid, else as Latin-1. */
export const joinLines = (bytes: Buffer): string =>
  isUtf8(bytes) ? new TextDecoder().decode(bytes) : bytes.toString('latin1')
