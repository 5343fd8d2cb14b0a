// Says if the legend of keys is open. The legend is loaded when it is opened first.
import { signal } from '@preact/signals'

export const isHelpOpen = signal(false)
