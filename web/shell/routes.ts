// The router: `#/panel/rest`. The state is in the address, so that it can be bookmarked and shared.
import { signal } from '@preact/signals'

export interface Route {
  panel: string
  /** The rest, such as the id of a call. */
  segments: readonly string[]
}

const DEFAULT_PANEL = 'approvals'

export const route = signal<Route>(parseHash())
addEventListener('hashchange', () => {
  route.value = parseHash()
})

export const hrefOf = (panel: string, ...rest: string[]) => `#/${[panel, ...rest].map(encodeURIComponent).join('/')}`

export function goTo(panel: string, ...rest: string[]) {
  location.hash = hrefOf(panel, ...rest)
}

/** Goes to an address that replaces the current one in the history of the tab. */
export function replaceRoute(panel: string, ...rest: string[]) {
  history.replaceState(null, '', hrefOf(panel, ...rest))
  route.value = parseHash()
}

function parseHash(): Route {
  const [panel = '', ...rest] = location.hash.replace(/^#\//, '').split('/').map(decodeSegment)
  return { panel: /^[a-z]+$/.test(panel) ? panel : DEFAULT_PANEL, segments: rest.filter(part => part !== '') }
}

function decodeSegment(part: string) {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
