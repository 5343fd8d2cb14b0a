// Where in the console one is: `#/panel/rest`. The address says it, so that a place can be kept and sent.
import { signal } from '@preact/signals'

export interface Route {
  panel: string
  /** What follows, such as the id of a call. */
  rest: readonly string[]
}

const FIRST = 'approvals'

export const route = signal<Route>(read())
addEventListener('hashchange', () => {
  route.value = read()
})

export const hrefOf = (panel: string, ...rest: string[]) => `#/${[panel, ...rest].map(encodeURIComponent).join('/')}`

export function goTo(panel: string, ...rest: string[]) {
  location.hash = hrefOf(panel, ...rest)
}

function read(): Route {
  const [panel = '', ...rest] = location.hash.replace(/^#\//, '').split('/').map(decode)
  return { panel: /^[a-z]+$/.test(panel) ? panel : FIRST, rest: rest.filter(part => part !== '') }
}

function decode(part: string) {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
