// The ARIA live region: announces events to screen readers politely, one line at a time.
import { signal } from '@preact/signals'

const announcement = signal('')

export function announce(text: string) {
  announcement.value = text
}

export const LiveRegion = () => (
  <div class="spoken" role="status" aria-live="polite">
    {announcement.value}
  </div>
)
