// Shows which parts were not viewed yet and how far the current one is, and leads through them: by a button, or by `v`.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { announce } from '../shell/live-region.tsx'
import { keysSetting } from '../shell/settings.ts'
import { markInvisible } from '../text/invisible.tsx'
import { describeUnviewed, type Review } from './review.ts'

export const ReviewStatus = ({ review }: { review: Review }) => <UnviewedStatus missing={describeUnviewed(review)} />

/** Shows nothing if nothing is missing. */
export function UnviewedStatus({ missing }: { missing: string | undefined }) {
  const self = useRef<HTMLDivElement>(null)
  const progress = useProgress(self, missing)
  if (missing === undefined) return null
  return (
    <div class="row review-status" ref={self}>
      <span>{capitalize(missing)}</span>
      {progress && (
        <span class="review-progress muted">
          <span class="review-name">{markInvisible(progress.name)}</span>: {progress.position}
        </span>
      )}
      <button
        class="button small"
        type="button"
        aria-keyshortcuts="v"
        onClick={({ currentTarget }) => showNextUnviewed(currentTarget.closest<HTMLElement>('dialog, .card'))}
      >
        View next
        {keysSetting.value === 'on' && (
          <span class="key" aria-hidden="true">
            v
          </span>
        )}
      </button>
    </div>
  )
}

interface Progress {
  /** The part in which `v` goes on. */
  name: string
  position: string
}

/** Follows how far the current part has been scrolled. */
function useProgress(self: { current: HTMLElement | null }, missing: string | undefined): Progress | undefined {
  const [progress, setProgress] = useState<Progress>()
  useLayoutEffect(() => {
    const within = self.current?.closest<HTMLElement>('dialog, .card')
    if (!within) return
    let frame = 0
    const update = () => {
      const now = measureProgress(within)
      setProgress(before => (before?.name === now?.name && before?.position === now?.position ? before : now))
    }
    const schedule = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(update)
    }
    schedule()
    const options = { capture: true, passive: true }
    addEventListener('scroll', schedule, options)
    addEventListener('resize', schedule)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', schedule, options)
      removeEventListener('resize', schedule)
    }
  }, [missing])
  return progress
}

function measureProgress(within: HTMLElement): Progress | undefined {
  const part = findUnviewed(within)
  const { name, lines } = part?.dataset ?? {}
  if (!part || name === undefined) return undefined
  const { bottom } = visibleRange(within)
  if (lines !== undefined)
    return { name, position: `${formatCount(countLinesAbove(part, bottom))} of ${formatCount(Number(lines))} lines` }
  const { top, height } = part.getBoundingClientRect()
  const share = Math.min(Math.max((bottom - top) / Math.max(height, 1), 0), 1)
  return { name, position: `${Math.floor(share * 100)} %` }
}

const formatCount = (count: number) => count.toLocaleString('en')

/** Counts the lines of a file that end above this height. Only the block there is measured line by line. */
function countLinesAbove(part: HTMLElement, height: number): number {
  let count = 0
  for (const block of part.querySelectorAll('.block')) {
    const { top, bottom } = block.getBoundingClientRect()
    if (top >= height) break
    const lines = [...block.querySelectorAll('.lines > :not(.hunk, .line-comments)')]
    count +=
      bottom <= height ? lines.length : lines.filter(line => line.getBoundingClientRect().bottom <= height).length
  }
  return count
}

const findUnviewed = (within: HTMLElement | null) => within?.querySelector<HTMLElement>('[data-viewed="false"]')

const capitalize = (text: string) => text[0]!.toUpperCase() + text.slice(1)

/** Part of the visible height that stays visible when a page is turned. */
const OVERLAP = 0.15
/** A part within this distance of the top, in pixels, has been scrolled to. */
const MAX_TOP_DISTANCE = 80

/**
 * Goes on in the first part that was not viewed: unfolds it, scrolls to its start, or turns to its next page. Repeated, it passes
 * everything once.
 */
export function showNextUnviewed(within: HTMLElement | null) {
  const part = findUnviewed(within)
  if (!within || !part) {
    announce('Everything has been viewed')
    return
  }
  if (part instanceof HTMLDetailsElement) part.open = true
  part.querySelector<HTMLButtonElement>('.diff-more')?.click()
  const scroller = within.scrollHeight > within.clientHeight + 1 ? within : document.documentElement
  const { top, bottom } = visibleRange(within)
  const rect = part.getBoundingClientRect()
  if (rect.top > top + MAX_TOP_DISTANCE || rect.bottom <= top) {
    const before = scroller.scrollTop
    part.scrollIntoView({ block: 'start' })
    if (scroller.scrollTop !== before) return
  }
  scroller.scrollBy({ top: (bottom - top) * (1 - OVERLAP) })
}

/** Returns the part of the window in which content is visible: below the bar, above the buttons. */
function visibleRange(within: HTMLElement) {
  const rect = within.getBoundingClientRect()
  const bar = within.closest('dialog') ? undefined : document.querySelector('.bar')?.getBoundingClientRect()
  const end = within.querySelector(':scope > .card-end')?.getBoundingClientRect()
  return {
    top: Math.max(rect.top, bar?.bottom ?? 0, 0),
    bottom: Math.min(rect.bottom, end?.top ?? rect.bottom, innerHeight)
  }
}
