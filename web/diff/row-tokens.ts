// Finds the tokens of a diff's rows. Each hunk is highlighted twice, as the old and as the new text.
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { highlightLines } from '../highlight/highlighter.ts'
import { languageOfFile } from '../highlight/languages.ts'
import type { LineTokens } from '../highlight/tokens.ts'
import type { DiffRow } from './diff-rows.ts'

export type RowTokens = ReadonlyMap<DiffRow, LineTokens>

/** A diff with more characters stays plain. */
const MAX_DIFF_LENGTH = 400_000

/** Returns a signal, so that only rows near the viewport are rendered again once they have colours. */
export function useRowTokens(file: string, rows: readonly DiffRow[]): Signal<RowTokens | undefined> {
  const tokens = useSignal<RowTokens | undefined>(undefined)
  useEffect(() => {
    let isCurrent = true
    void findRowTokens(file, rows).then(found => {
      // Rows whose surroundings have become too long keep their colours.
      if (isCurrent && found) tokens.value = new Map([...(tokens.peek() ?? []), ...found])
    })
    return () => {
      isCurrent = false
    }
  }, [file, rows])
  return tokens
}

async function findRowTokens(file: string, rows: readonly DiffRow[]): Promise<RowTokens | undefined> {
  const language = languageOfFile(file)
  if (language === undefined || rows.reduce((sum, { text }) => sum + text.length, 0) > MAX_DIFF_LENGTH) return undefined
  const found = new Map<DiffRow, LineTokens>()
  const highlight = async (side: readonly DiffRow[], kinds: readonly DiffRow['kind'][]) => {
    if (!side.some(({ kind }) => kinds.includes(kind))) return
    const lines = await highlightLines(
      language,
      side.map(({ text }) => text)
    )
    for (const [index, row] of side.entries()) if (lines && kinds.includes(row.kind)) found.set(row, lines[index]!)
  }
  await Promise.all(
    splitHunks(rows).flatMap(hunk => [
      highlight(
        hunk.filter(({ kind }) => kind !== 'removed'),
        ['same', 'added']
      ),
      highlight(
        hunk.filter(({ kind }) => kind !== 'added'),
        ['removed']
      )
    ])
  )
  return found
}

/** Splits rows at what is no line of the file. */
function splitHunks(rows: readonly DiffRow[]): readonly DiffRow[][] {
  const hunks: DiffRow[][] = [[]]
  for (const row of rows) {
    if (row.kind === 'hunk') hunks.push([])
    else if (row.kind !== 'note') hunks.at(-1)!.push(row)
  }
  return hunks
}
