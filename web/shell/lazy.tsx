// A view that is loaded when first shown, so that the page starts with the pending calls alone.
import { type Signal, signal } from '@preact/signals'
import type { ComponentType } from 'preact'

export function lazy<P extends object = object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const view: Signal<{ View: ComponentType<P> } | 'loading' | undefined> = signal(undefined)
  return props => {
    const now = view.value
    if (now === undefined) {
      view.value = 'loading'
      load()
        .catch(() => Failed)
        .then(View => {
          view.value = { View }
        })
    }
    return typeof now === 'object' ? <now.View {...props} /> : <p class="empty muted">Loading…</p>
  }
}

const Failed = () => (
  <p class="empty muted">This part of the page could not be loaded. Reload the page when the server is available.</p>
)
