// Single keys. None acts while one types, while a dialog is open, or where they are switched off.
import { useEffect } from 'preact/hooks'
import { tinykeys } from 'tinykeys'
import { keysOn } from './settings.ts'

export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>

/** Binds keys of the whole page while the component is shown. */
export function useKeys(keys: Keys) {
  useEffect(() => tinykeys(window, guarded(keys), { ignore: isBusy }))
}

const guarded = (keys: Keys) =>
  Object.fromEntries(
    Object.entries(keys).map(([key, act]) => [
      key,
      (event: KeyboardEvent) => {
        event.preventDefault()
        act(event)
      }
    ])
  )

/** Whether a key is meant for something else. */
export function isBusy(event: KeyboardEvent): boolean {
  const { target } = event
  return (
    keysOn.peek() === 'off' ||
    event.repeat ||
    event.isComposing ||
    document.querySelector('dialog[open]') !== null ||
    (target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select')))
  )
}
