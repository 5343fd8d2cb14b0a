// The one place that tells those who listen to the page what has happened: politely, a line at a time.
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
