// Tests of the time limit of a call: only time counts for which the call could run.
// tier: full
// run: waiting (its tools block the event loop, or wait)
import t from 'tap'
import { Type } from 'typebox'
import { defineTool } from '../../src/tool/tool.ts'
import { startApp } from '../start-app.ts'

const LIMIT_OF_CALL_MS = 2_000
const BLOCKED_MS = 3_000

const defineReader = (name: string, timeout_ms: number, run: () => Promise<object>) =>
  defineTool({
    name,
    category: 'custom',
    description: 'Waits for something.',
    input: Type.Object({}),
    output: Type.Object({}),
    timeout_ms,
    effect: 'read',
    request: () => ({}),
    run,
    present: () => ({ title: 'done', content: 'done' })
  })

t.test('a call does not run out of time while the server is busy with another', async t => {
  const answer = Promise.withResolvers<object>()
  const begun = Promise.withResolvers<void>()
  const waits = defineReader('waits_for_an_answer', LIMIT_OF_CALL_MS, () => {
    begun.resolve()
    return answer.promise
  })
  const blocks = defineReader('blocks_the_loop', 120_000, async () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS)
    // As an answer that has been in a socket for long: timers come before it.
    setImmediate(() => setImmediate(() => answer.resolve({})))
    return {}
  })
  const { call } = await startApp(t, {}, { tools: [waits, blocks] })
  const waiting = call('waits_for_an_answer', {})
  await begun.promise
  t.match(await call('blocks_the_loop', {}), { status: 'success' })
  t.match(await waiting, { status: 'success' })
})

t.test('a call that could run all the time does', async t => {
  const waits = defineReader('waits_for_ever', 200, () => new Promise(() => {}))
  const { call } = await startApp(t, {}, { tools: [waits] })
  t.match(await call('waits_for_ever', {}), {
    status: 'error',
    error: { code: 'TIMEOUT', message: 'The call had no result within 200 ms.' }
  })
})
