// A diff, unified or side by side. Lines are rendered in blocks that the browser lays out only when they are near the viewport,
// which keeps ten thousand of them cheap.
import type { Signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ErrorNotice } from '../shell/error-notice.tsx'
import { isNarrow } from '../shell/narrow.ts'
import { diffViewSetting } from '../shell/settings.ts'
import { markInvisible, markName } from '../text/invisible.tsx'
import type { ExpandDirection } from './context-rows.ts'
import { DiffBlock, SplitDiffBlock } from './diff-block.tsx'
import { type DiffFileRows, type DiffRow, type DiffRowPair, parseDiffRows, toRowPairs } from './diff-rows.ts'
import { EndMark } from './end-mark.tsx'
import { getFileView } from './file-view.ts'
import { ExpandContext } from './hunk-line.tsx'
import { type Commenting, CommentsAt, FileCommenting, type LineTarget, targetOf } from './line-comments.tsx'
import { fileKey, isPartViewed, type Review, type ReviewedPart, setPartViewed } from './review.ts'
import { type RowTokens, useRowTokens } from './row-tokens.ts'
import { type LoadText, useContextRows } from './use-context-rows.ts'

/** Longer diffs show this many lines and the others on request. */
const MAX_UNFOLDED_LINES = 1_500
/** Lines of one block. */
const BLOCK_LINES = 250
/** Blocks rendered at once, and then with each frame. */
const FIRST_BLOCKS = 6
const BLOCKS_PER_FRAME = 2

interface DiffProps {
  text: string
  /** Marks each file as viewed once its end has been on the screen. */
  review?: Review
  /** Returns how the old text of a file of the diff is loaded; undefined if it must not be shown. */
  loadOldText?: ((index: number) => LoadText | undefined) | undefined
  /** Comments on lines, where they can be made. */
  commenting?: Commenting | undefined
}

export function Diff({ text, review, loadOldText, commenting }: DiffProps) {
  const files = useMemo(() => parseDiffRows(text), [text])
  if (!files)
    return (
      <div data-viewed={review && isPartViewed(review, 'diff')}>
        <pre class="code">{markInvisible(text)}</pre>
        {review && <EndMark review={review} part="diff" />}
      </div>
    )
  return (
    <div class="diff">
      {files.map((file, index) => (
        <DiffFile
          key={index}
          file={file}
          load={loadOldText?.(index)}
          commenting={commenting}
          {...(review && { viewed: { review, part: fileKey(index) } })}
        />
      ))}
    </div>
  )
}

