// Fetches a small JSON response with `node:http`: loading `fetch` would take longer than the request.
import { once } from 'node:events'
import type * as http from 'node:http'
import { json } from 'node:stream/consumers'
import type { ServerConnection } from './http-transport.ts'

/** Returns the JSON at a path within `ms` milliseconds; throws if it is missing or refused. */
export async function getJson({ url, token }: Partial<ServerConnection>, path: string, ms: number): Promise<unknown> {
  const scheme = url?.startsWith('https:') ? 'node:https' : 'node:http'
  const { get } = (await import(scheme)) as typeof http
  const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const request = get(`${url}${path}`, { headers, signal: AbortSignal.timeout(ms) })
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
  if (answer.statusCode === 200) return json(answer)
  answer.resume()
  throw new Error(`It answered ${answer.statusCode}.`)
}
