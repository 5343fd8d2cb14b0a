// Changes of one file as edits: the text to be replaced, with as much around it as makes it the only such place.
import { applyChanges, CONTEXT_LINES, type TextChange } from './text.ts'

export interface Edit {
  old: string
  new: string
}

/** Undefined where there is nothing to find: in an empty file. */
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

/** One after the other, each in what the ones before left. */
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
