// Marks the end of a part of a preview: once it has been on the screen, the part counts as viewed.
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Review, setPartViewed } from './review.ts'

/** Height of the bar with the buttons, which covers the end of the card. */
export const coveredHeight = signal(0)

export function EndMark({ review, part }: { review: Review; part: string }) {
  const self = useRef<HTMLDivElement>(null)
  /** The review whose part's end is on the screen: it counts when it comes there, so that a part can be marked as not viewed. */
  const onScreen = useRef<string | undefined>(undefined)
  const covered = coveredHeight.value
  useEffect(() => {
    const element = self.current!
    const bottom = element.closest('dialog') ? 0 : covered
    const observer = new IntersectionObserver(
      entries => {
        const isVisible = entries.at(-1)!.isIntersecting
        if (isVisible && onScreen.current !== review.id) setPartViewed(review, part, true)
        onScreen.current = isVisible ? review.id : undefined
      },
      { rootMargin: `0px 0px -${bottom}px 0px`, threshold: 1 }
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [review, part, covered])
  return <div ref={self} class="end-mark" />
}

/** Follows the height of an element that covers the end of what scrolls. */
export function useCoveredHeight<T extends HTMLElement>() {
  const self = useRef<T>(null)
  useEffect(() => {
    const element = self.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      coveredHeight.value = Math.ceil(element.getBoundingClientRect().height)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return self
}
