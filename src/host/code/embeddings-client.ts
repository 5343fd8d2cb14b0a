// Client of an OpenAI-compatible embeddings endpoint. It may be slow, wrong or unavailable: then search uses words only. Known
// secret values in requests are masked; the key is sent only to the endpoint and never shown.
import type { Config } from '../../config/schema.ts'

type EmbeddingSettings = Config['search']['embeddings'] & { url: string }

/** State of the endpoint. */
interface EndpointState {
  model: string
  /** Reason of the current backoff, if any. */
  reason?: string
}

/** Time limit for a query's embedding. */
const QUERY_TIMEOUT_MS = 1_000
const MIN_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 300_000
/** Maximum number of cached query embeddings. */
const MAX_CACHED_QUERIES = 200
const TOO_MANY_REQUESTS = 429
/** Maximum answer size per text; a vector of ten thousand dimensions takes half of it. */
const MAX_BYTES_PER_TEXT = 512 * 1024

export class EmbeddingsClient {
  readonly settings: EmbeddingSettings
  readonly #key: string | undefined
  readonly #maskText: (text: string) => string
  readonly #fetch: typeof fetch
  readonly #queryCache = new Map<string, Float32Array>()
  #dimensions: number | undefined
  #reason: string | undefined
  #failures = 0
  #retryAt = 0

  constructor(
    settings: EmbeddingSettings,
    key: string | undefined,
    masked: (text: string) => string,
    fetchByProxy: typeof fetch
  ) {
    this.#fetch = fetchByProxy
    this.settings = settings
    this.#key = key
    this.#maskText = masked
    this.#dimensions = settings.dimensions
  }

  get state(): EndpointState {
    const { model } = this.settings
    return { model, ...(this.#reason !== undefined && { reason: this.#reason }) }
  }

  /** Remaining backoff in milliseconds. */
  get backoffMs(): number {
    return Math.max(0, this.#retryAt - performance.now())
  }

  /** Returns the embedding of a query; undefined if none is available soon. */
  async embedQuery(text: string, signal: AbortSignal): Promise<Float32Array | undefined> {
    const known = this.#queryCache.get(text)
    if (known) return known
    if (this.backoffMs > 0) return undefined
    try {
      const [vector] = await this.embed([text], AbortSignal.any([signal, AbortSignal.timeout(QUERY_TIMEOUT_MS)]))
      if (this.#queryCache.size >= MAX_CACHED_QUERIES) this.#queryCache.clear()
      this.#queryCache.set(text, vector!)
      return vector
    } catch {
      signal.throwIfAborted()
      return undefined
    }
  }

  /** Returns one vector of length 1 for each text. */
  async embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    try {
      const vectors = await this.#request(texts, signal)
      this.#failures = 0
      this.#reason = undefined
      return vectors
    } catch (error) {
      // A canceled request says nothing about the endpoint.
      if (!isCancelled(signal)) this.#fail(error as Error)
      throw error
    }
  }

  async #request(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    const { url, model, dimensions, timeout_ms } = this.settings
    const response = await this.#fetch(`${url.replace(/\/+$/, '')}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(this.#key && { authorization: `Bearer ${this.#key}` }) },
      body: JSON.stringify({ model, input: texts.map(this.#maskText), ...(dimensions && { dimensions }) }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)])
    })
    if (!response.ok) {
      await response.body?.cancel()
      throw new EndpointError(response.status, Number(response.headers.get('retry-after')) * 1_000 || 0)
    }
    return this.#parseVectors(JSON.parse(await readText(response, texts.length * MAX_BYTES_PER_TEXT)), texts.length)
  }

  #parseVectors(answer: unknown, count: number): Float32Array[] {
    const data = (answer as { data?: { index?: number; embedding?: unknown }[] } | null)?.data
    if (!Array.isArray(data) || data.length !== count)
      throw new Error('The response of the embeddings endpoint contains no vectors.')
    const vectors = data
      .toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0))
      .map(({ embedding }) => normalize(Float32Array.from(Array.isArray(embedding) ? embedding.map(Number) : [])))
    for (const { length } of vectors) {
      if (length === 0) throw new Error('A vector of the embeddings endpoint has no dimensions.')
      this.#dimensions ??= length
      if (length !== this.#dimensions)
        throw new Error(
          `The vectors of the embeddings endpoint have ${length} dimensions instead of ${this.#dimensions}.`
        )
    }
    return vectors
  }

  #fail(error: Error) {
    this.#failures += 1
    this.#reason = failureReason(error)
    const pause = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** (this.#failures - 1))
    this.#retryAt = performance.now() + Math.max(pause, error instanceof EndpointError ? error.retryAfterMs : 0)
  }
}

/** Aborted for another reason than its timeout. */
const isCancelled = ({ aborted, reason }: AbortSignal) => aborted && (reason as Error).name !== 'TimeoutError'

/** Reads at most so many bytes. */
async function readText({ body }: Response, most: number): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.length
    if (bytes > most) throw new Error(`The response of the embeddings endpoint has more than ${most} bytes.`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

class EndpointError extends Error {
  readonly retryAfterMs: number

  constructor(status: number, retry_after_ms: number) {
    super(
      status === TOO_MANY_REQUESTS
        ? 'The embeddings endpoint returned status 429: rate limit exceeded.'
        : `The embeddings endpoint returned status ${status}.`
    )
    this.retryAfterMs = Math.min(retry_after_ms, MAX_BACKOFF_MS)
  }
}

/** Error messages of the endpoint are not repeated: they may contain the request. */
function failureReason(error: Error): string {
  if (error.name === 'TimeoutError') return 'The embeddings endpoint did not answer in time.'
  if (error instanceof SyntaxError) return 'The response of the embeddings endpoint is not JSON.'
  const code = (error.cause as { code?: string } | undefined)?.code
  return error instanceof TypeError
    ? `The embeddings endpoint cannot be reached${code ? ` (${code})` : ''}.`
    : error.message
}

/** Normalizes to unit length, so that the dot product of two vectors is their cosine similarity. */
function normalize(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return length > 0 && Number.isFinite(length) ? vector.map(value => value / length) : new Float32Array(0)
}
