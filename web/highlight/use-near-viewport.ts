// Follows whether an element has come near the viewport: what is far away is not coloured yet.
import { useEffect, useRef, useState } from 'preact/hooks'

/** Distance from the viewport in pixels. */
const NEAR_PX = 800

/** Returns the ref of the element, and true once it has been near the viewport. */
export function useNearViewport<T extends Element>() {
  const ref = useRef<T>(null)
  const [isNear, setIsNear] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (isNear || !element) return
    const observer = new IntersectionObserver(
      entries => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setIsNear(true)
      },
      { rootMargin: `${NEAR_PX}px` }
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [isNear])
  return { ref, isNear }
}
