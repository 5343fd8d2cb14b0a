// Converts changes of one file to edits: the replaced text, with enough context to make it unique.
import { applyChanges, CONTEXT_LINES, type TextChange } from './text.ts'

export interface Edit {
  old: string
  new: string
}

/** Returns undefined for an empty file, which has nothing to match. */
export function toEdit(lines: readonly string[], change: TextChange): Edit | undefined {
  const text = lines.join('')
  for (let around = CONTEXT_LINES; ; around++) {
    const [from, to] = [Math.max(0, change.from - around), Math.min(lines.length, change.to + around)]
    const old = lines.slice(from, to).join('')
    if (old === '') return undefined
    if (text.indexOf(old) !== text.lastIndexOf(old)) continue
    const [above, below] = [lines.slice(from, change.from), lines.slice(change.to, to)]
    return { old, new: [...above, ...change.lines, ...below].join('') }
  }
}

/** Returns edits to be applied in sequence, each to the result of the ones before. */
export function toEdits(lines: readonly string[], changes: readonly TextChange[]): Edit[] | undefined {
  const edits: Edit[] = []
  let now = lines
  let moved = 0
  for (const { from, to, lines: instead } of changes) {
    const change = { from: from + moved, to: to + moved, lines: instead }
    const edit = toEdit(now, change)
    if (!edit) return undefined
    edits.push(edit)
    now = applyChanges(now, change)
    moved += instead.length - (to - from)
  }
  return edits
}
