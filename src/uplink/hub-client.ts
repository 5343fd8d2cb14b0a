// Requests of a server to its hub. Only this side connects.
import { SseParser } from '../client/sse.ts'
import { ToolError } from '../errors.ts'
import type { HubDecision, ServerFacts, UplinkBatch, WaitingCalls } from '../protocol/uplink.ts'
import type { SignedRuleSet } from './rule-set.ts'

/** A batch or a request takes no longer. */
const TIMEOUT_MS = 30_000
/** A stream that is silent for so long is broken: the hub writes something every 15 s. */
const SILENCE_MS = 45_000
/** Statuses of a refusal that may be another one later. */
const TEMPORARY_STATUSES: readonly number[] = [401, 403, 408, 421, 425, 429]
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/

/** A message of the hub to this server. */
export type HubMessage = { decision: HubDecision } | { rules: SignedRuleSet }

/** The hub refuses a request for what is in it: sent again, it is refused again. */
export class HubRefusal extends Error {}

interface HubConnection {
  url: string
  /** The server's token, or a code to enroll it. */
  token: string
  fetch: typeof fetch
}

/** Returns the address of a hub without a slash at its end. Throws if it is none, or would be spoken to in the clear beyond this machine. */
export function parseHubUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new ToolError('INVALID_PARAMS', `${text} is not the address of a hub, such as https://hub.example.com.`)
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw new ToolError(
      'INVALID_PARAMS',
      `${text}: a hub on another machine requires https, because it receives previews and results.`
    )
  return url.href.replace(/\/+$/, '')
}

export class HubClient {
  readonly #connection: HubConnection

  constructor(connection: HubConnection) {
    this.#connection = connection
  }

  get url(): string {
    return this.#connection.url
  }

  /** Exchanges the code that the client has for a token of the server's own. */
  enroll(
    facts: ServerFacts,
    signal: AbortSignal
  ): Promise<{ server_id: string; token: string; rules_key?: string | undefined }> {
    return this.#request('POST', '/uplink/servers', { facts }, signal)
  }

  /** Returns the number of the newest event of a journal that the hub has stored, with all before it. */
  async readPosition(journalId: string, signal: AbortSignal): Promise<number> {
    return (await this.#request<{ stored: number }>('GET', `/uplink/journals/${journalId}`, undefined, signal)).stored
  }

  /** Sends events, and returns the number of the newest one that is stored then. Throws a HubRefusal if they are refused for good. */
  async sendEvents(batch: UplinkBatch, signal: AbortSignal): Promise<number> {
    return (await this.#request<{ stored: number }>('POST', '/uplink/events', batch, signal)).stored
  }

  /** Reports the calls that wait, ahead of their events. */
  async sendWaiting(report: WaitingCalls, signal: AbortSignal): Promise<void> {
    await this.#request('PUT', '/uplink/waiting', report, signal)
  }

  /** Reports to the hub that a decision was not applied, and why. */
  async refuseDecision(decisionId: number, reason: string, signal: AbortSignal): Promise<void> {
    await this.#request('POST', `/uplink/decisions/${decisionId}/refusal`, { reason: reason.slice(0, 1_000) }, signal)
  }

  /** Reports to the hub which version of its rules is in force, and which one was refused since, and why. */
  async reportRules(report: { version: number | null; refused: object | null }, signal: AbortSignal): Promise<void> {
    await this.#request('PUT', '/uplink/rules', report, signal)
  }

  /** Yields decisions and rule sets for this server as they are made. Ends with the stream; throws if that breaks, or is silent for too long. */
  async *followMessages(signal: AbortSignal): AsyncGenerator<HubMessage, void, void> {
    const { url, token, fetch: send } = this.#connection
    const silence = new AbortController()
    const timer = setTimeout(() => silence.abort(), SILENCE_MS)
    try {
      const response = await send(`${url}/uplink/decisions`, {
        headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
        redirect: 'error',
        signal: AbortSignal.any([signal, silence.signal])
      })
      if (!response.ok || !response.body) throw new Error(`The hub returned status ${response.status}`)
      const parser = new SseParser()
      for await (const bytes of response.body) {
        timer.refresh()
        for (const { event, data } of parser.push(bytes as Uint8Array))
          if (event === 'decision') yield { decision: JSON.parse(data) as HubDecision }
          else if (event === 'rules') yield { rules: JSON.parse(data) as SignedRuleSet }
      }
    } finally {
      clearTimeout(timer)
    }
  }

  async #request<T>(method: string, path: string, body: object | undefined, signal: AbortSignal): Promise<T> {
    const { url, token, fetch: send } = this.#connection
    const response = await send(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    })
    if (response.status === 204) return undefined as T
    if (response.ok) return (await response.json()) as T
    const { detail = '' } = (await response.json().catch(() => ({}))) as { detail?: string }
    const message = `The hub returned status ${response.status}${detail === '' ? '' : `: ${detail}`}`
    if (response.status < 400 || response.status >= 500 || TEMPORARY_STATUSES.includes(response.status))
      throw new Error(message)
    throw new HubRefusal(message)
  }
}
