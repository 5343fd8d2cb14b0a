// A block of lines laid out together. The style sheet shows the numbers of a line, so that a line costs one element.
import type { Signal } from '@preact/signals'
import { useContext } from 'preact/hooks'
import { renderColoured } from '../highlight/coloured-text.tsx'
import type { LineTokens } from '../highlight/tokens.ts'
import { useNearViewport } from '../highlight/use-near-viewport.ts'
import type { DiffRow, DiffRowPair } from './diff-rows.ts'
import { HunkLine } from './hunk-line.tsx'
import { type CommentedFile, CommentsAt, FileCommenting, hasCommentAt, targetOf } from './line-comments.tsx'
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
  const file = useContext(FileCommenting)
  const colours = isNear ? tokens.value : undefined
  return (
    <div ref={ref} class="block" style={{ containIntrinsicBlockSize: `auto ${rows.length * LINE_PX}px` }}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the key c does the same */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the key c does the same */}
      <div class="lines" onClick={file && (event => openAtNumber(event, file, index => rows[index]))}>
        {rows.map((row, index) => [
          <DiffLine key={index} row={row} tokens={colours?.get(row)} />,
          <LineComments key={`${index} comments`} file={file} rows={[row]} />
        ])}
      </div>
    </div>
  )
}

interface SplitDiffBlockProps extends Pick<DiffBlockProps, 'tokens'> {
  pairs: readonly DiffRowPair[]
}

export function SplitDiffBlock({ pairs, tokens }: SplitDiffBlockProps) {
  const { ref, isNear } = useNearViewport<HTMLDivElement>()
  const file = useContext(FileCommenting)
  const colours = isNear ? tokens.value : undefined
  return (
    <div ref={ref} class="block" style={{ containIntrinsicBlockSize: `auto ${pairs.length * LINE_PX}px` }}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the key c does the same */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the key c does the same */}
      <div
        class="lines"
        onClick={
          file && (event => openAtNumber(event, file, (index, isRight) => pairs[index]?.[isRight ? 'right' : 'left']))
        }
      >
        {pairs.map(({ left, right }, index) => [
          left === right && left?.kind !== 'same' ? (
            <DiffLine key={index} row={left!} />
          ) : (
            <div key={index} class="sides">
              <SplitSide row={left} number={left?.old} tokens={left && colours?.get(left)} />
              <SplitSide row={right} number={right?.new} tokens={right && colours?.get(right)} />
            </div>
          ),
          <LineComments key={`${index} comments`} file={file} rows={left === right ? [left] : [left, right]} />
        ])}
      </div>
    </div>
  )
}

interface LineCommentsProps {
  file: CommentedFile | undefined
  /** The rows of one line. */
  rows: readonly (DiffRow | undefined)[]
}

/** Most lines have no comments, and no element for them. */
function LineComments({ file, rows }: LineCommentsProps) {
  if (!file || (file.commenting.comments.length === 0 && !file.commenting.draft)) return null
  const targets = rows.flatMap(row => targetOf(file.path, row) ?? [])
  return (
    <>
      {targets
        .filter(target => hasCommentAt(file.commenting, target))
        .map(target => (
          <CommentsAt key={target.side} target={target} commenting={file.commenting} />
        ))}
    </>
  )
}

/** Opens a comment if the number of a line was clicked. */
function openAtNumber(
  { target, clientX }: MouseEvent,
  { path, commenting }: CommentedFile,
  rowAt: (index: number, isRight: boolean) => DiffRow | undefined
) {
  const line = (target as Element).closest<HTMLElement>('.lines > div')
  const side = (target as Element).closest<HTMLElement>('.side') ?? line
  if (!line || !side || clientX - side.getBoundingClientRect().left > numbersWidth(side)) return
  const before = [...line.parentElement!.children].filter(each => !each.matches('.line-comments'))
  const clicked = targetOf(path, rowAt(before.indexOf(line), side.previousElementSibling?.matches('.side') ?? false))
  if (clicked) commenting.open(clicked)
}

const numbersWidth = (line: Element) => Number.parseFloat(getComputedStyle(line, '::before').width) || 0

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
