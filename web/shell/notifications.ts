// Signals pending calls outside the page: in the title, as a dot on the icon, and, if enabled and the page is hidden, by a
// notification and a sound.
import { effect } from '@preact/signals'
import { type ApprovalEntry, pending } from '../store/approvals.ts'
import { announce } from './live-region.tsx'
import { notifySetting, soundSetting } from './settings.ts'

const TITLE = 'Toolgate'

export function startNotifications() {
  let known = new Set<string>()
  effect(() => {
    const waiting = pending.value
    const count = waiting.length
    document.title = count > 0 ? `(${count}) ${TITLE}` : TITLE
    setFavicon(count > 0)
    const ids = new Set(waiting.map(({ call }) => call.tool_call_id))
    const fresh = waiting.filter(({ call }) => !known.has(call.tool_call_id))
    if (ids.size !== known.size || fresh.length > 0) announce(count === 0 ? 'No calls waiting' : `${count} pending`)
    if (fresh.length > 0 && document.hidden) notifyPending(fresh)
    known = ids
  })
}

function notifyPending(fresh: readonly ApprovalEntry[]) {
  const [first] = fresh
  if (notifySetting.peek() === 'on' && Notification.permission === 'granted') {
    const what = fresh.length > 1 ? `${fresh.length} calls waiting` : first!.call.approval.preview.title
    const shown = new Notification(`Toolgate: ${what}`, { tag: 'toolgate-pending', body: first!.call.approval.reason })
    shown.onclick = () => {
      window.focus()
      shown.close()
    }
  }
  if (soundSetting.peek() === 'on') playSound()
}

/** Two soft tones. Browsers mute a page until the first click. */
function playSound() {
  const audio = new AudioContext()
  const start = audio.currentTime
  for (const [index, pitch] of [660, 880].entries()) {
    const tone = audio.createOscillator()
    const volume = audio.createGain()
    const at = start + index * 0.16
    tone.frequency.value = pitch
    volume.gain.setValueAtTime(0, at)
    volume.gain.linearRampToValueAtTime(0.12, at + 0.02)
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.3)
    tone.connect(volume).connect(audio.destination)
    tone.start(at)
    tone.stop(at + 0.3)
    if (index === 1) tone.onended = () => void audio.close()
  }
}

function setFavicon(dot: boolean) {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]') ?? document.createElement('link')
  link.rel = 'icon'
  link.href = dot ? PENDING_FAVICON : FAVICON
  if (!link.isConnected) document.head.append(link)
}

const faviconUrl = (more: string) =>
  `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><g fill="none" stroke="#5b7fb5" stroke-width="4" stroke-linecap="round"><path d="M6 26V10a4 4 0 0 1 4-4h12a4 4 0 0 1 4 4v16M16 6v20"/></g>${more}</svg>`
  )}`
const FAVICON = faviconUrl('')
const PENDING_FAVICON = faviconUrl('<circle cx="25" cy="8" r="7" fill="#d97706"/>')
