// A diff, unified or side by side. Lines come in blocks that the browser lays out only when they are near: that is what
// makes ten thousand of them cheap.
import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { diffView } from '../shell/settings.ts'
import { marked } from '../text/invisible.tsx'
import { Block, PairBlock } from './diff-block.tsx'
import { type FileRows, type Pair, pairsOf, type Row, rowsOf } from './diff-rows.ts'

/** Of a longer diff the first lines are shown, and the others where one asks. */
const FOLDED_AT = 1_500
/** Lines of one block. */
const BLOCK = 250
/** Blocks that are shown at once, and with each frame after that. */
const FIRST_BLOCKS = 6
const BLOCKS_A_FRAME = 2

/** Two columns would have no room; a choice between them neither. */
const NARROW = matchMedia('(max-width: 760px)')
const narrow = signal(NARROW.matches)
NARROW.addEventListener('change', ({ matches }) => {
  narrow.value = matches
})

export function Diff({ text }: { text: string }) {
  const files = useMemo(() => rowsOf(text), [text])
  if (!files) return <pre class="code">{marked(text)}</pre>
  return (
    <div class="diff">
      {files.map(file => (
        <File key={file.path} file={file} />
      ))}
    </div>
  )
}

/** Which view all diffs have. */
export const DiffChoice = () =>
  narrow.value ? null : (
    <fieldset class="choice diff-view">
      <legend class="spoken">View of the diff</legend>
      {(['unified', 'split'] as const).map(view => (
        <button
          key={view}
          class="button"
          type="button"
          aria-pressed={diffView.value === view}
          onClick={() => {
            diffView.value = view
          }}
        >
          {view}
        </button>
      ))}
    </fieldset>
  )

function File({ file: { path, added, removed, rows } }: { file: FileRows }) {
  const [whole, setWhole] = useState(rows.length <= FOLDED_AT)
  const shown = useMemo(() => (whole ? rows : rows.slice(0, FOLDED_AT)), [rows, whole])
  return (
    <div class="diff-file">
      <h3 class="mono diff-head">
        <span>{marked(path)}</span>
        <span class="small">
          <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
        </span>
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class="diff-body" tabIndex={0} aria-label={`Diff of ${path}`}>
        {diffView.value === 'split' && !narrow.value ? <Split rows={shown} /> : <Unified rows={shown} />}
      </section>
      {!whole && (
        <button class="button diff-more" type="button" onClick={() => setWhole(true)}>
          Show {(rows.length - FOLDED_AT).toLocaleString('en')} more lines
        </button>
      )}
    </div>
  )
}

/** Blocks of one form, the first at once and the others with the next frames, so that no frame waits for all. */
function Blocks<T>({ items, view }: { items: readonly T[]; view: (block: readonly T[]) => VNode }) {
  const all = useMemo(() => blocks(items).map(view), [items, view])
  const [count, setCount] = useState(FIRST_BLOCKS)
  useEffect(() => {
    if (count >= all.length) return
    const frame = requestAnimationFrame(() => setCount(count + BLOCKS_A_FRAME))
    return () => cancelAnimationFrame(frame)
  }, [count, all])
  return <>{all.slice(0, count)}</>
}

const Unified = ({ rows }: Pick<FileRows, 'rows'>) => (
  <div class="unified">
    <Blocks items={rows} view={unifiedBlock} />
  </div>
)
const unifiedBlock = (rows: readonly Row[]) => <Block rows={rows} />

function Split({ rows }: Pick<FileRows, 'rows'>) {
  const pairs = useMemo(() => pairsOf(rows), [rows])
  return (
    <div class="split">
      <Blocks items={pairs} view={splitBlock} />
    </div>
  )
}
const splitBlock = (pairs: readonly Pair[]) => <PairBlock pairs={pairs} />

function blocks<T>(items: readonly T[]): readonly T[][] {
  return Array.from({ length: Math.ceil(items.length / BLOCK) }, (_, i) => items.slice(i * BLOCK, (i + 1) * BLOCK))
}
