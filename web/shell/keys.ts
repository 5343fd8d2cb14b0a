// Keys of the page: single ones, and sequences that begin with `g`. None acts while one types, while a dialog is open, or
// where they are switched off.
import { useEffect, useRef } from 'preact/hooks'
import { tinykeys } from 'tinykeys'
import { keysSetting } from './settings.ts'

export type KeyBindings = Readonly<Record<string, (event: KeyboardEvent) => void>>

/** How long a sequence waits for its second key. */
const SEQUENCE_MS = 1_000
const PREFIX = 'g'

/** Binds keys of the whole page while the component is shown. Which keys stays the same from one drawing to the next. The
 * library's own sequences miss one that is typed within a second of another; it matches single keys here. */
export function useKeys(keys: KeyBindings) {
  const newest = useRef(keys)
  newest.current = keys
  useEffect(() => {
    const presses = new Set(Object.keys(keys).map(key => key.replace(`${PREFIX} `, '')))
    const bound = Array.from(presses, press => [
      press,
      (event: KeyboardEvent) => runBinding(newest.current[isSecond ? `${PREFIX} ${press}` : press], event)
    ])
    return tinykeys(window, Object.fromEntries(bound))
  }, [])
}

/** What something nearer to the focus has taken is not done twice. */
function runBinding(does: KeyBindings[string] | undefined, event: KeyboardEvent) {
  if (!does || event.defaultPrevented || ignoresKeys(event)) return
  event.preventDefault()
  does(event)
}

let isSecond = false
let prefixAt = Number.NEGATIVE_INFINITY
window.addEventListener(
  'keydown',
  event => {
    isSecond = event.timeStamp - prefixAt < SEQUENCE_MS
    prefixAt = !isSecond && event.key === PREFIX && !ignoresKeys(event) ? event.timeStamp : Number.NEGATIVE_INFINITY
  },
  { capture: true }
)

/** Whether a key is the second of a sequence, and means nothing by itself. */
export const isSequenceKey = () => isSecond

/** Whether a key is meant for something else. */
export function ignoresKeys(event: KeyboardEvent): boolean {
  const { target } = event
  return (
    keysSetting.peek() === 'off' ||
    event.repeat ||
    event.isComposing ||
    document.querySelector('dialog[open]') !== null ||
    (target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select')))
  )
}
