// Reads a unified diff line by line, with the line of the file that each one shows.
import type { PreviewFile } from '../../../../src/client/client.ts'
import type { FileLine } from './card.ts'

export interface DiffLine {
  readonly text: string
  /** A header names files and positions; a property is a fact about a file, such as its mode. */
  readonly kind: 'header' | 'property' | 'added' | 'removed' | 'context'
  /** Missing if the line is not in the texts of the files. */
  readonly shownAt?: FileLine
}

const HUNK = /^@@ -(?<before>\d+)(?:,(?<removed>\d+))? \+(?<after>\d+)(?:,(?<added>\d+))? @@/
/** The mode of a usual new file, and that of a deleted file, say nothing that the texts do not say. */
const HEADER = /^(?:--- |\+\+\+ |index |diff |new file mode 100644$|deleted file mode )/

/** Returns the lines of a diff. `files` are the files of the preview, whose texts a diff editor shows. */
export function readDiffLines(diff: string, files: readonly PreviewFile[]): DiffLine[] {
  const lines: DiffLine[] = []
  let file: number | undefined
  let before = 0
  let after = 0
  /** Lines of the hunk that are still expected on each side. */
  let removed = 0
  let added = 0
  const at = (side: FileLine['side'], line: number) =>
    file !== undefined && files[file]![side] !== undefined ? { shownAt: { file, side, line } } : {}

  for (const text of diff.replace(/\n$/, '').split('\n')) {
    if (removed <= 0 && added <= 0) {
      const hunk = HUNK.exec(text)?.groups
      if (hunk) {
        before = Number(hunk.before) - (hunk.removed === '0' ? 0 : 1)
        after = Number(hunk.after) - (hunk.added === '0' ? 0 : 1)
        removed = Number(hunk.removed ?? 1)
        added = Number(hunk.added ?? 1)
      } else if (text.startsWith('--- ') || text.startsWith('diff ')) file = undefined
      if (text.startsWith('--- ') || text.startsWith('+++ ')) file = findFile(text, files) ?? file
      lines.push({ text, kind: hunk || HEADER.test(text) ? 'header' : 'property' })
    } else if (text.startsWith('+')) {
      lines.push({ text, kind: 'added', ...at('after', after++) })
      added--
    } else if (text.startsWith('-')) {
      lines.push({ text, kind: 'removed', ...at('before', before++) })
      removed--
    } else if (text.startsWith('\\')) lines.push({ text, kind: 'context' })
    else {
      lines.push({ text, kind: 'context', ...at('after', after++) })
      before++
      removed--
      added--
    }
  }
  return lines
}

/** Returns the index of the file that a line such as `+++ b/poem.txt` names. */
function findFile(text: string, files: readonly PreviewFile[]): number | undefined {
  const name = text.slice(4)
  const index = files.findIndex(({ path, to }) => name === `a/${path}` || name === `b/${to ?? path}`)
  return index < 0 ? undefined : index
}
