// Telling of many changes at once: what changes a hundred times between two frames is drawn once.
import type { Signal } from '@preact/signals'

/** What to call at each change: the version grows with the next frame. A page that is not seen draws nothing, and is told
 * when it is seen again. */
export function bumpOnNextFrame(version: Signal<number>): () => void {
  let scheduled = false
  return () => {
    if (scheduled) return
    scheduled = true
    requestAnimationFrame(() => {
      scheduled = false
      version.value++
    })
  }
}
