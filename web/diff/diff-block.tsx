// Lines that are laid out together. Their numbers are one text beside them, so that a line costs one element.
import { marked } from '../text/invisible.tsx'
import type { Pair, Row } from './diff-rows.ts'

/** Height of a line; the style sheet has the same. */
const LINE_PX = 20

const SIGNS = { same: ' ', added: '+', removed: '-', hunk: '', note: '' } as const

export const Block = ({ rows }: { rows: readonly Row[] }) => (
  <div class="block" style={{ containIntrinsicBlockSize: `auto ${rows.length * LINE_PX}px` }}>
    <pre class="numbers" aria-hidden="true">
      {rows.map(row => `${pad(row.old)} ${pad(row.new)}`).join('\n')}
    </pre>
    <div class="lines">
      {rows.map((row, index) => (
        <Line key={index} row={row} />
      ))}
    </div>
  </div>
)

export const PairBlock = ({ pairs }: { pairs: readonly Pair[] }) => (
  <div class="block" style={{ containIntrinsicBlockSize: `auto ${pairs.length * LINE_PX}px` }}>
    <div class="lines">
      {pairs.map(({ left, right }, index) =>
        left === right && left?.kind !== 'same' ? (
          <Line key={index} row={left!} />
        ) : (
          <div key={index} class="sides">
            <Side row={left} number={left?.old} />
            <Side row={right} number={right?.new} />
          </div>
        )
      )}
    </div>
  </div>
)

const Side = ({ row, number }: { row: Row | undefined; number: number | undefined }) =>
  row ? (
    <div class={`side ${row.kind}`} data-number={number}>
      {content(row)}
    </div>
  ) : (
    <div class="side nothing" />
  )

const Line = ({ row }: { row: Row }) => <div class={row.kind}>{content(row)}</div>

/** The sign is text as well, so that a line says what it is without its colour. */
function content({ kind, words, text }: Row) {
  // Ends of lines are told where they may be what changed.
  if (!words) return [SIGNS[kind], marked(kind === 'same' ? text.replace(/\r$/, '') : text)]
  const Mark = kind === 'removed' ? 'del' : 'ins'
  return [
    SIGNS[kind],
    ...words.map((word, index) => (index % 2 === 0 ? marked(word) : <Mark key={index}>{marked(word)}</Mark>))
  ]
}

const pad = (number: number | undefined) => String(number ?? '').padStart(5)
