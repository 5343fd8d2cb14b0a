// Shows which parts were not viewed yet, and leads through them: by a button, or by `v`.
import { announce } from '../shell/live-region.tsx'
import { keysSetting } from '../shell/settings.ts'
import { describeUnviewed, type Review } from './review.ts'

export function ReviewStatus({ review }: { review: Review }) {
  const missing = describeUnviewed(review)
  if (missing === undefined) return null
  return (
    <div class="row review-status">
      <span>{capitalize(missing)}</span>
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
  const part = within?.querySelector<HTMLElement>('[data-viewed="false"]')
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
    top: Math.max(rect.top, bar?.bottom ?? 0),
    bottom: Math.min(rect.bottom, end?.top ?? rect.bottom, innerHeight)
  }
}
