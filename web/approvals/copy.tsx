// Copies a text, whole.
import { useState } from 'preact/hooks'
import { say } from '../shell/say.tsx'

export function Copy({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [done, setDone] = useState(false)
  return (
    <button
      class="button quiet small"
      type="button"
      onClick={async () => {
        await navigator.clipboard.writeText(text)
        setDone(true)
        say('Copied')
        setTimeout(setDone, 1_500, false)
      }}
    >
      {done ? 'Copied' : label}
    </button>
  )
}
