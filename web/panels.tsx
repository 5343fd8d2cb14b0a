// The panels, in the order of the bar. A panel is a view of the store; its name is its route.
import type { ComponentType } from 'preact'
import { Activity } from './activity/activity.tsx'
import { Approvals } from './approvals/approvals.tsx'
import { Jobs } from './jobs/jobs.tsx'
import { Metrics } from './metrics/metrics.tsx'
import { Rules } from './rules/rules.tsx'
import { pending } from './store/approvals.ts'
import { Tools } from './tools/tools.tsx'

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
  { name: 'approvals', title: 'Approvals', key: 'a', view: Approvals, count: () => pending.value.length },
  { name: 'activity', title: 'Activity', key: 't', view: Activity },
  { name: 'jobs', title: 'Jobs', key: 'j', view: Jobs },
  { name: 'metrics', title: 'Metrics', key: 'm', view: Metrics },
  { name: 'tools', title: 'Tools', key: 'o', view: Tools },
  { name: 'rules', title: 'Rules', key: 'r', view: Rules }
]
