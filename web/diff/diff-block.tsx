// A block of lines laid out together. The style sheet shows the numbers of a line, so that a line costs one element.
import type { Signal } from '@preact/signals'
import { renderColoured } from '../highlight/coloured-text.tsx'
import type { LineTokens } from '../highlight/tokens.ts'
import { useNearViewport } from '../highlight/use-near-viewport.ts'
import type { DiffRow, DiffRowPair } from './diff-rows.ts'
import { HunkLine } from './hunk-line.tsx'
import type { RowTokens } from './row-tokens.ts'

/** Height of a line that does not wrap; the style sheet has the same value. */
const LINE_PX = 20

const LINE_SIGNS = { same: ' ', added: '+', removed: '-', hunk: '', note: '' } as const

interface DiffBlockProps {
  rows: readonly DiffRow[]
  /** Rows are plain until these are known and the block is near the viewport. */
  tokens: Signal<RowTokens | undefined>
}

export function DiffBlock({ rows, tokens }: DiffBlockProps) {
  const { ref, isNear } = useNearViewport<HTMLDivElement>()
  const colours = isNear ? tokens.value : undefined
  return (
    <div ref={ref} class="block" style={{ containIntrinsicBlockSize: `auto ${rows.length * LINE_PX}px` }}>
      <div class="lines">
        {rows.map((row, index) => (
          <DiffLine key={index} row={row} tokens={colours?.get(row)} />
        ))}
      </div>
    </div>
  )
}

interface SplitDiffBlockProps extends Pick<DiffBlockProps, 'tokens'> {
  pairs: readonly DiffRowPair[]
}

export function SplitDiffBlock({ pairs, tokens }: SplitDiffBlockProps) {
  const { ref, isNear } = useNearViewport<HTMLDivElement>()
  const colours = isNear ? tokens.value : undefined
  return (
    <div ref={ref} class="block" style={{ containIntrinsicBlockSize: `auto ${pairs.length * LINE_PX}px` }}>
      <div class="lines">
        {pairs.map(({ left, right }, index) =>
          left === right && left?.kind !== 'same' ? (
            <DiffLine key={index} row={left!} />
          ) : (
            <div key={index} class="sides">
              <SplitSide row={left} number={left?.old} tokens={left && colours?.get(left)} />
              <SplitSide row={right} number={right?.new} tokens={right && colours?.get(right)} />
            </div>
          )
        )}
      </div>
    </div>
  )
}

interface SplitSideProps {
  row: DiffRow | undefined
  number: number | undefined
  tokens: LineTokens | undefined
}

const SplitSide = ({ row, number, tokens }: SplitSideProps) =>
  row ? (
    <div class={`side ${row.kind}`} data-number={number}>
      {renderLine(row, tokens)}
    </div>
  ) : (
    <div class="side nothing" />
  )

const DiffLine = ({ row, tokens }: { row: DiffRow; tokens?: LineTokens | undefined }) =>
  row.kind === 'hunk' ? (
    <HunkLine row={row} />
  ) : (
    <div class={row.kind} data-numbers={`${padNumber(row.old)} ${padNumber(row.new)}`}>
      {renderLine(row, tokens)}
    </div>
  )

/** The sign is text as well, so that a line is readable without its colour. */
function renderLine({ kind, words, text }: DiffRow, tokens: LineTokens | undefined) {
  // Line endings are marked on lines where they may be the change.
  if (!words) return [LINE_SIGNS[kind], renderColoured(kind === 'same' ? text.replace(/\r$/, '') : text, tokens)]
  const Mark = kind === 'removed' ? 'del' : 'ins'
  let at = 0
  return [
    LINE_SIGNS[kind],
    ...words.map((word, index) => {
      const content = renderColoured(word, tokens, at)
      at += word.length
      return index % 2 === 0 ? content : <Mark key={index}>{content}</Mark>
    })
  ]
}

const padNumber = (number: number | undefined) => String(number ?? '').padStart(5)