/** Toggles the view of all diffs. On a narrow screen two columns do not fit. */
export const DiffViewToggle = () =>
  isNarrow.value ? null : (
    <fieldset class="choice diff-view">
      <legend class="spoken">Diff view</legend>
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

const SHOWN_TITLE = 'All of this file was on the screen'

interface DiffFileProps {
  file: DiffFileRows
  /** The part of a review that this file is. */
  viewed?: ReviewedPart
  load: LoadText | undefined
  commenting: Commenting | undefined
}

function DiffFile({ file: { path, name, added, removed, rows }, viewed, load, commenting }: DiffFileProps) {
  const view = useMemo(() => getFileView(viewed), [viewed?.review, viewed?.part])
  const [whole, setWhole] = useState(view.isWhole ?? rows.length <= MAX_UNFOLDED_LINES)
  const isSplit = diffViewSetting.value === 'split' && !isNarrow.value
  const isViewed = viewed && isPartViewed(viewed.review, viewed.part)
  const end = whole && viewed ? <EndMark {...viewed} /> : null
  const { rows: shown, after, expand, expanded, failure } = useContextRows(rows, load, view)
  const all = useMemo(() => [...shown, ...after], [shown, after])
  const tokens = useRowTokens(name, all)
  const lineCount = useMemo(() => countLines(shown, isSplit), [shown, isSplit])
  const limit = whole ? Number.POSITIVE_INFINITY : MAX_UNFOLDED_LINES + shown.length - rows.length
  const Rows = isSplit ? SplitRows : UnifiedRows
  const unfold = () => {
    view.isWhole = true
    setWhole(true)
  }
  const body = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    if (expanded) restoreFocus(body.current!, expanded)
  }, [expanded])
  return (
    <div
      class={commenting ? 'diff-file commentable' : 'diff-file'}
      data-viewed={isViewed}
      data-name={name}
      data-lines={lineCount}
    >
      <div class="diff-head">
        <h3 class="mono">
          {markName(path)}{' '}
          <span class="small">
            <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
          </span>
        </h3>
        {viewed && (
          <label class="viewed small" title={SHOWN_TITLE}>
            <input
              type="checkbox"
              checked={isViewed}
              disabled={!whole}
              onChange={({ currentTarget: { checked } }) => setPartViewed(viewed.review, viewed.part, checked)}
            />
            All shown
          </label>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section ref={body} class="diff-body" tabIndex={0} aria-label={`Diff of ${path}`}>
        <ExpandContext.Provider value={expand}>
          <FileCommenting.Provider value={commenting && { path: name, commenting }}>
            <div class={isSplit ? 'split' : 'unified'}>
              <Rows rows={shown} tokens={tokens} limit={limit} end={end} />
              {whole && <Rows rows={after} tokens={tokens} limit={limit} end={null} />}
            </div>
            {commenting && <CommentsElsewhere path={name} rows={all} commenting={commenting} />}
          </FileCommenting.Provider>
        </ExpandContext.Provider>
      </section>
      {failure !== undefined && <ErrorNotice text={failure} />}
      {!whole && (
        <button class="button diff-more" type="button" onClick={unfold}>
          Show all {rows.length.toLocaleString('en')} lines
        </button>
      )}
    </div>
  )
}

/** Counts the lines of the view, without the headers of hunks. */
const countLines = (rows: readonly DiffRow[], isSplit: boolean) =>
  isSplit
    ? toRowPairs(rows).filter(({ left }) => left?.kind !== 'hunk').length
    : rows.filter(({ kind }) => kind !== 'hunk').length

/** Comments on lines that the diff does not show. */
function CommentsElsewhere({
  path,
  rows,
  commenting
}: {
  path: string
  rows: readonly DiffRow[]
  commenting: Commenting
}) {
  const { comments, draft } = commenting
  const targets = [...comments, ...(draft ? [draft] : [])].filter(target => target.path === path)
  if (targets.length === 0) return null
  const keyOf = ({ side, line }: LineTarget) => `${side} ${line}`
  const shown = new Set(rows.flatMap(row => targetOf(path, row) ?? []).map(keyOf))
  const others = new Map(targets.filter(target => !shown.has(keyOf(target))).map(target => [keyOf(target), target]))
  return (
    <>
      {Array.from(others, ([key, target]) => (
        <CommentsAt key={key} target={target} commenting={commenting} />
      ))}
    </>
  )
}

interface ProgressiveBlocksProps<T> {
  items: readonly T[]
  view: (block: readonly T[]) => VNode
  /** Rendered after the last block. */
  end: VNode | null
}

/** Renders blocks of items, the first ones at once and the others in the next frames, so that no frame takes long. */
function ProgressiveBlocks<T>({ items, view, end }: ProgressiveBlocksProps<T>) {
  const all = useMemo(() => chunk(items).map(view), [items, view])
  const [count, setCount] = useState(FIRST_BLOCKS)
  useEffect(() => {
    if (count >= all.length) return
    const frame = requestAnimationFrame(() => setCount(count + BLOCKS_PER_FRAME))
    return () => cancelAnimationFrame(frame)
  }, [count, all])
  return (
    <>
      {all.slice(0, count)}
      {count >= all.length && end}
    </>
  )
}

/**
 * Keeps the focus on the button that was pressed, which has another place now, or on the next one that is left. Without any, the
 * diff gets it.
 */
function restoreFocus(body: HTMLElement, { gap, direction }: { gap: number; direction: ExpandDirection }) {
  if (document.activeElement !== document.body && !body.contains(document.activeElement)) return
  const find = (selector: string) => body.querySelector<HTMLButtonElement>(`[data-gap="${gap}"] ${selector}`)
  const button = find(`[data-direction="${direction}"]`) ?? find('button')
  if (button) button.focus()
  else body.focus({ preventScroll: true })
}

interface RowsProps {
  rows: readonly DiffRow[]
  tokens: Signal<RowTokens | undefined>
  /** Maximum number of shown rows. */
  limit: number
  end: VNode | null
}

function UnifiedRows({ rows, tokens, limit, end }: RowsProps) {
  const shown = useMemo(() => rows.slice(0, limit), [rows, limit])
  const view = useCallback((block: readonly DiffRow[]) => <DiffBlock rows={block} tokens={tokens} />, [tokens])
  return <ProgressiveBlocks items={shown} view={view} end={end} />
}

/** Pairs the lines before it folds them: removed lines would have nothing beside them otherwise. */
function SplitRows({ rows, tokens, limit, end }: RowsProps) {
  const pairs = useMemo(() => toRowPairs(rows).slice(0, limit), [rows, limit])
  const view = useCallback(
    (block: readonly DiffRowPair[]) => <SplitDiffBlock pairs={block} tokens={tokens} />,
    [tokens]
  )
  return <ProgressiveBlocks items={pairs} view={view} end={end} />
}

function chunk<T>(items: readonly T[]): readonly T[][] {
  return Array.from({ length: Math.ceil(items.length / BLOCK_LINES) }, (_, i) =>
    items.slice(i * BLOCK_LINES, (i + 1) * BLOCK_LINES)
  )
}
