// A diff, unified or side by side. Lines come in blocks that the browser lays out only when they are near: that is what
// makes ten thousand of them cheap.
import { useMemo, useState } from 'preact/hooks'
import { diffView } from '../shell/settings.ts'
import { Block, PairBlock } from './block.tsx'
import { type FileRows, pairsOf, rowsOf } from './rows.ts'

/** Of a longer diff the first lines are shown, and the others where one asks. */
const FOLDED_AT = 1_500
/** Lines of one block. */
const BLOCK = 250

export function Diff({ text }: { text: string }) {
  const files = useMemo(() => rowsOf(text), [text])
  if (!files) return <pre class="code">{text}</pre>
  return (
    <div class="diff">
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
      {files.map(file => (
        <File key={file.path} file={file} />
      ))}
    </div>
  )
}

function File({ file: { path, added, removed, rows } }: { file: FileRows }) {
  const [whole, setWhole] = useState(rows.length <= FOLDED_AT)
  const shown = whole ? rows : rows.slice(0, FOLDED_AT)
  return (
    <div class="diff-file">
      <h3 class="mono diff-head">
        <span>{path}</span>
        <span class="small">
          <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
        </span>
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class="diff-body" tabIndex={0} aria-label={`Diff of ${path}`}>
        {diffView.value === 'split' ? <Split rows={shown} /> : <Unified rows={shown} />}
      </section>
      {!whole && (
        <button class="button diff-more" type="button" onClick={() => setWhole(true)}>
          Show {(rows.length - FOLDED_AT).toLocaleString('en')} more lines
        </button>
      )}
    </div>
  )
}

const Unified = ({ rows }: Pick<FileRows, 'rows'>) => (
  <div class="unified">
    {blocks(rows).map((block, index) => (
      <Block key={index} rows={block} />
    ))}
  </div>
)

const Split = ({ rows }: Pick<FileRows, 'rows'>) => (
  <div class="split">
    {blocks(pairsOf(rows)).map((block, index) => (
      <PairBlock key={index} pairs={block} />
    ))}
  </div>
)

function blocks<T>(items: readonly T[]): readonly T[][] {
  return Array.from({ length: Math.ceil(items.length / BLOCK) }, (_, i) => items.slice(i * BLOCK, (i + 1) * BLOCK))
}
