// Tests of the calls of a server that stops, is killed, and starts again.
// tier: quick
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import type { CallStatus } from '../../src/protocol/calls.ts'
import { Gate, gatedTools } from '../gated-tools.ts'
import { createNormalizer } from '../normalizer.ts'
import { type Json, type StartOptions, startApp, toApproval } from '../start-app.ts'

/** Starts servers in sequence on the same folder. */
function place(t: Test) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-again-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return (files: Record<string, string> = {}, options: StartOptions = {}) => startApp(t, files, { ...options, folder })
}

t.test(
  'after a restart pending calls can be decided, running ones are interrupted, and the rest is unchanged',
  async t => {
    const start = place(t)
    const gate = new Gate()
    const first = await start({ 'a.txt': 'one', 'b.txt': 'b' }, { tools: gatedTools(gate) })
    const keyed = { tool: 'write_file', params: { path: 'new.txt', content: 'x' } }
    const made = (await first.request('POST', '/calls', keyed, { 'idempotency-key': 'k' })).body
    await first.call('todo_write', { todos: [{ content: 'later', status: 'pending' }] }, { session_id: 's' })
    const rule = (
      await first.request('POST', '/rules', { effect: 'deny', match: { tool: 'copy_file' }, scope: 'user' })
    ).body
    const kept = await first.call('write_file', { path: 'a.txt', content: 'two' }, { session_id: 's' })
    const refused = await first.call('delete_file', { path: 'b.txt' })
    const modified = await first.call('write_file', { path: 'b.txt', content: 'x' })
    const ran = first.call('held_create', { name: 'a', path: 'c.txt' })
    await gate.waitForArrival('a')
    const queued = (
      await first.request('POST', '/calls?wait_ms=0', { tool: 'held_create', params: { name: 'b', path: 'c.txt' } })
    ).body
    const { head, instance } = await first.get('/state')
    await first.close()
    t.match(await ran, { status: 'interrupted', reason: 'The server stopped while the command was running.' })
    t.strictSame(gate.aborted, ['a'])

    const second = await start({}, { tools: gatedTools(gate) })
    const state = await second.get('/state')
    t.not(state.instance, instance)
    t.ok(state.head >= head, 'numbers go on')
    t.strictSame(state.pending, [kept, refused, modified], 'with their previews, digests and deadlines')
    t.strictSame(state.running, [])
    t.strictSame(state.sessions, { s: 'awaiting_approval', default: 'awaiting_approval' })
    t.match(await second.get(`/calls/${queued.tool_call_id}`), { status: 'interrupted' })
    const { digest } = kept.approval
    t.match(
      await second.request(
        'POST',
        '/approve?wait_ms=120000',
        { tool_call_id: kept.tool_call_id, digest },
        { 'x-toolgate-client': 'other' }
      ),
      {
        status: 200,
        body: { status: 'success', approved_by: { client: 'other' } }
      }
    )
    t.equal(second.read('a.txt'), 'two')
    t.equal((await second.post('/reject', { tool_call_id: refused.tool_call_id })).status, 'rejected')
    t.match(await second.get('/calls?path=b.txt&status=rejected'), { calls: [{ tool_call_id: refused.tool_call_id }] })
    second.write('b.txt', 'changed')
    t.match(await second.request('POST', '/approve', toApproval(modified)), {
      status: 409,
      body: { code: 'PREVIEW_CHANGED' }
    })
    t.strictSame(
      (await second.request('POST', '/calls', keyed, { 'idempotency-key': 'k' })).body,
      made,
      'keys are kept'
    )
    t.strictSame(await second.get('/rules'), { rules: [rule] })
    t.match(await second.call('copy_file', { source: 'a.txt', dest: 'z' }), { status: 'rejected' })
    t.match(await second.call('todo_read', {}, { session_id: 's' }), {
      result: { data: { todos: [{ content: 'later', status: 'pending' }] } }
    })
    t.strictSame(gate.arrivals, ['a'], 'nothing was run again')
    const events = await second.events(`?after=${head}`)
    const reported = await events.type('tool.result', event => event.tool_call_id === kept.tool_call_id)
    t.ok(
      reported.some(event => event.event === 'tool.result' && event.status === 'interrupted'),
      'the end of what ran is reported'
    )
  }
)

/** Simulates a killed server: calls have the status they had in its memory. */
function asIfKilled(folder: string, tool_call_id: string, status: CallStatus) {
  const db = new DatabaseSync(path.join(folder, 'state', 'journal.db'))
  const row = db.prepare('SELECT head FROM calls WHERE tool_call_id = ?').get(tool_call_id) as { head: string }
  const call = { ...JSON.parse(row.head), status }
  db.prepare('UPDATE calls SET status = ?, head = ? WHERE tool_call_id = ?').run(
    status,
    JSON.stringify(call),
    tool_call_id
  )
  db.close()
}

t.test('running calls of a killed server are interrupted at the next start, and never run again', async t => {
  const start = place(t)
  const gate = new Gate()
  const first = await start({}, { tools: gatedTools(gate) })
  const calls: Json[] = []
  for (const name of ['a', 'b']) {
    gate.open(name)
    calls.push(await first.call('held_create', { name, path: `${name}.txt` }, { session_id: 's' }))
  }
  await first.close()
  asIfKilled(first.folder, calls[0].tool_call_id, 'running')
  asIfKilled(first.folder, calls[1].tool_call_id, 'queued')
  const second = await start({}, { tools: gatedTools(gate) })
  const normal = createNormalizer()
  const reasons = [
    'The server ended while the call was running. The call is not run again.',
    'The server ended before the call was started or had any effect. Send the call again.'
  ]
  for (const [i, { tool_call_id }] of calls.entries())
    t.match(normal(await second.get(`/calls/${tool_call_id}`)), {
      status: 'interrupted',
      reason: reasons[i],
      finished_at: 'TIME'
    })
  t.match(await second.get('/calls?path=a.txt'), { calls: [{ tool_call_id: calls[0].tool_call_id }] })
  t.match(await second.get('/state'), { pending: [], running: [], sessions: {} })
  t.strictSame(gate.arrivals, ['a', 'b'])
  t.match(await second.request('POST', '/approve', { tool_call_id: calls[0].tool_call_id }), { status: 409 })
})

t.test('a stopping server rejects new calls, and lets running ones end', async t => {
  const gate = new Gate()
  const app = await startApp(t, { 'a.txt': 'one' }, { tools: gatedTools(gate) })
  const asked = await app.call('delete_file', { path: 'a.txt' })
  const held = app.call('held_create', { name: 'a' })
  await gate.waitForArrival('a')
  const closing = app.close(60_000)
  t.match(await app.request('POST', '/calls', { tool: 'todo_read', params: {} }), {
    status: 503,
    body: { code: 'OVERLOADED', recoverable: true }
  })
  const { digest } = asked.approval
  t.equal(
    (await app.request('POST', '/approve', { tool_call_id: asked.tool_call_id, digest, confirm: true })).status,
    503
  )
  gate.open('a')
  t.match(await held, { status: 'success' })
  await closing
  await t.rejects(app.get('/health'))
})
