// A view that is loaded when first shown, so that the page starts with the pending calls alone.
import { effect, type Signal, signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { isConnected } from '../store/connection.ts'

export function lazy<P extends object = object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const view: Signal<{ View: ComponentType<P> } | 'loading' | undefined> = signal(undefined)
  return props => {
    const now = view.value
    if (now === undefined) {
      view.value = 'loading'
      load().then(
        View => {
          view.value = { View }
        },
        () => {
          view.value = { View: Failed as ComponentType<P> }
          afterReconnect(() => {
            view.value = undefined
          })
        }
      )
    }
    return typeof now === 'object' ? <now.View {...props} /> : <p class="empty muted">Loading…</p>
  }
}

const Failed = () => (
  <div class="empty">
    <h1>This part of the page could not be loaded</h1>
    <p>It is loaded again when the server is available. If the server was updated, reload the page.</p>
    <p>
      <button type="button" class="button small" onClick={() => location.reload()}>
        Reload page
      </button>
    </p>
  </div>
)

/** Acts once when the connection is there again. */
function afterReconnect(act: () => void) {
  let wasLost = false
  const stop = effect(() => {
    if (!isConnected.value) wasLost = true
    else if (wasLost) queueMicrotask(finish)
  })
  const finish = () => {
    stop()
    act()
  }
}
