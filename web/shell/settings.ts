// What a person chose for this console, kept in this browser.
import { effect, type Signal, signal } from '@preact/signals'

export type Theme = 'auto' | 'light' | 'dark'

export const theme = kept<Theme>('theme', 'auto', ['auto', 'light', 'dark'])
/** Single keys, which can be in the way of a screen reader or of speech input. */
export const keysOn = kept('keys', 'on', ['on', 'off'])
export const notifyOn = kept('notify', 'off', ['on', 'off'])
export const soundOn = kept('sound', 'off', ['on', 'off'])
export const diffView = kept<'unified' | 'split'>('diff', 'unified', ['unified', 'split'])

effect(() => {
  document.documentElement.dataset.theme = theme.value
})

function kept<T extends string>(name: string, fallback: NoInfer<T>, values: readonly T[]): Signal<T> {
  const key = `toolgate-${name}`
  const stored = localStorage.getItem(key) as T
  const setting = signal<T>(values.includes(stored) ? stored : fallback)
  effect(() => localStorage.setItem(key, setting.value))
  return setting
}
