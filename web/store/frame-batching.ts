// Batches changes: a hundred between two frames cause one render.
import type { Signal } from '@preact/signals'

/**
 * Returns a function to call at each change: the version is incremented in the next frame. A hidden page renders nothing until it
 * is visible again.
 */
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
