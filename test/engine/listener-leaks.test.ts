// Tests of listener leaks: waiting removes its listeners.
// tier: quick
import { getEventListeners } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { ActiveCall } from '../../src/engine/active-call.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { createBackgroundTasks } from '../../src/engine/jobs/background-tasks.ts'
import { OutputStore } from '../../src/host/processes/outputs/output-store.ts'

type LiveOptions = ConstructorParameters<typeof ActiveCall>[0]

const listeners = ({ signal }: AbortController) => getEventListeners(signal, 'abort').length

/** A call that never runs. */
const waiting = (created_at = '2026-01-01T00:00:00.000Z') =>
  new ActiveCall({
    call: { status: 'running', workspace: 'default', client: 'test', created_at },
    services: () => ({}),
    redact: (call: unknown) => call,
    abort: new AbortController()
  } as unknown as LiveOptions)

t.test('of a call', async t => {
  const live = waiting()
  const reader = new AbortController()
  const waited = live.wait({ ms: 60_000, throughApproval: true, signal: reader.signal })
  t.equal(listeners(reader), 1)
  live.releaseWaiters()
  await waited
  t.equal(listeners(reader), 0)
})

t.test('of a job', async t => {
  const over = Promise.withResolvers<void>()
  const job = { task_id: 'tc_1', workspace: 'default' }
  const engine = {
    jobs: { get: () => job, whenEnded: () => over.promise },
    activeCalls: new Map(),
    owners: { canSee: () => true }
  } as unknown as Engine
  const reader = new AbortController()
  const waited = createBackgroundTasks(engine, waiting()).wait('tc_1', { ms: 60_000, signal: reader.signal })
  over.resolve()
  t.match(await waited, { kind: 'job' })
  t.equal(listeners(reader), 0)
})

t.test('of a command that has not begun', async t => {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-outputs-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const outputs = new OutputStore(folder, { spill_bytes: 1 << 20 })
  const reader = new AbortController()
  const waited = outputs.opened('tc_1', reader.signal)
  t.equal(listeners(reader), 1)
  outputs.open('tc_1').close()
  await waited
  t.equal(listeners(reader), 0)
  await outputs.flushed()
})
