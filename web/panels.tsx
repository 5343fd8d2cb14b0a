// The panels in the order of the bar. A panel is a view of the store; its name is its route.
import type { ComponentType } from 'preact'
import { Approvals } from './approvals/approvals.tsx'
import { lazy } from './shell/lazy.tsx'
import { pending } from './store/approvals.ts'

export interface Panel {
  name: string
  title: string
  /** Opens the panel after `g`. */
  shortcut: string
  view: ComponentType
  /** Number of items in it that need attention. */
  count?: () => number
}

export const PANELS: readonly Panel[] = [
  { name: 'approvals', title: 'Approvals', shortcut: 'a', view: Approvals, count: () => pending.value.length },
  {
    name: 'activity',
    title: 'Activity',
    shortcut: 't',
    view: lazy(async () => (await import('./activity/activity.tsx')).Activity)
  },
  { name: 'jobs', title: 'Jobs', shortcut: 'j', view: lazy(async () => (await import('./jobs/jobs.tsx')).Jobs) },
  {
    name: 'metrics',
    title: 'Metrics',
    shortcut: 'm',
    view: lazy(async () => (await import('./metrics/metrics.tsx')).Metrics)
  },
  { name: 'tools', title: 'Tools', shortcut: 'o', view: lazy(async () => (await import('./tools/tools.tsx')).Tools) },
  { name: 'rules', title: 'Rules', shortcut: 'r', view: lazy(async () => (await import('./rules/rules.tsx')).Rules) }
]
