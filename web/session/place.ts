// The place that this page is of, and what it can show: a server, a hub of many servers, or one call of a server.
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
  | 'queue'
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
    'queue',
    'roots',
    'rules',
    'settings',
    'status',
    'tools'
  ]),
  base: ''
}

export const HUB: Place = { features: new Set(['queue', 'servers']), base: '/console' }

/** The page that a link of a notification opens: one call, without events. */
export const LINK: Place = { features: new Set(['freshness']), base: '' }

export const place = signal<Place>(SERVER)

/** Returns whether the place has a part; one that needs none is everywhere. */
export const has = (feature: Feature | undefined): boolean => feature === undefined || place.value.features.has(feature)

export const isLink = computed(() => place.value === LINK)

export const isHub = computed(() => place.value === HUB)
