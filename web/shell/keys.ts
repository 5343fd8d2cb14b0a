// Keyboard shortcuts of the page: single keys, and sequences that begin with `g`. All are inactive during text input, while a
// dialog is open, or if switched off.
import { useEffect, useRef } from 'preact/hooks'
import { tinykeys } from 'tinykeys'
import { keysSetting } from './settings.ts'

export type KeyBindings = Readonly<Record<string, (event: KeyboardEvent) => void>>

/** Time limit for the second key of a sequence. */
const SEQUENCE_MS = 1_000
const PREFIX = 'g'

/**
 * Binds keys of the whole page while the component is shown. The set of keys must not change between renders. The library's own
 * sequences miss one that is typed within a second of another; only its matching of single keys is used.
 */
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

/** A key already handled closer to the focus is not handled twice. */
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

/** Returns whether a key is the second of a sequence, and thus means nothing by itself. */
export const isSequenceKey = () => isSecond

/** Returns whether a key is meant for something else. */
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
