// Fetches a small JSON response with `node:http`: loading `fetch` would take longer than the request. Importing `node:http` loads
// it too, for its exports that belong to the web.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import type { ServerConnection } from './http-transport.ts'

/** Returns the JSON at a path within `ms` milliseconds; throws if it is missing or refused. */
export async function getJson({ url, token }: Partial<ServerConnection>, path: string, ms: number): Promise<unknown> {
  const { get } = process.getBuiltinModule(url?.startsWith('https:') ? 'node:https' : 'node:http')
  const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const request = get(`${url}${path}`, { headers, signal: AbortSignal.timeout(ms) })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  if (answer.statusCode === 200) return json(answer)
  answer.resume()
  throw new Error(`It answered ${answer.statusCode}.`)
}
