// Tests that no change of the system's clock costs history, decisions or rules: what expires is compared with the time that passes.
// tier: full
// run: alone (the clock of this process is set)
import { readdirSync, utimesSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { mock } from 'node:test'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { steadyNow } from '../../src/steady-time.ts'
import { timeIn } from '../expiring.ts'
import { CALL_TOKEN, type StartOptions, startApp, toApproval } from '../start-app.ts'
import { within } from '../support/wait.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Sets the system's clock for this process, as far as programs in JavaScript read it; back again after the test. */
function startClock(t: Test) {
  const System = globalThis.Date
  let ahead = 0
  class SetDate extends System {
    constructor(...values: []) {
      super(...((values.length === 0 ? [System.now() + ahead] : values) as []))
    }
    static override now() {
      return System.now() + ahead
    }
  }
  t.teardown(() => {
    globalThis.Date = System
  })
  return {
    set(ms: number) {
      ahead = ms
      globalThis.Date = SetDate as DateConstructor
    }
  }
}

/** Starts a server, and resolves once it has dropped what is too old. */
async function startAndRetain(t: Test, options: StartOptions) {
  const done = Promise.withResolvers<void>()
  const write = (line: string) => {
    if (line.includes('deleted expired data')) done.resolve()
  }
  const app = await startApp(t, {}, { ...options, firstRetentionMs: 1, log: pino({ level: 'debug' }, { write }) })
  await within('what is too old to be dropped', done.promise)
  return app
}

for (const [name, ahead] of [
  ['ahead', 400 * DAY_MS],
  ['behind', -400 * DAY_MS]
] as const)
  t.test(`a start with a clock that is ${name} costs no history and no undo`, async t => {
    const clock = startClock(t)
    const first = await startApp(t, { 'a.txt': 'one\n' })
    const { folder, settings } = first
    const edit = await first.call('edit_file', { path: 'a.txt', old: 'one', new: 'two' })
    t.match(await first.post('/approve?wait_ms=120000', toApproval(edit)), { status: 'success' })
    const read = await first.call('read_file', { path: 'a.txt' })
    const rule = await first.post('/rules', { effect: 'allow', match: { command: 'make' }, scope: 'workspace' })
    const stream = await first.events('?after=0')
    const { id: newest } = (await stream.type('rules.changed')).at(-1)
    stream.close()
    await first.close()

    clock.set(ahead)
    for (let restart = 0; restart < 2; restart++) {
      const wrong = await startAndRetain(t, { folder, settings })
      t.match(await wrong.get(`/calls/${read.tool_call_id}`), { status: 'success' })
      t.match(await wrong.get(`/calls/${edit.tool_call_id}/undo`), { available: true })
      t.match((await wrong.get('/rules')).rules, [{ rule_id: rule.rule_id }])
      await wrong.close()
    }

    clock.set(0)
    const again = await startAndRetain(t, { folder, settings })
    t.match(await again.get(`/calls/${read.tool_call_id}`), { status: 'success' })
    const events = await again.events('?after=0')
    t.ok(
      (await events.type('rules.changed')).some(({ id }) => id === newest),
      'events stay'
    )
    events.close()
    const undo = await again.post(`/calls/${edit.tool_call_id}/undo`, {})
    t.match(undo, { status: 'awaiting_approval' })
    t.match(await again.post('/approve?wait_ms=120000', toApproval(undo)), { status: 'success' })
    t.equal(again.read('a.txt'), 'one\n')
  })

t.test('a clock that is set while the server runs ends nothing, and keeps nothing longer', async t => {
  const clock = startClock(t)
  const base = await startApp(t, { 'a.txt': 'one\n' })
  await base.close()
  const { folder, settings } = base
  const app = await startApp(
    t,
    {},
    { folder, settings: { ...settings, approval: { ...settings.approval, ttl_ms: HOUR_MS } } }
  )
  const waiting = await app.call('shell_exec', { command: 'touch made' })
  const rule = await app.post('/rules', {
    effect: 'allow',
    match: { command: 'make' },
    scope: 'workspace',
    expires_at: timeIn(HOUR_MS)
  })
  const asAgent = { authorization: `Bearer ${CALL_TOKEN}` }
  await app.request('POST', '/calls', { tool: 'read_file', params: { path: 'a.txt' }, session_id: 's' }, asAgent)
  const mode = { mode: 'accept-edits', expires_at: timeIn(HOUR_MS) }
  t.match(await app.request('PUT', '/sessions/s/mode', mode), { status: 200 })
  const { token } = await app.post('/tokens', { name: 'ci', rights: ['call'], expires_in_ms: HOUR_MS })
  const asToken = () => app.request('GET', '/capabilities', undefined, { authorization: `Bearer ${token}` })

  clock.set(2 * HOUR_MS)
  t.match((await app.get('/rules')).rules, [{ rule_id: rule.rule_id }])
  t.equal((await asToken()).status, 200)
  t.match(await app.get(`/calls/${waiting.tool_call_id}`), { status: 'awaiting_approval' })
  t.match((await app.get('/modes')).modes, [{ session_id: 's', mode: 'accept-edits' }])
  clock.set(-2 * HOUR_MS)
  t.match((await app.get('/rules')).rules, [{ rule_id: rule.rule_id }])
  t.equal((await asToken()).status, 200)
  t.match(await app.post('/approve?wait_ms=120000', toApproval(waiting)), { status: 'success' })
})

t.test('history is dropped once servers have seen its time pass', async t => {
  const first = await startApp(t, { 'a.txt': 'one\n' })
  const { folder, settings } = first
  const old = await first.call('read_file', { path: 'a.txt' })
  const edit = await first.call('edit_file', { path: 'a.txt', old: 'one', new: 'two' })
  t.match(await first.post('/approve?wait_ms=120000', toApproval(edit)), { status: 'success' })
  await first.close()
  const listImages = () =>
    readdirSync(`${folder}/state/images`, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => `${entry.parentPath}/${entry.name}`)
  const stored = new Date(Date.now() - 2 * DAY_MS)
  t.ok(listImages().length > 0)
  for (const image of listImages()) utimesSync(image, stored, stored)
  // As if the server had run for 31 days since, and read the clocks meanwhile.
  const db = new DatabaseSync(`${folder}/state/journal.db`)
  const seen = (days: number) => days * DAY_MS
  const insert = db.prepare(
    `INSERT INTO clock_readings SELECT ?, ?, (SELECT max(seq) FROM events), (SELECT max(n) FROM calls)`
  )
  insert.run(seen(1), Date.now() - DAY_MS)
  insert.run(seen(32), Date.now())
  db.close()

  const again = await startAndRetain(t, { folder, settings })
  t.equal((await again.request('GET', `/calls/${old.tool_call_id}`)).status, 404)
  t.equal((await again.request('GET', `/calls/${edit.tool_call_id}`)).status, 404)
  t.match(await again.call('read_file', { path: 'a.txt' }), { status: 'success' })
  await again.close()
  t.strictSame(listImages(), [], 'what was kept for undo is gone, too')
})

t.test('changes of the clock, and sleep, are logged once for each server', async t => {
  const clock = startClock(t)
  const lines: Record<string, string[]> = { one: [], other: [] }
  const done = Promise.withResolvers<void>()
  const log = (name: string) => ({
    write(line: string) {
      if (/the system clock|the machine was suspended/.test(line)) lines[name]!.push(line)
      if (lines.one!.length > 0 && lines.other!.length > 0) done.resolve()
    }
  })
  const before = steadyNow()
  const slept = mock.method(os, 'uptime', () => process.uptime())
  syncBuiltinESMExports()
  t.teardown(() => {
    slept.mock.restore()
    syncBuiltinESMExports()
  })
  await Promise.all(['one', 'other'].map(name => startApp(t, {}, { log: pino({ level: 'info' }, log(name)) })))
  clock.set(2 * HOUR_MS)
  slept.mock.mockImplementation(() => process.uptime() + 3_600)
  await within('the clocks to be read', done.promise)
  for (const [line = '', ...others] of Object.values(lines)) {
    t.match(JSON.parse(line), { msg: /^the system clock was changed/, slept_ms: 3_600_000, set_ms: 3_600_000 })
    t.strictSame(others, [])
  }
  const passed = steadyNow() - before - HOUR_MS
  t.ok(passed > 0 && passed < HOUR_MS, 'the hour of sleep counts once, whatever the clock says')
})
