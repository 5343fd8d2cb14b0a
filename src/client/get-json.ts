// One small answer, soon: by plain HTTP, got so that `fetch` is not loaded with it, which takes longer than asking.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import type { ServerConnection } from './http-transport.ts'

/** What is there, in so many milliseconds; throws where it is not, or refused. */
export async function getJson({ url, token }: Partial<ServerConnection>, path: string, ms: number): Promise<unknown> {
  const { get } = process.getBuiltinModule(url?.startsWith('https:') ? 'node:https' : 'node:http')
  const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const request = get(`${url}${path}`, { headers, signal: AbortSignal.timeout(ms) })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  if (answer.statusCode === 200) return json(answer)
  answer.resume()
  throw new Error(`It answered ${answer.statusCode}.`)
}
