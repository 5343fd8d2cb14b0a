// Edits of a text given by lines and columns, counted from 1 in whole characters, and applied simultaneously.

interface Point {
  line: number
  column: number
}

interface SpanEdit {
  start: Point
  /** Right after the last removed character. */
  end: Point
  text: string
}

/** Applies all edits; returns undefined if a position is past the end of its line or of the text, or two edits overlap. */
export function applySpanEdits(text: string, edits: readonly SpanEdit[]): string | undefined {
  const lines = lineStarts(text)
  const spans = edits.map(edit => ({
    from: toOffset(text, lines, edit.start),
    to: toOffset(text, lines, edit.end),
    text: edit.text
  }))
  // Insertions at the same position stay in the given order.
  spans.sort((a, b) => (a.from ?? 0) - (b.from ?? 0) || (a.to ?? 0) - (b.to ?? 0))
  const parts: string[] = []
  let at = 0
  for (const { from, to, text: put } of spans) {
    if (from === undefined || to === undefined || from < at || to < from) return undefined
    parts.push(text.slice(at, from), put)
    at = to
  }
  return [...parts, text.slice(at)].join('')
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function toOffset(text: string, starts: readonly number[], { line, column }: Point): number | undefined {
  const start = starts[line - 1]
  if (start === undefined || column < 1) return undefined
  const end = starts[line] === undefined ? text.length : starts[line] - (text[starts[line] - 2] === '\r' ? 2 : 1)
  let at = start
  for (let left = column - 1; left > 0; left--) {
    if (at >= end) return undefined
    at += text.codePointAt(at)! > 0xffff ? 2 : 1
  }
  return at
}
