// Tests that a caller with many requests, or many searches, delays another's little.
// tier: full
import { availableParallelism } from 'node:os'
import t from 'tap'
import { Type } from 'typebox'
import { defineTool } from '../../src/tool/tool.ts'
import { Gate } from '../gated-tools.ts'
import { agentToken, CALL_TOKEN, startApp, TOKEN } from '../start-app.ts'
import { within } from '../support/wait.ts'

t.test('many requests of a token that may not approve take turns with those of others', async t => {
  const { app, url } = await startApp(t)
  const { host } = new URL(url)
  const answered: string[] = []
  // Without sockets, all of them begin in the same turn of the event loop.
  const get = async (name: string, token: string) => {
    const headers = { host, authorization: `Bearer ${token}` }
    const { statusCode } = await app.http.inject({ method: 'GET', url: '/tools', headers })
    answered.push(name)
    return statusCode
  }
  const flood = Array.from({ length: 200 }, () => get('flood', CALL_TOKEN))
  const others = [get('approver', TOKEN), get('agent', agentToken('quiet'))]
  const codes = await within('all answers', Promise.all([...flood, ...others]))
  t.same(new Set(codes), new Set([200]))
  t.ok(answered.indexOf('approver') < 100, 'one that may approve is answered before half of the others')
  t.ok(answered.indexOf('agent') < 100, 'so is one with another token')
})

t.test('searches that wait for their turn delay neither reads nor the searches of others', async t => {
  const gate = new Gate()
  const search = defineTool({
    name: 'held_search',
    category: 'custom',
    description: 'Waits in the gate.',
    input: Type.Object({ name: Type.String({ description: 'Of the run.' }) }, { additionalProperties: false }),
    output: Type.Object({}),
    timeout_ms: 120_000,
    effect: 'read',
    traits: { usesAllProcessors: true },
    request: () => ({}),
    run: async ({ name }, { signal }) => {
      await gate.wait(name, signal)
      return {}
    },
    present: () => ({ title: 'done', content: 'done' })
  })
  const { request } = await startApp(t, { 'a.txt': 'a' }, { tools: [search] })
  const call = async (tool: string, params: object, token: string, background = false) =>
    (await request('POST', '/calls', { tool, params, background }, { authorization: `Bearer ${token}` })).body
  const names = Array.from({ length: availableParallelism() + 4 }, (_, i) => `search ${i}`)
  for (const name of names) await call('held_search', { name }, CALL_TOKEN, true)
  t.match(await call('read_file', { path: 'a.txt' }, CALL_TOKEN), { status: 'success' })
  const other = call('held_search', { name: 'other' }, agentToken('quiet'))
  await within('the search of the other', gate.waitForArrival('other'))
  t.ok(gate.arrivals.length < names.length, 'some of the first still wait')
  for (const name of [...names, 'other']) gate.open(name)
  t.match(await other, { status: 'success' })
})
