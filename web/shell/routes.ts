// The router. The state of a view is in the address, so that it can be bookmarked and shared.
import { signal } from '@preact/signals'
import { formatAddress, parseAddress, type Query, type Route } from './address.ts'

export const route = signal<Route>(parseAddress(location.hash))
addEventListener('hashchange', () => {
  route.value = parseAddress(location.hash)
})

export const hrefOf = (panel: string, ...segments: string[]) => formatAddress({ panel, segments, query: {} })

/** Returns the address of this view with changes. */
export const hrefWith = (change: Partial<Route>) => formatAddress({ ...route.value, ...change })

export function goTo(panel: string, ...segments: string[]) {
  location.hash = hrefOf(panel, ...segments)
}

/** Goes to an address that replaces the current one in the history of the tab. */
export function replaceRoute(panel: string, ...segments: string[]) {
  replaceAddress(hrefOf(panel, ...segments))
}

/** Changes the query without an entry in the history, as for text that is being typed. */
export function replaceQuery(query: Query) {
  replaceAddress(hrefWith({ query }))
}

function replaceAddress(href: string) {
  history.replaceState(null, '', href)
  route.value = parseAddress(location.hash)
}
