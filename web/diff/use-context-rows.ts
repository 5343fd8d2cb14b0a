// Loads the file that a diff changes, as it was when the preview was made, and inserts the lines that are asked for.
import { useCallback, useMemo, useRef, useState } from 'preact/hooks'
import { announce } from '../shell/live-region.tsx'
import {
  type ContextRows,
  type ExpandDirection,
  expandContext,
  findGaps,
  insertContext,
  matchesDiff,
  type ShownContext,
  splitLines
} from './context-rows.ts'
import type { DiffRow } from './diff-rows.ts'
import type { FileView } from './file-view.ts'

/** Loads the old text of a file. */
export type LoadText = () => Promise<string>
export type ExpandGap = (gap: number, direction: ExpandDirection) => void

interface ExpandableRows extends ContextRows {
  /** Undefined if nothing can be loaded. */
  expand: ExpandGap | undefined
  failure: string | undefined
  /** The request that was fulfilled last. */
  expanded: { gap: number; direction: ExpandDirection } | undefined
}

/** `view` has the lines that were shown of the file before, and gets those that are shown. */
export function useContextRows(rows: readonly DiffRow[], load: LoadText | undefined, view: FileView): ExpandableRows {
  const [lines, setLines] = useState(view.context?.lines)
  const [shown, setShown] = useState<ShownContext>(view.context?.shown ?? new Map())
  const [expanded, setExpanded] = useState<ExpandableRows['expanded']>()
  const [failure, setFailure] = useState<string>()
  const isLoading = useRef(false)
  const known = useRef(new Map<number, DiffRow>())
  const gaps = useMemo(
    () => (load === undefined && lines === undefined ? [] : findGaps(rows, lines?.length)),
    [rows, lines, load === undefined]
  )

  const expand = useCallback<ExpandGap>(
    async (gap, direction) => {
      if (!load || isLoading.current) return
      isLoading.current = true
      try {
        const text = lines ?? splitLines(await load())
        if (!lines && !matchesDiff(rows, text)) throw new Error('The file has changed since the diff was made.')
        const next = expandContext(shown, findGaps(rows, text.length), gap, direction)
        setFailure(undefined)
        setLines(text)
        setShown(next)
        setExpanded({ gap, direction })
        view.context = { lines: text, shown: next }
        const count = countLines(next) - countLines(shown)
        announce(count === 0 ? 'No more lines' : `${count} unchanged lines shown`)
      } catch (error) {
        setFailure(`More lines could not be loaded: ${(error as Error).message}`)
      } finally {
        isLoading.current = false
      }
    },
    [load, lines, shown, rows, view]
  )

  const inserted = useMemo(
    () =>
      insertContext(rows, gaps, shown, (old, fresh) => {
        const row = known.current.get(old) ?? { kind: 'same' as const, old, new: fresh, text: lines![old - 1]! }
        known.current.set(old, row)
        return row
      }),
    [rows, gaps, shown, lines]
  )
  return { ...inserted, expand: load && expand, failure, expanded }
}

const countLines = (shown: ShownContext) => [...shown.values()].reduce((sum, { start, end }) => sum + start + end, 0)
