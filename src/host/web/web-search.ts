// Web search by a configured provider. Its address comes from the user, so it is not guarded as one named by a model: it may be
// on this machine or in a private network. The key is sent only to the provider and never shown.
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../../config/schema.ts'
import { ToolError } from '../../errors.ts'
import { createFetch } from '../egress/proxied-fetch.ts'
import { SEARCH_PROVIDERS, type SearchProvider, type WebSearchQuery, type WebSearchResult } from './search-providers.ts'

type Settings = Config['web']['search']

const MAX_ATTEMPTS = 3
const MIN_BACKOFF_MS = 500
const MAX_RETRY_DELAY_MS = 10_000
const TOO_MANY_REQUESTS = 429
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024

export class WebSearch {
  readonly #settings: Settings
  readonly #environment: Readonly<Record<string, string | undefined>>
  readonly #fetch: typeof fetch

  constructor(settings: Settings, environment: Readonly<Record<string, string | undefined>>) {
    this.#settings = settings
    this.#environment = environment
    this.#fetch = createFetch(environment)
  }

  /**
   * Returns the provider and its host, as shown to an approver. Throws EXECUTION_ERROR with instructions if none is configured.
   */
  provider(): { name: string; host: string } {
    const { name, provider } = this.#resolveProvider()
    return { name, host: new URL(provider.url(this.#settings, { query: '', count: 1 })).host }
  }

  async search(query: WebSearchQuery, signal: AbortSignal): Promise<WebSearchResult[]> {
    const { name, provider, key } = this.#resolveProvider()
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#attempt(name, provider, key, query, signal)
      if ('results' in answer) return answer.results.slice(0, query.count)
      if (attempt === MAX_ATTEMPTS || answer.after_ms > MAX_RETRY_DELAY_MS) throw answer.error
      const ms = Math.max(answer.after_ms, MIN_BACKOFF_MS * 2 ** (attempt - 1))
      await pause(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }

  async #attempt(
    name: string,
    provider: SearchProvider,
    key: string | undefined,
    query: WebSearchQuery,
    signal: AbortSignal
  ) {
    const { timeout_ms } = this.#settings
    const { headers = {}, body } = provider.request(query, key)
    let answer: Response
    let text: string
    try {
      answer = await this.#fetch(provider.url(this.#settings, query), {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          ...headers,
          ...(body !== undefined && { 'content-type': 'application/json' })
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // The key is for this address only.
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)])
      })
      text = await readText(answer)
    } catch (error) {
      signal.throwIfAborted()
      return {
        error: new ToolError('NETWORK_ERROR', `The search provider ${name} ${failureReason(error as Error)}.`),
        after_ms: 0
      }
    }
    const { status } = answer
    if (status === TOO_MANY_REQUESTS || status >= 500)
      return {
        error: new ToolError(
          'NETWORK_ERROR',
          `The search provider ${name} returned ${status}${status === TOO_MANY_REQUESTS ? ': rate limit exceeded' : ''}.`,
          { status }
        ),
        after_ms: parseRetryAfter(answer.headers.get('retry-after'))
      }
    if (!answer.ok)
      throw new ToolError(
        'EXECUTION_ERROR',
        `The search provider ${name} returned ${status}${STATUS_HINTS[status] ?? ''}.`,
        { status }
      )
    return { results: provider.results(parseJson(name, text), this.#settings.mapping) }
  }

  #resolveProvider(): { name: string; provider: SearchProvider; key: string | undefined } {
    const { provider: name, url, key_env } = this.#settings
    if (name === undefined) throw new ToolError('EXECUTION_ERROR', SETUP_HINT, { setting: 'web.search.provider' })
    const provider = SEARCH_PROVIDERS[name]
    if (provider.requiresUrl && url === undefined)
      throw new ToolError(
        'EXECUTION_ERROR',
        `web.search.provider is ${name}, which requires the setting web.search.url.`,
        {
          setting: 'web.search.url'
        }
      )
    const variable = key_env ?? provider.keyVariable
    const key = variable === undefined ? undefined : this.#environment[variable] || undefined
    if (key === undefined && (provider.keyVariable !== undefined || key_env !== undefined))
      throw new ToolError(
        'EXECUTION_ERROR',
        `The key for ${name} is missing: set the environment variable ${variable} of the server.`,
        { setting: 'web.search.key_env', variable }
      )
    return { name, provider, key }
  }
}

const SETUP_HINT =
  'No search provider is configured. Set web.search.provider to searxng (with web.search.url), brave (key in ' +
  'BRAVE_API_KEY), tavily (key in TAVILY_API_KEY) or json (with web.search.url). See docs/web.md for examples.'

const STATUS_HINTS: Readonly<Record<number, string>> = {
  401: ': the key is invalid',
  403: ': the key is invalid, or the endpoint does not allow JSON',
  404: ': nothing was found at the URL'
}

/** Error messages of the provider are not repeated: they may contain the request. */
function failureReason(error: Error): string {
  if (error.name === 'TimeoutError') return 'did not answer in time'
  if (error instanceof ToolError) return error.message
  const code = (error.cause as { code?: string } | undefined)?.code
  return `cannot be reached${code ? ` (${code})` : ''}`
}

async function readText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.length
    if (bytes > MAX_RESPONSE_BYTES) throw new ToolError('TOO_LARGE', `returned more than ${MAX_RESPONSE_BYTES} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ToolError('EXECUTION_ERROR', `The search provider ${name} returned a response that is not JSON.`)
  }
}

/** Parses seconds, or a date. */
function parseRetryAfter(value: string | null): number {
  if (value === null) return 0
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : 0
}
