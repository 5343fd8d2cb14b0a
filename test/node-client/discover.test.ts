// tier: quick
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { discover, findLiveServers } from '../../src/node-client/discover.ts'
import { publishDiscovery } from '../../src/server/discovery.ts'
import { digestOfToken, type ProofRequest, proveToken } from '../../src/server/token-proof.ts'
import { makeTestFolder } from '../support/test-folder.ts'
import { once } from '../support/wait.ts'

async function place(t: Test) {
  const folder = makeTestFolder(t, { home: {}, work: { sub: {} }, 'work-2': {}, other: {} })
  const at = (...parts: string[]) => path.join(folder, ...parts)
  const env = { HOME: at('home') }
  let second = 0
  /** A server that answers /health, and its discovery file. */
  async function serve(
    instance: string,
    roots: string[],
    { answers = instance, knows = `token of ${instance}`, after_ms = 0 } = {}
  ) {
    const server = createServer(({ url, headers }, response) => {
      const { challenge, key } = Object.fromEntries(new URL(url!, 'http://any').searchParams) as unknown as ProofRequest
      const proof = proveToken([digestOfToken(knows)], headers.host!, { challenge, key })
      setTimeout(() => response.end(JSON.stringify({ instance: answers, proof })), after_ms)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const published = publishDiscovery(env, () => ({
      schema: 1,
      instance,
      pid: process.pid,
      host: hostname(),
      url,
      socket: null,
      token: `token of ${instance}`,
      call_token: 'call',
      roots,
      version: '1',
      protocol: 1,
      started_at: new Date(second++ * 1_000).toISOString()
    }))
    t.teardown(() => [server.close(), published.remove()])
    return { url }
  }
  const found = async (project: string) => (await discover({ env, project }))?.record?.instance
  return { at, env, serve, found }
}

t.test('prefers the closest root, then the newest', async t => {
  const { at, serve, found } = await place(t)
  await serve('outer', [at()])
  await serve('work', [at('work')])
  await serve('sub', [at('work/sub')])
  await serve('sub again', [at('work/sub')])
  t.equal(await found(at('work')), 'work')
  t.equal(await found(at('work/sub')), 'sub again')
  t.equal(await found(at('work-2')), 'outer', 'a longer name is no folder inside')
  t.equal(await found('/'), undefined)
})

t.test('skips a file whose server has another instance id, or does not know its token', async t => {
  const { at, env, serve, found } = await place(t)
  await serve('real', [at('work')])
  await serve('gone', [at('work')], { answers: 'somebody else' })
  await serve('copied', [at('work')], { knows: 'another token' })
  t.equal(await found(at('work')), 'real')
  t.same(
    (await findLiveServers(env)).map(({ record }) => record.instance),
    ['real']
  )
})

t.test('finds a busy server within the given time', async t => {
  const { at, env, serve, found } = await place(t)
  // Longer than the limit for a server whose process does not run.
  await serve('busy', [at('work')], { after_ms: 2_500 })
  t.equal(await found(at('work')), 'busy')
  t.equal(await discover({ env, project: at('work'), timeout_ms: 100 }), undefined)
})

t.test('uses the environment or a flag', async t => {
  const { at, env, serve } = await place(t)
  const { url } = await serve('work', [at('work')])
  const project = at('other')
  t.match(await discover({ env, project, url: `${url}/` }), { url, token: 'token of work' })
  t.equal(await discover({ env, project, url: 'http://127.0.0.1:1' }), undefined)
  mkdirSync(at('secret'))
  const file = at('secret/token')
  writeFileSync(file, 't'.repeat(32), { mode: 0o600 })
  const named = { ...env, TOOLGATE_URL: 'http://elsewhere:1/', TOOLGATE_TOKEN_FILE: file }
  t.same(await discover({ env: named, project }), { url: 'http://elsewhere:1', token: 't'.repeat(32) })
})
