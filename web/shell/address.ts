// The address of a view as text: `#/panel/rest?key=value`.

export interface Route {
  panel: string
  /** The rest of the path, such as the id of a call. */
  segments: readonly string[]
  /** Filters and the like. Each panel ignores keys that it does not know. */
  query: Query
}

export type Query = Readonly<Record<string, string>>

const DEFAULT_PANEL = 'approvals'

export function parseAddress(hash: string): Route {
  const [, path = '', query] = /^#?\/?([^?]*)(?:\?(.*))?$/s.exec(hash) ?? []
  const [panel = '', ...rest] = path.split('/').map(decodeSegment)
  return {
    panel: /^[a-z]+$/.test(panel) ? panel : DEFAULT_PANEL,
    segments: rest.filter(part => part !== ''),
    query: Object.fromEntries(new URLSearchParams(query))
  }
}

export function formatAddress({ panel, segments, query }: Route): string {
  const path = [panel, ...segments].map(encodeURIComponent).join('/')
  const text = new URLSearchParams(query).toString()
  return text === '' ? `#/${path}` : `#/${path}?${text}`
}

function decodeSegment(part: string) {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
