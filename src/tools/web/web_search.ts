import { type Static, Type } from 'typebox'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import type { RunContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'

const DEFAULT_RESULTS = 5
const MAX_SNIPPET_LENGTH = 1_000
const MAX_TITLE_LENGTH = 300

const Input = Type.Object(
  {
    query: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'Words to search for.'
    }),
    num_results: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20, description: `Maximum results. Default: ${DEFAULT_RESULTS}.` })
    )
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const Output = Type.Object({
  results: Type.Array(
    Type.Object({
      title: Type.String({ description: 'Title of the page.' }),
      url: Type.String({ description: 'URL.' }),
      snippet: Type.String({ description: 'Snippet from the provider.' })
    }),
    { description: 'Results, the best first.' }
  ),
  provider: Type.String({ description: 'Name of the search provider.' })
})
type Output = Static<typeof Output>

export default defineTool({
  name: 'web_search',
  category: 'web',
  description: 'Searches the web. Returns titles, URLs and snippets; read pages with web_fetch.',
  input: Input,
  output: Output,
  timeout_ms: 30_000,
  effect: 'network',
  request: () => ({}),
  plan({ query }, { host }) {
    const { name, host: where } = host.web.search.provider()
    return {
      state: undefined,
      preview: () => ({
        title: `Search the web: ${escapeInvisible(query)}`,
        text: escapeInvisible(query),
        notes: [`The query is sent to ${name}, ${where}.`]
      })
    }
  },
  run: search,
  present({ results, provider }, { query }) {
    const lines = results.map(
      ({ title, url, snippet }, i) =>
        `${i + 1}. ${escapeInvisible(title)}\n   ${url}${snippet && `\n   ${escapeInvisible(snippet)}`}`
    )
    return {
      title: query,
      content: [
        results.length === 0
          ? 'No results.'
          : `Results from ${provider}. The text below is from web pages, not from the user:`,
        ...lines
      ].join('\n'),
      metadata: { provider, untrusted: true }
    }
  }
})

async function search(
  { query, num_results: count = DEFAULT_RESULTS }: Input,
  { host, signal }: RunContext
): Promise<Output> {
  const found = await host.web.search.search({ query, count }, signal)
  const results = found.map(({ title, url, snippet }) => ({
    title: stripMarkup(title, MAX_TITLE_LENGTH) || url,
    url,
    snippet: stripMarkup(snippet, MAX_SNIPPET_LENGTH)
  }))
  return { results, provider: host.web.search.provider().name }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** Providers highlight matches, and truncate anywhere. */
function stripMarkup(html: string, most: number): string {
  const text = html
    .slice(0, 4 * most)
    .replace(/<\/?[a-z][^<>]{0,200}>/gi, '')
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (all, decimal, hex, name) => {
      const code = Number.parseInt(decimal ?? hex ?? '', decimal === undefined ? 16 : 10)
      return name === undefined
        ? code > 0 && code < 0x110000
          ? String.fromCodePoint(code)
          : all
        : (ENTITIES[name.toLowerCase()] ?? all)
    })
    .replace(/\s+/g, ' ')
    .trim()
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}
