// User settings of this console, stored in this browser.
import { effect, type Signal, signal } from '@preact/signals'

export type Theme = 'auto' | 'light' | 'dark'

export const theme = persistentSetting<Theme>('theme', 'auto', ['auto', 'light', 'dark'])
/** Single-key shortcuts, which can interfere with a screen reader or speech input. */
export const keysSetting = persistentSetting('keys', 'on', ['on', 'off'])
export const notifySetting = persistentSetting('notify', 'off', ['on', 'off'])
export const soundSetting = persistentSetting('sound', 'off', ['on', 'off'])
export const diffViewSetting = persistentSetting<'unified' | 'split'>('diff', 'unified', ['unified', 'split'])

effect(() => {
  document.documentElement.dataset.theme = theme.value
})

function persistentSetting<T extends string>(name: string, fallback: NoInfer<T>, values: readonly T[]): Signal<T> {
  const key = `toolgate-${name}`
  const stored = localStorage.getItem(key) as T
  const setting = signal<T>(values.includes(stored) ? stored : fallback)
  effect(() => localStorage.setItem(key, setting.value))
  return setting
}
