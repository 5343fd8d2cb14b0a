// Fixture: a fake web in which every name leads to one server on this machine, with canned responses by address. The guard checks
// the addresses of the test's resolver, as it does any other.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import type { Config } from '../../../src/config/schema.ts'
import { createFakeNetwork, listen } from '../../host/egress/fake-network.ts'
import { type Json, type StartOptions, startApp } from '../../start-app.ts'

/** The response at an address; a function responds by itself. */
export interface CannedResponse {
  status?: number
  headers?: Record<string, string | string[]>
  body?: string | Buffer
}
export type ResponsesByUrl =
  | CannedResponse
  | ((request: IncomingMessage & { body: string }, response: ServerResponse) => void)

export const webSettings = (more: object = {}): Config['web'] => ({ ...defaultSettings().web, ...more })

/**
 * `site` is by `host/path`, or by the path alone for every host, with its query or for any. Everything is allowed unless
 * `settings` say otherwise.
 */
export async function startFakeWeb(
  t: Test,
  site: Record<string, ResponsesByUrl>,
  settings: object = { allow: ['*.test.example', 'a.test', 'b.test'] },
  { dns = {}, ...options }: StartOptions & { dns?: Record<string, string[][]> } = {}
) {
  const asked: string[] = []
  const requests: (IncomingMessage & { body: string })[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const { host = '' } = request.headers
    const full = Object.assign(request, { body })
    requests.push(full)
    asked.push(`${request.method} ${host}${request.url}`)
    const at = site[`${host}${request.url}`] ?? site[request.url!] ?? site[request.url!.replace(/\?.*$/, '')]
    if (typeof at === 'function') return at(full, response)
    response.writeHead(at ? (at.status ?? 200) : 404, at?.headers ?? {}).end(at?.body ?? '')
  })
  const outside = createFakeNetwork(await listen(t, server), dns)
  const app = await startApp(
    t,
    {},
    { ...options, network: outside, settings: { ...options.settings, web: webSettings(settings) } }
  )
  /** Fetches and returns the result; fails if there is none. */
  const fetched = async (url: string, params: object = {}): Promise<Json> => {
    const call = await app.call('web_fetch', { url, ...params })
    if (call.status !== 'success') throw new Error(`${url}: ${JSON.stringify(call.error ?? call.status)}`)
    return call.result
  }
  /** Fetches and returns the error. */
  const failure = async (url: string, params: object = {}): Promise<Json> =>
    (await app.call('web_fetch', { url, ...params })).error
  return { ...app, outside, server, asked, requests, fetched, failure }
}

export const htmlResponse = (body: string, headers: Record<string, string> = {}): CannedResponse => ({
  headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
  body
})
