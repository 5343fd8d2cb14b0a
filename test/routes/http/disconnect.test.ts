// Tests of disconnecting clients: their wait ends on every long-polling route, and no sooner than they disconnect.
// tier: quick
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import type { Calls } from '../../../src/engine/calls.ts'
import { type Json, startApp, type TestApp, TOKEN } from '../../start-app.ts'
import { once } from '../../support/wait.ts'

type Held = 'submit' | 'batch' | 'get' | 'undo' | 'output'

interface Heard {
  signal: AbortSignal
  work: Promise<unknown>
}

/** Resolves with the next wait on one of these methods. */
function heard(calls: Calls, method: Held): Promise<Heard> {
  const { promise, resolve } = Promise.withResolvers<Heard>()
  const real = calls[method].bind(calls) as (...args: Json[]) => Promise<unknown>
  calls[method] = (...args: Json[]) => {
    const work = real(...args)
    const { wait, ...own } = args.at(-1)
    const { signal } = wait ?? own
    if (signal) resolve({ signal, work })
    return work as never
  }
  return promise
}

const ASKED = { tool: 'write_file', params: { path: 'a.txt', content: 'new' } }
const WAIT = 'wait_ms=60000'

interface Route {
  title: string
  method: Held
  accept?: string
  request(app: TestApp): Promise<[target: string, body?: unknown]>
}

const asked = async (app: TestApp) => app.post('/calls', ASKED)

const ROUTES: readonly Route[] = [
  { title: 'a call', method: 'submit', request: async () => [`/calls?${WAIT}`, ASKED] },
  { title: 'a batch', method: 'batch', request: async () => [`/calls/batch?${WAIT}`, { calls: [ASKED] }] },
  {
    title: 'an approval',
    method: 'get',
    async request(app) {
      const { tool_call_id, approval } = await app.call('shell_exec', { command: 'sleep 100' })
      return [`/calls/${tool_call_id}/approve?${WAIT}`, { digest: approval.digest }]
    }
  },
  {
    title: 'an undo',
    method: 'undo',
    async request(app) {
      const { tool_call_id, approval } = await asked(app)
      await app.post('/approve?wait_ms=120000', { tool_call_id, digest: approval.digest })
      return [`/calls/${tool_call_id}/undo?${WAIT}`, {}]
    }
  },
  {
    title: 'a look at a call',
    method: 'get',
    request: async app => [`/calls/${(await asked(app)).tool_call_id}?${WAIT}`]
  },
  {
    title: 'output',
    method: 'output',
    request: async app => [`/calls/${(await asked(app)).tool_call_id}/output?${WAIT}`]
  },
  {
    title: 'output that is followed',
    method: 'output',
    accept: 'text/event-stream',
    request: async app => [`/calls/${(await asked(app)).tool_call_id}/output`]
  }
]

for (const { title, method, accept = 'application/json', request } of ROUTES)
  t.test(title, async t => {
    const app = await startApp(t, { 'a.txt': 'old' })
    const [target, body] = await request(app)
    const waiting = heard(app.app.calls, method)
    const client = new AbortController()
    const answer = fetch(app.url + target, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: client.signal
    }).then(async response => response.text())
    answer.catch(() => {})
    const { signal, work } = await waiting
    // The request's own end comes a moment after its body.
    for (let i = 0; i < 10; i++) await setImmediate()
    t.notOk(signal.aborted, 'it waits while somebody is there')
    const left = once(signal, 'abort')
    client.abort()
    await left
    await work
    await t.rejects(answer)
  })
