// The place that this page is of, and what it can show: a server, or a hub of many servers.
import { computed, signal } from '@preact/signals'

/** Parts of the page that not every place has. */
export type Feature =
  | 'always'
  | 'changes'
  | 'edit'
  | 'freshness'
  | 'jobs'
  | 'modes'
  | 'person name'
  | 'roots'
  | 'rules'
  | 'servers'
  | 'settings'
  | 'status'
  | 'tools'

export interface Place {
  features: ReadonlySet<Feature>
  /** Path of the routes that the client uses. */
  base: string
}

export const SERVER: Place = {
  features: new Set([
    'always',
    'changes',
    'edit',
    'freshness',
    'jobs',
    'modes',
    'person name',
    'roots',
    'rules',
    'settings',
    'status',
    'tools'
  ]),
  base: ''
}

export const HUB: Place = { features: new Set(['servers']), base: '/console' }

export const place = signal<Place>(SERVER)

/** Returns whether the place has a part; one that needs none is everywhere. */
export const has = (feature: Feature | undefined): boolean => feature === undefined || place.value.features.has(feature)

export const isHub = computed(() => place.value === HUB)
