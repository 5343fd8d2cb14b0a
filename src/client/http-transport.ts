// HTTP transport: one request and its response, with the client's errors.
import type { Problem } from '../routes/http/problem-document.ts'
import { ToolgateError } from './error.ts'

/** The address of a server, and the token for it. */
export interface ServerConnection {
  url: string
  token: string
}

export interface ConnectOptions extends ServerConnection {
  /** The client's name, for readers of the log. */
  client?: string
  /** Called if the server is unreachable or no longer accepts the token: it may have restarted elsewhere. */
  rediscover?: () => Promise<ServerConnection | undefined>
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

export class HttpTransport {
  connection: ServerConnection
  readonly #client: string | undefined
  readonly #rediscover: ConnectOptions['rediscover']

  constructor({ url, token, client, rediscover }: ConnectOptions) {
    this.connection = { url: url.replace(/\/+$/, ''), token }
    this.#client = client
    this.#rediscover = rediscover
  }

  /** Returns true if it can rediscover the server, and with it another token. */
  get canRediscover(): boolean {
    return this.#rediscover !== undefined
  }

  async json<T>(method: string, path: string, request: HttpRequestOptions): Promise<T> {
    const response = await this.#fetch(method, path, 'application/json', request)
    try {
      return (await response.json()) as T
    } catch (cause) {
      if (request.signal?.aborted) throw request.signal.reason
      throw new ToolgateError(`${this.connection.url} gave no JSON.`, badResponse(response), { cause })
    }
  }

  async text(method: string, path: string, request: HttpRequestOptions): Promise<string> {
    return (await this.#fetch(method, path, 'text/plain', request)).text()
  }

  stream(method: string, path: string, request: HttpRequestOptions): Promise<Response> {
    return this.#fetch(method, path, 'text/event-stream', request)
  }

  /** Resolves with the response, whose body may be any bytes. */
  bytes(method: string, path: string, request: HttpRequestOptions): Promise<Response> {
    return this.#fetch(method, path, '*/*', request)
  }

  /** Rediscovers the server; returns true if it was found. */
  async rediscover(): Promise<boolean> {
    const found = await this.#rediscover?.().catch(() => undefined)
    if (found) this.connection = found
    return found !== undefined
  }

  /** Sends the request again to a restarted server if none has received it, or it refused the token. */
  async #fetch(method: string, path: string, accept: string, request: HttpRequestOptions): Promise<Response> {
    try {
      return await this.#fetchOnce(method, path, accept, request)
    } catch (error) {
      // A stream can be read only once.
      if (request.bytes instanceof ReadableStream || !wasNotAccepted(error) || !(await this.rediscover())) throw error
      return this.#fetchOnce(method, path, accept, request)
    }
  }

  async #fetchOnce(method: string, path: string, accept: string, request: HttpRequestOptions): Promise<Response> {
    const { body, bytes, query, headers, signal } = request
    const { url, token } = this.connection
    const response = await this.#send(`${url}${path}${toQueryString(query)}`, {
      method,
      headers: definedOnly({
        accept,
        authorization: `Bearer ${token}`,
        'x-toolgate-client': this.#client || undefined,
        'content-type': bytes ? 'application/octet-stream' : body && 'application/json',
        ...headers
      }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A stream can be sent only while the response is not read.
      ...(bytes && { body: bytes, duplex: 'half' as const }),
      ...(signal && { signal })
    })
    if (response.ok) return response
    throw await toToolgateError(response, url)
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, init)
    } catch (cause) {
      if (init.signal?.aborted) throw init.signal.reason
      throw new ToolgateError(`${url} can't be reached.`, { code: 'UNREACHABLE', status: 0 }, { cause })
    }
  }
}

/** Returns true if a request was certainly not executed: its token was refused, or no connection was made. */
const wasNotAccepted = (error: unknown) =>
  error instanceof ToolgateError &&
  (error.status === 401 || (error.cause as RefusedConnection | undefined)?.cause?.code === 'ECONNREFUSED')

/** The error of Node's `fetch`. */
interface RefusedConnection {
  cause?: { code?: string }
}

async function toToolgateError(response: Response, url: string): Promise<ToolgateError> {
  try {
    const problem = (await response.json()) as Problem
    const { code, status } = problem
    if (typeof code === 'string') return new ToolgateError(problem.detail, { code, status, problem })
  } catch {}
  return new ToolgateError(`${url} answered ${response.status}, but not as Toolgate does.`, badResponse(response))
}

const definedOnly = (headers: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined))

const badResponse = ({ status }: Response) => ({ code: 'BAD_ANSWER' as const, status })

function toQueryString(query: object | undefined) {
  const given = new URLSearchParams()
  for (const [key, value] of Object.entries(query ?? {}))
    for (const each of [value].flat()) if (each !== undefined) given.append(key, String(each))
  return given.size === 0 ? '' : `?${given}`
}
