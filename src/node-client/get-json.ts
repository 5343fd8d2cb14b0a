// Fetches a small JSON response, in Node.
import { json } from 'node:stream/consumers'
import type { ServerConnection } from '../client/http-transport.ts'
import { sendNodeRequest } from './node-request.ts'

/** Returns the JSON at a path within `ms` milliseconds; throws if it is missing or refused. */
export async function getJson({ url, token }: Partial<ServerConnection>, path: string, ms: number): Promise<unknown> {
  const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const signal = AbortSignal.timeout(ms)
  const response = await sendNodeRequest(`${url}${path}`, { method: 'GET', headers, signal })
  if (response.statusCode === 200) return json(response)
  response.resume()
  throw new Error(`The server returned status ${response.statusCode}.`)
}
