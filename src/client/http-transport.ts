// HTTP transport: one request and its response, with the client's errors.
import type { Problem } from '../protocol/problem.ts'
import { ToolgateError } from './error.ts'

/** The address of a server, and the token for it. */
export interface ServerConnection {
  url: string
  /** Empty where the browser sends a cookie instead, as at a hub. */
  token: string
}

/** The part of `Response` that the client reads. */
export interface FetchResponse extends Pick<Response, 'ok' | 'status' | 'json' | 'text'> {
  readonly body: { getReader(): BodyReader } | null
}

interface BodyReader {
  read(): Promise<{ done: false; value: Uint8Array } | { done: true; value?: unknown }>
  cancel(): Promise<void>
}

/** Sends a request as `fetch` does. Rejects if the server is unreachable, with the error of the connection or its cause. */
export type Fetch = SendRequest<FetchResponse>

export interface ConnectOptions extends ServerConnection {
  /** The client's name, for readers of the log. */
  client?: string
  /** Called if the server is unreachable or no longer accepts the token: it may have restarted elsewhere. */
  rediscover?: () => Promise<ServerConnection | undefined>
  /** Sends the requests, by default the `fetch` of the platform; downloads of files always use that. */
  fetch?: Fetch
}

export interface HttpRequestOptions {
  body?: object | undefined
  /** Content to send as it is, instead of `body`. */
  bytes?: NonNullable<RequestInit['body']>
  query?: object | undefined
  /** Those that are undefined are not sent. */
  headers?: Record<string, string | undefined>
  signal?: AbortSignal | undefined
}

/** A request with all that its response depends on. */
interface FullRequest extends HttpRequestOptions {
  method: string
  path: string
  accept: string
}

type SendRequest<R> = (url: string, init: RequestInit) => Promise<R>

/** Looked up with each request: a page or a test may replace it. */
const platformFetch = (url: string, init: RequestInit) => fetch(url, init)

/** Maximum length of a path in an error. */
const MAX_SHOWN_PATH = 200

export class HttpTransport {
  connection: ServerConnection
  readonly #client: string | undefined
  readonly #rediscover: ConnectOptions['rediscover']
  readonly #fetch: Fetch

  constructor({ url, token, client, rediscover, fetch = platformFetch }: ConnectOptions) {
    this.connection = { url: url.replace(/\/+$/, ''), token }
    this.#client = client
    this.#rediscover = rediscover
    this.#fetch = fetch
  }

  /** Returns true if it can rediscover the server, and with it another token. */
  get canRediscover(): boolean {
    return this.#rediscover !== undefined
  }

  async json<T>(method: string, path: string, request: HttpRequestOptions): Promise<T> {
    const response = await this.#request(this.#fetch, { method, path, accept: 'application/json', ...request })
    try {
      return (await response.json()) as T
    } catch (cause) {
      if (request.signal?.aborted) throw request.signal.reason
      throw new ToolgateError(`${this.connection.url} returned a response that is not JSON.`, badResponse(response), {
        cause
      })
    }
  }

  async text(method: string, path: string, request: HttpRequestOptions): Promise<string> {
    return (await this.#request(this.#fetch, { method, path, accept: 'text/plain', ...request })).text()
  }

  stream(method: string, path: string, request: HttpRequestOptions): Promise<FetchResponse> {
    return this.#request(this.#fetch, { method, path, accept: 'text/event-stream', ...request })
  }

  /** Resolves with the response, whose body may be any bytes. */
  bytes(method: string, path: string, request: HttpRequestOptions): Promise<Response> {
    return this.#request(platformFetch, { method, path, accept: '*/*', ...request })
  }

  /** Rediscovers the server; returns true if it was found. */
  async rediscover(): Promise<boolean> {
    const found = await this.#rediscover?.().catch(() => undefined)
    if (found) this.connection = found
    return found !== undefined
  }

  /** Sends the request again to a restarted server if none has received it, or it refused the token. */
  async #request<R extends FetchResponse>(send: SendRequest<R>, request: FullRequest): Promise<R> {
    try {
      return await this.#requestOnce(send, request)
    } catch (error) {
      // A stream can be read only once.
      if (request.bytes instanceof ReadableStream || !wasNotAccepted(error) || !(await this.rediscover())) throw error
      return this.#requestOnce(send, request)
    }
  }

  async #requestOnce<R extends FetchResponse>(send: SendRequest<R>, request: FullRequest): Promise<R> {
    const { method, path, accept, body, bytes, query, headers, signal } = request
    assertSameRoute(path)
    const { url, token } = this.connection
    const init: RequestInit & { duplex?: 'half' } = {
      method,
      headers: definedOnly({
        accept,
        authorization: token === '' ? undefined : `Bearer ${token}`,
        'x-toolgate-client': this.#client || undefined,
        'content-type': bytes ? 'application/octet-stream' : body && 'application/json',
        ...headers
      }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A stream can be sent only while the response is not read.
      ...(bytes && { body: bytes, duplex: 'half' }),
      ...(signal && { signal })
    }
    const response = await sendOrThrow(send, `${url}${path}${toQueryString(query)}`, init)
    if (response.ok) return response
    throw await toToolgateError(response, url)
  }
}

/** Throws if an id or path of the caller has segments such as `..`, which `fetch` resolves: the request would have another route. */
function assertSameRoute(path: string) {
  const { pathname } = new URL(path, 'http://localhost')
  const isSame = path.startsWith('/files/') ? pathname.startsWith('/files/') : pathname === path.replace(/\?.*/s, '')
  if (isSame) return
  const message =
    `${JSON.stringify(path.slice(0, MAX_SHOWN_PATH))} resolves to another route. Use an id or path without the segments ` +
    '"." and "..".'
  throw new ToolgateError(message, { code: 'INVALID_PATH', status: 0 })
}

async function sendOrThrow<R>(send: SendRequest<R>, url: string, init: RequestInit): Promise<R> {
  try {
    return await send(url, init)
  } catch (cause) {
    if (init.signal?.aborted) throw init.signal.reason
    throw new ToolgateError(`${url} cannot be reached.`, { code: 'UNREACHABLE', status: 0 }, { cause })
  }
}

/** Returns true if a request was certainly not executed: its token was refused, or no connection was made. */
const wasNotAccepted = (error: unknown) =>
  error instanceof ToolgateError && (error.status === 401 || isRefusedConnection(error.cause))

/** Returns true for the error of a refused connection, and for that of Node's `fetch`, which has it as its cause. */
const isRefusedConnection = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as Error & { code?: string }).code === 'ECONNREFUSED' || isRefusedConnection(error.cause))

async function toToolgateError(response: FetchResponse, url: string): Promise<ToolgateError> {
  try {
    const problem = (await response.json()) as Problem
    const { code, status } = problem
    if (typeof code === 'string') return new ToolgateError(problem.detail, { code, status, problem })
  } catch {}
  return new ToolgateError(
    `${url} returned status ${response.status}, but is not a Toolgate server.`,
    badResponse(response)
  )
}

const definedOnly = (headers: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined))

const badResponse = ({ status }: FetchResponse) => ({ code: 'BAD_ANSWER' as const, status })

function toQueryString(query: object | undefined) {
  const given = new URLSearchParams()
  for (const [key, value] of Object.entries(query ?? {}))
    for (const each of [value].flat()) if (each !== undefined) given.append(key, String(each))
  return given.size === 0 ? '' : `?${given}`
}
