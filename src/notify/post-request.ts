// One HTTP request of a channel: no redirect is followed, and no more of the answer is read than a person needs.
import { messageWithCause } from '../errors.ts'
import type { ChannelServices } from './channel.ts'
import { DeliveryError } from './delivery-error.ts'

const MAX_ANSWER_BYTES = 16_384
const MAX_SHOWN_LENGTH = 200
/** Statuses below 500 with which the same request may be accepted later. */
const TEMPORARY_STATUSES: readonly number[] = [408, 425, 429]

interface OutgoingRequest {
  /** Secret parts of it are never shown: errors name only the host. */
  url: string
  headers?: Readonly<Record<string, string>>
  body: string | Buffer
  signal: AbortSignal
  /** Length at which an answer is cut; default 16,384. */
  maxAnswerBytes?: number
}

/** An answer, of which the end may be missing. */
export interface Answer {
  status: number
  headers: Headers
  text: string
}

/** Sends a POST request. Throws a DeliveryError unless it is answered with a status of success. */
export async function postRequest(services: Pick<ChannelServices, 'fetch'>, request: OutgoingRequest): Promise<Answer> {
  const answer = await exchange(services, request)
  if (isSuccess(answer)) return answer
  throw refusalError(request.url, answer, parseRetryAfter(answer.headers.get('retry-after')))
}

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300

/** Returns the error for an answer without success. */
export const refusalError = (url: string, answer: Answer, retryAfterMs: number): DeliveryError =>
  new DeliveryError(describeRefusal(url, answer), {
    isPermanent: answer.status < 500 && !TEMPORARY_STATUSES.includes(answer.status),
    retryAfterMs
  })

/** Sends a POST request and returns any answer. Throws a DeliveryError if there is none. */
export async function exchange({ fetch }: Pick<ChannelServices, 'fetch'>, request: OutgoingRequest): Promise<Answer> {
  const { url, headers = {}, body, signal, maxAnswerBytes = MAX_ANSWER_BYTES } = request
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'user-agent': 'toolgate', ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
      redirect: 'manual',
      signal
    })
    return { status: response.status, headers: response.headers, text: await readBeginning(response, maxAnswerBytes) }
  } catch (error) {
    signal.throwIfAborted()
    throw new DeliveryError(`${hostOf(url)} could not be reached: ${messageWithCause(error as Error)}`, {
      cause: error
    })
  }
}

async function readBeginning({ body }: Response, maxBytes: number): Promise<string> {
  if (!body) return ''
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop early cancels the body.
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= maxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
}

function describeRefusal(url: string, { status, text }: Answer): string {
  const shown = text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_SHOWN_LENGTH)
  return `${hostOf(url)} returned status ${status}${shown === '' ? '' : `: ${shown}`}`
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? 'the host'

/** Returns the milliseconds of a Retry-After header; 0 if there is none. */
function parseRetryAfter(value: string | null): number {
  if (value === null) return 0
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : 0
}
