// Table of web search providers: their endpoints, requests, and result formats.
import type { Config } from '../../config/schema.ts'

type Settings = Config['web']['search']

export interface SearchProvider {
  /** The configuration must name the URL. */
  requiresUrl: boolean
  /** Default variable of its key; undefined if it needs none. */
  keyVariable?: string
  url(settings: Settings, query: WebSearchQuery): string
  request(query: WebSearchQuery, key: string | undefined): { headers?: Record<string, string>; body?: object }
  results(answer: unknown, mapping: Settings['mapping']): WebSearchResult[]
}

const bearer = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` }

const withQuery = (address: string, values: Record<string, string>) => {
  const url = new URL(address)
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value)
  return url.href
}

export const SEARCH_PROVIDERS: Record<NonNullable<Settings['provider']>, SearchProvider> = {
  searxng: {
    requiresUrl: true,
    url: ({ url = '' }, { query }) =>
      withQuery(`${url.replace(/\/+$/, '').replace(/\/search$/, '')}/search`, { q: query, format: 'json' }),
    request: (_query, key) => ({ headers: bearer(key) }),
    results: answer => toResults(valueAt(answer, 'results'), { title: 'title', url: 'url', snippet: 'content' })
  },
  brave: {
    requiresUrl: false,
    keyVariable: 'BRAVE_API_KEY',
    url: ({ url = 'https://api.search.brave.com/res/v1/web/search' }, { query, count }) =>
      withQuery(url, { q: query, count: String(Math.min(count, 20)) }),
    request: (_query, key = '') => ({ headers: { 'x-subscription-token': key } }),
    results: answer => toResults(valueAt(answer, 'web.results'), { title: 'title', url: 'url', snippet: 'description' })
  },
  tavily: {
    requiresUrl: false,
    keyVariable: 'TAVILY_API_KEY',
    url: ({ url = 'https://api.tavily.com/search' }) => url,
    request: ({ query, count }, key) => ({ headers: bearer(key), body: { query, max_results: Math.min(count, 20) } }),
    results: answer => toResults(valueAt(answer, 'results'), { title: 'title', url: 'url', snippet: 'content' })
  },
  json: {
    requiresUrl: true,
    url: ({ url = '' }, { query, count }) =>
      url.replaceAll('{query}', encodeURIComponent(query)).replaceAll('{count}', String(count)),
    request: (_query, key) => ({ headers: bearer(key) }),
    results: (answer, { results, ...fields }) => toResults(valueAt(answer, results), fields)
  }
}

/** Returns the value at a path such as `web.results`; an empty path is the value itself. */
function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .filter(key => key !== '')
    .reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
          ? (inner as Record<string, unknown>)[key]
          : undefined,
      value
    )
}

/** Converts the results that have a web address, without duplicates. */
function toResults(found: unknown, fields: Record<'title' | 'url' | 'snippet', string>): WebSearchResult[] {
  const results = (Array.isArray(found) ? found : []).flatMap((one: unknown): WebSearchResult[] => {
    const text = (name: keyof typeof fields) => {
      const value = valueAt(one, fields[name])
      return typeof value === 'string' ? value : ''
    }
    const url = text('url')
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return []
    return [{ title: text('title'), url: new URL(url).href, snippet: text('snippet') }]
  })
  return [...new Map(results.map(result => [result.url, result])).values()]
}

export interface WebSearchQuery {
  query: string
  count: number
}

export interface WebSearchResult {
  title: string
  url: string
  snippet: string
}
