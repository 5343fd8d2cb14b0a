// The header of a hunk, with the buttons that show more unchanged lines around it.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { CONTEXT_STEP, type ExpandDirection, MAX_CONTEXT_LINES } from './context-rows.ts'
import type { DiffRow, Gap } from './diff-rows.ts'
import type { ExpandGap } from './use-context-rows.ts'

/** Provides the function that shows more lines; undefined where none can be loaded. */
export const ExpandContext = createContext<ExpandGap | undefined>(undefined)

export function HunkLine({ row: { text, gap } }: { row: DiffRow }) {
  const expand = useContext(ExpandContext)
  return (
    <div class="hunk" data-gap={gap?.index}>
      {expand &&
        gap &&
        listButtons(gap).map(({ direction, sign, words, spoken }) => (
          <button
            key={direction}
            class="button expand"
            type="button"
            data-direction={direction}
            title={`${words}${spoken}`}
            onClick={() => expand(gap.index, direction)}
          >
            <span aria-hidden="true">{sign} </span>
            {words}
            <span class="spoken">{spoken}</span>
          </button>
        ))}
      {text}
    </div>
  )
}

interface ExpandButton {
  direction: ExpandDirection
  sign: string
  words: string
  /** The rest of the name, for screen readers. */
  spoken: string
}

function listButtons({ index, hidden, after, before, isLast }: Gap): ExpandButton[] {
  if (hidden === 0) return []
  const whole: ExpandButton = { direction: 'all', sign: '↕', ...describeAll({ hidden, after, before }) }
  if (hidden !== undefined && hidden <= CONTEXT_STEP) return [whole]
  const buttons: ExpandButton[] = []
  // Fewer lines may be left of a file that is not loaded.
  const words = hidden === undefined ? 'more' : `${CONTEXT_STEP} more`
  if (index > 0) buttons.push({ direction: 'down', sign: '↓', words, spoken: ` lines below line ${after}` })
  if (!isLast) buttons.push({ direction: 'up', sign: '↑', words, spoken: ` lines above line ${before}` })
  return [...buttons, whole]
}

function describeAll({ hidden, after, before }: Pick<Gap, 'hidden' | 'after' | 'before'>) {
  if (hidden === undefined) return { words: 'all', spoken: ` lines below line ${after}` }
  const lines = ` unchanged ${hidden === 1 ? 'line' : 'lines'} from line ${after + 1} to ${before - 1}`
  return hidden > MAX_CONTEXT_LINES
    ? { words: `${MAX_CONTEXT_LINES.toLocaleString('en')} more`, spoken: ` of ${hidden.toLocaleString('en')}${lines}` }
    : { words: `all ${hidden.toLocaleString('en')}`, spoken: lines }
}
