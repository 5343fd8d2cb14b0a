// A view that is loaded when it is first shown, so that the page comes up with what waits and nothing else.
import { type Signal, signal } from '@preact/signals'
import type { ComponentType } from 'preact'

export function lazy(load: () => Promise<ComponentType>): ComponentType {
  const view: Signal<{ View: ComponentType } | 'loading' | undefined> = signal(undefined)
  return () => {
    const now = view.value
    if (now === undefined) {
      view.value = 'loading'
      load()
        .catch(() => Failed)
        .then(View => {
          view.value = { View }
        })
    }
    return typeof now === 'object' ? <now.View /> : <p class="empty muted">Loading…</p>
  }
}

const Failed = () => (
  <p class="empty muted">This panel could not be loaded. Reload the page once the server is there.</p>
)
