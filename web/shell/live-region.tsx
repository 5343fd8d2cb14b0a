// The one place that tells those who listen to the page what has happened: politely, a line at a time.
import { signal } from '@preact/signals'

const line = signal('')

export function say(text: string) {
  line.value = text
}

export const Status = () => (
  <div class="spoken" role="status" aria-live="polite">
    {line.value}
  </div>
)
