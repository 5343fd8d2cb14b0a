// Tests of every attack case of corpus/urls.json with web_fetch. Nothing leaves the machine: names are resolved in the case's own
// table, and all connections lead to a server here.
// tier: full
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import t from 'tap'
import { nonPublicReason } from '../src/host/egress/ip-addresses.ts'
import { createFakeNetwork, listen } from './host/egress/fake-network.ts'
import { type Json, startApp } from './start-app.ts'
import { webSettings } from './tools/web/fixture.ts'
import { createCertificate, startHttpsServer, withHttpsServer } from './tools/web/https-server.ts'

const CORPUS = JSON.parse(readFileSync(path.join(import.meta.dirname, 'corpus/urls.json'), 'utf8'))
const OWN_LAN = Object.values(os.networkInterfaces())
  .flat()
  .find(one => one && !one.internal && one.family === 'IPv4')?.address

const SECURE = createCertificate(t, ['public.test', 'sub.public.test', 'dual.test'])

/** Returns the verdicts that apply to a response. */
function verdictsOf({ status, body }: Json): string[] {
  if (status >= 400) return ['invalid']
  if (body.status === 'awaiting_approval') return ['ask']
  if (body.status === 'success') return ['allow', ...(body.result.data.truncated ? ['truncated'] : [])]
  const { code } = body.error
  return [
    'error',
    ...(code === 'INVALID_PARAMS' ? ['invalid'] : []),
    ...(code === 'URL_BLOCKED' || code === 'PERMISSION_DENIED' ? ['deny'] : [])
  ]
}

/** Responds as the case specifies. */
function answer(response: ServerResponse, url: string, { response: does = {}, redirects = [] }: Json) {
  const hop = url === '/start' ? 0 : Number(/^\/(\d+)$/.exec(url)?.[1] ?? 0) - 1
  if (redirects[hop] !== undefined) return response.writeHead(302, { location: redirects[hop] }).end()
  if (does.header_bytes) response.setHeader('x-long', 'x'.repeat(does.header_bytes))
  for (let i = 0; i < (does.header_count ?? 0); i++) response.setHeader(`x-${i}`, '1')
  if (does.redirect_body_bytes) {
    response.writeHead(302, { location: '/end' })
    // An endless response: reading it all would exceed the time limit.
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      if (!response.destroyed) response.once('drain', more)
    }
    if (url === '/abuse') return more()
  }
  return response.end(does.body ?? 'what stands there')
}

for (const about of CORPUS.cases as Json[]) {
  const { id, url, expect, why, dns = {}, accept = [], method, request_headers } = about
  const skip = url.includes('{{SELF_LAN_IP}}') && !OWN_LAN ? 'this machine has no address but loopback' : false
  t.test(`${id} ${why}`, { skip }, async t => {
    let port = 0
    const fill = (text: string) =>
      text.replaceAll('{{SELF_LAN_IP}}', OWN_LAN ?? '').replaceAll('{{SERVER_PORT}}', String(port))
    const answers: RequestListener = (request, response) => {
      const redirects = (about.redirects ?? []).map(fill)
      if (request.url === '/end') response.end('the end')
      else answer(response, request.url!, { ...about, redirects })
    }
    const plain = createFakeNetwork(await listen(t, createServer(answers)), { ...CORPUS.default_dns, ...dns })
    const outside = withHttpsServer(plain, await startHttpsServer(t, SECURE, answers))
    // All rejections hold although every host is on the allowlist.
    const hosts = [...Object.keys(CORPUS.default_dns), ...Object.keys(dns)]
    const settings = { web: webSettings({ allow: [...hosts, '127.0.0.1'] }) }
    const app = await startApp(t, {}, { network: outside, settings })
    port = (app.app.http.server.address() as AddressInfo).port
    const params = {
      url: fill(url),
      ...(method && { method }),
      ...(request_headers && { headers: request_headers })
    }
    const found = verdictsOf(await app.request('POST', '/calls', { tool: 'web_fetch', params }))
    const wanted = [...expect.split('_or_'), ...accept.map((one: string) => one.split(':')[0])]
    t.ok(
      found.some(verdict => wanted.includes(verdict)),
      `${found} is one of ${wanted}`
    )
    for (const dialled of outside.dialled) t.equal(nonPublicReason(dialled.split(' ')[0]!), undefined, dialled)
    for (const one of accept)
      if (one.startsWith('allow_to:') && found.includes('allow'))
        t.ok(outside.dialled.every(dialled => dialled.startsWith(one.slice('allow_to:'.length))))
    const hops = 1 + (about.redirects?.length ?? 0) + (about.response?.redirect_body_bytes ? 1 : 0)
    t.ok(outside.looked_up.length <= hops, 'looked up once a hop at most')
    if (expect === 'deny' && !about.redirects && !accept.length) t.strictSame(outside.dialled, [], 'nothing is dialled')
  })
}
