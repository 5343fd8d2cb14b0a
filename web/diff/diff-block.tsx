// A block of lines laid out together. Their numbers are one text beside them, so that a line costs one element.
import { markInvisible } from '../text/invisible.tsx'
import type { DiffRow, DiffRowPair } from './diff-rows.ts'

/** Height of a line; the style sheet has the same value. */
const LINE_PX = 20

const LINE_SIGNS = { same: ' ', added: '+', removed: '-', hunk: '', note: '' } as const

export const DiffBlock = ({ rows }: { rows: readonly DiffRow[] }) => (
  <div class="block" style={{ containIntrinsicBlockSize: `auto ${rows.length * LINE_PX}px` }}>
    <pre class="numbers" aria-hidden="true">
      {rows.map(row => `${padNumber(row.old)} ${padNumber(row.new)}`).join('\n')}
    </pre>
    <div class="lines">
      {rows.map((row, index) => (
        <DiffLine key={index} row={row} />
      ))}
    </div>
  </div>
)

export const SplitDiffBlock = ({ pairs }: { pairs: readonly DiffRowPair[] }) => (
  <div class="block" style={{ containIntrinsicBlockSize: `auto ${pairs.length * LINE_PX}px` }}>
    <div class="lines">
      {pairs.map(({ left, right }, index) =>
        left === right && left?.kind !== 'same' ? (
          <DiffLine key={index} row={left!} />
        ) : (
          <div key={index} class="sides">
            <SplitSide row={left} number={left?.old} />
            <SplitSide row={right} number={right?.new} />
          </div>
        )
      )}
    </div>
  </div>
)

const SplitSide = ({ row, number }: { row: DiffRow | undefined; number: number | undefined }) =>
  row ? (
    <div class={`side ${row.kind}`} data-number={number}>
      {renderLine(row)}
    </div>
  ) : (
    <div class="side nothing" />
  )

const DiffLine = ({ row }: { row: DiffRow }) => <div class={row.kind}>{renderLine(row)}</div>

/** The sign is text as well, so that a line is readable without its colour. */
function renderLine({ kind, words, text }: DiffRow) {
  // Line endings are marked on lines where they may be the change.
  if (!words) return [LINE_SIGNS[kind], markInvisible(kind === 'same' ? text.replace(/\r$/, '') : text)]
  const Mark = kind === 'removed' ? 'del' : 'ins'
  return [
    LINE_SIGNS[kind],
    ...words.map((word, index) =>
      index % 2 === 0 ? markInvisible(word) : <Mark key={index}>{markInvisible(word)}</Mark>
    )
  ]
}

const padNumber = (number: number | undefined) => String(number ?? '').padStart(5)
