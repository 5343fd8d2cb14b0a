// The panels, in the order of the bar. A panel is a view of the store; its name is its route.
import type { ComponentType } from 'preact'
import { Approvals } from './approvals/approvals.tsx'
import { pending } from './store/approvals.ts'

export interface Panel {
  name: string
  title: string
  /** Goes there after `g`. */
  key: string
  view: ComponentType
  /** How many things in it want somebody. */
  count?: () => number
}

export const PANELS: readonly Panel[] = [
  { name: 'approvals', title: 'Approvals', key: 'a', view: Approvals, count: () => pending.value.length }
]
