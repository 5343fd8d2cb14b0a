// Sends requests of the fuzz as they are: without the corrections that clients make.
import http from 'node:http'
import { within } from '../../support/wait.ts'
import type { FuzzRequest, Sender } from './requests.ts'

export interface Answer {
  status: number
  /** Media type without its parameters. */
  type: string
  /** Empty for an event stream, which is closed at once. */
  text: string
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })

/** Closes the connections that are kept. */
export const closeConnections = () => agent.destroy()

const toText = (value: unknown) =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 6_000).toWellFormed()
/** Ids that the server has given, by their placeholders. */
export type LiveIds = Readonly<Record<string, string>>

/** Header values cannot have other characters on the wire. */
const toHeader = (value: unknown) => toText(value).replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?')

/** Returns the target of a request, whose parameters the path has encoded. */
export function toTarget({ route, parts: { path, query }, suffix }: FuzzRequest, live: LiveIds = {}): string {
  const filled = route.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(toText(live[String(path[name])] ?? path[name] ?? ''))
  )
  const search = Object.entries(query)
    .map(([name, value]) => `${encodeURIComponent(toText(name))}=${encodeURIComponent(toText(value))}`)
    .join('&')
  return `${filled}${suffix}${search && `?${search}`}`
}

/** Sends a request and returns its answer. */
export function send(
  url: string,
  request: FuzzRequest,
  tokens: Record<Sender, string>,
  live: LiveIds
): Promise<Answer> {
  const { route, parts, body, raw, content_type, accept, sender } = request
  const sent = raw !== undefined ? Buffer.from(raw) : body !== undefined ? Buffer.from(JSON.stringify(body)) : undefined
  const given = Object.entries(parts.header)
    .filter(([name]) => /^[\w-]+$/.test(name))
    .map(([name, value]) => [name, toHeader(live[String(value)] ?? value)] as const)
  const headers = {
    ...Object.fromEntries(given),
    authorization: `Bearer ${tokens[sender]}`,
    ...(accept !== undefined && { accept }),
    ...(sent !== undefined && {
      'content-length': String(sent.length),
      ...(content_type && { 'content-type': content_type })
    })
  }
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const { hostname, port } = new URL(url)
  const outgoing = http.request(
    { hostname, port, agent, method: route.method, path: toTarget(request, live), headers },
    response => {
      const type = (response.headers['content-type'] ?? '').split(';', 1)[0]!
      const answer = { status: response.statusCode!, type }
      if (type === 'text/event-stream') {
        response.on('error', () => {})
        response.destroy()
        resolve({ ...answer, text: '' })
        return
      }
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => resolve({ ...answer, text: Buffer.concat(chunks).toString() }))
    }
  )
  outgoing.on('error', reject)
  outgoing.end(sent)
  return within(`the answer to ${route.method} ${toTarget(request).slice(0, 500)}`, promise)
}
