// The panels in the order of the bar. A panel is a view of the store; its name is its route.
import { computed } from '@preact/signals'
import type { ComponentType } from 'preact'
import { Approvals } from './approvals/approvals.tsx'
import { type Feature, has } from './session/place.ts'
import { lazy } from './shell/lazy.tsx'
import { pending } from './store/approvals.ts'

export interface Panel {
  name: string
  title: string
  /** Opens the panel after `g`. */
  shortcut: string
  view: ComponentType
  /** The part of a place that it shows. */
  needs?: Feature
  /** Number of items in it that need attention. */
  count?: () => number
}

const PANELS: readonly Panel[] = [
  { name: 'approvals', title: 'Approvals', shortcut: 'a', view: Approvals, count: () => pending.value.length },
  {
    name: 'activity',
    title: 'Activity',
    shortcut: 't',
    view: lazy(async () => (await import('./activity/activity.tsx')).Activity)
  },
  {
    name: 'changes',
    title: 'Changes',
    shortcut: 'c',
    needs: 'changes',
    view: lazy(async () => (await import('./changes/changes.tsx')).Changes)
  },
  {
    name: 'servers',
    title: 'Servers',
    shortcut: 's',
    needs: 'servers',
    view: lazy(async () => (await import('./hub/hub.ts')).Servers)
  },
  {
    name: 'search',
    title: 'Search',
    shortcut: 'f',
    needs: 'servers',
    view: lazy(async () => (await import('./hub/hub.ts')).Search)
  },
  {
    name: 'jobs',
    title: 'Jobs',
    shortcut: 'j',
    needs: 'jobs',
    view: lazy(async () => (await import('./jobs/jobs.tsx')).Jobs)
  },
  {
    name: 'status',
    title: 'Status',
    shortcut: 'u',
    needs: 'status',
    view: lazy(async () => (await import('./status/status.tsx')).ServerStatus)
  },
  {
    name: 'tools',
    title: 'Tools',
    shortcut: 'o',
    needs: 'tools',
    view: lazy(async () => (await import('./tools/tools.tsx')).Tools)
  },
  {
    name: 'rules',
    title: 'Rules',
    shortcut: 'r',
    needs: 'rules',
    view: lazy(async () => (await import('./rules/rules.tsx')).Rules)
  },
  {
    name: 'settings',
    title: 'Settings',
    shortcut: 'e',
    needs: 'settings',
    view: lazy(async () => (await import('./settings/settings.tsx')).Settings)
  },
  {
    name: 'rules',
    title: 'Rules',
    shortcut: 'r',
    needs: 'servers',
    view: lazy(async () => (await import('./hub/hub.ts')).HubRules)
  }
]

/** The panels of this place. */
export const visiblePanels = computed(() => PANELS.filter(({ needs }) => has(needs)))
