// A diff, unified or side by side. Lines are rendered in blocks that the browser lays out only when they are near the viewport,
// which keeps ten thousand of them cheap.
import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { diffViewSetting } from '../shell/settings.ts'
import { markInvisible } from '../text/invisible.tsx'
import { DiffBlock, SplitDiffBlock } from './diff-block.tsx'
import { type DiffFileRows, type DiffRow, type DiffRowPair, parseDiffRows, toRowPairs } from './diff-rows.ts'

/** Longer diffs show this many lines and the others on request. */
const MAX_UNFOLDED_LINES = 1_500
/** Lines of one block. */
const BLOCK_LINES = 250
/** Blocks rendered at once, and then with each frame. */
const FIRST_BLOCKS = 6
const BLOCKS_PER_FRAME = 2

/** Two columns would not fit; neither would the choice between them. */
const NARROW_QUERY = matchMedia('(max-width: 760px)')
const isNarrow = signal(NARROW_QUERY.matches)
NARROW_QUERY.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches
})

export function Diff({ text }: { text: string }) {
  const files = useMemo(() => parseDiffRows(text), [text])
  if (!files) return <pre class="code">{markInvisible(text)}</pre>
  return (
    <div class="diff">
      {files.map(file => (
        <DiffFile key={file.path} file={file} />
      ))}
    </div>
  )
}

/** Toggles the view of all diffs. */
export const DiffViewToggle = () =>
  isNarrow.value ? null : (
    <fieldset class="choice diff-view">
      <legend class="spoken">View of the diff</legend>
      {(['unified', 'split'] as const).map(view => (
        <button
          key={view}
          class="button"
          type="button"
          aria-pressed={diffViewSetting.value === view}
          onClick={() => {
            diffViewSetting.value = view
          }}
        >
          {view}
        </button>
      ))}
    </fieldset>
  )

function DiffFile({ file: { path, added, removed, rows } }: { file: DiffFileRows }) {
  const [whole, setWhole] = useState(rows.length <= MAX_UNFOLDED_LINES)
  const shown = useMemo(() => (whole ? rows : rows.slice(0, MAX_UNFOLDED_LINES)), [rows, whole])
  return (
    <div class="diff-file">
      <h3 class="mono diff-head">
        <span>{markInvisible(path)}</span>
        <span class="small">
          <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
        </span>
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class="diff-body" tabIndex={0} aria-label={`Diff of ${path}`}>
        {diffViewSetting.value === 'split' && !isNarrow.value ? <Split rows={shown} /> : <Unified rows={shown} />}
      </section>
      {!whole && (
        <button class="button diff-more" type="button" onClick={() => setWhole(true)}>
          Show {(rows.length - MAX_UNFOLDED_LINES).toLocaleString('en')} more lines
        </button>
      )}
    </div>
  )
}

/** Renders blocks of items, the first ones at once and the others in the next frames, so that no frame takes long. */
function ProgressiveBlocks<T>({ items, view }: { items: readonly T[]; view: (block: readonly T[]) => VNode }) {
  const all = useMemo(() => chunk(items).map(view), [items, view])
  const [count, setCount] = useState(FIRST_BLOCKS)
  useEffect(() => {
    if (count >= all.length) return
    const frame = requestAnimationFrame(() => setCount(count + BLOCKS_PER_FRAME))
    return () => cancelAnimationFrame(frame)
  }, [count, all])
  return <>{all.slice(0, count)}</>
}

const Unified = ({ rows }: Pick<DiffFileRows, 'rows'>) => (
  <div class="unified">
    <ProgressiveBlocks items={rows} view={unifiedBlock} />
  </div>
)
const unifiedBlock = (rows: readonly DiffRow[]) => <DiffBlock rows={rows} />

function Split({ rows }: Pick<DiffFileRows, 'rows'>) {
  const pairs = useMemo(() => toRowPairs(rows), [rows])
  return (
    <div class="split">
      <ProgressiveBlocks items={pairs} view={splitBlock} />
    </div>
  )
}
const splitBlock = (pairs: readonly DiffRowPair[]) => <SplitDiffBlock pairs={pairs} />

function chunk<T>(items: readonly T[]): readonly T[][] {
  return Array.from({ length: Math.ceil(items.length / BLOCK_LINES) }, (_, i) =>
    items.slice(i * BLOCK_LINES, (i + 1) * BLOCK_LINES)
  )
}
