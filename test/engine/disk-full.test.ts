// Tests that a full disk below the state folder ends nothing: what must be journalled is refused, and goes on when there is room.
// tier: full
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../src/config/merge.ts'
import { type Json, startApp, toApproval } from '../start-app.ts'
import { needs } from '../support/needs.ts'
import { waitUntil } from '../support/wait.ts'

async function start(t: Test, size: string) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-full-')))
  const state = path.join(folder, 'state')
  mkdirSync(state)
  execaSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', state])
  const app = await startApp(t, { 'a.txt': 'one\n' }, { folder })
  t.teardown(async () => {
    await app.close()
    execaSync('umount', ['-l', state])
    rmSync(folder, { recursive: true, force: true })
  })
  const ballast = path.join(state, 'ballast.bin')
  const fill = () => {
    for (const bytes of [65_536, 4_096])
      try {
        for (;;) appendFileSync(ballast, Buffer.alloc(bytes))
      } catch (error) {
        t.match(error, { code: 'ENOSPC' })
      }
  }
  const makeRoom = () => rmSync(ballast, { force: true })
  const isFull = (reply: Json) => reply.status === 507 && reply.body.code === 'DISK_FULL'
  const submit = (tool: string, params: object) => app.request('POST', '/calls', { tool, params })
  /** Reads until a call is refused. */
  const untilRefused = () =>
    waitUntil('a call to be refused', async () => {
      const reply = await submit('read_file', { path: 'a.txt' })
      return isFull(reply) ? reply : undefined
    })
  const untilTaken = () =>
    waitUntil('a call to be taken', async () => {
      const reply = await submit('read_file', { path: 'a.txt' })
      return reply.status === 200 ? reply : undefined
    })
  return {
    ...app,
    state,
    fill,
    makeRoom,
    submit,
    untilRefused,
    untilTaken,
    reserve: path.join(state, 'journal.reserve')
  }
}

const FULL = /^The disk of the state folder .*\/state is full, so nothing was done\. Free disk space/

t.test('a full disk refuses calls, and takes them again when there is room', needs('mount'), async t => {
  const app = await start(t, '40m')
  await waitUntil('the reserve', () => existsSync(app.reserve))
  const { state } = app
  const waiting = await app.call('edit_file', { path: 'a.txt', old: 'one', new: 'two' })
  const other = await app.call('shell_exec', { command: 'touch made' })
  const asked = await app.call('shell_background', { command: 'while :; do sleep 1; done' })
  const job = await app.post('/approve?wait_ms=120000', toApproval(asked))
  const stream = await app.events()
  app.fill()
  t.match((await app.untilRefused()).body, {
    code: 'DISK_FULL',
    detail: FULL,
    recoverable: true,
    details: { folder: state }
  })
  t.match(await app.submit('write_file', { path: 'new.txt', content: 'x' }), { status: 507 })
  t.notOk(existsSync(path.join(app.root, 'new.txt')))

  t.equal((await app.request('GET', '/health')).status, 200)
  t.match(await app.get(`/calls/${waiting.tool_call_id}`), { status: 'awaiting_approval' })
  t.equal((await app.get('/approvals')).approvals.length, 2)
  t.match((await app.get('/jobs')).jobs, [{ task_id: job.result.data.task_id, status: 'running' }])
  t.match(
    await app.post('/reject', { tool_call_id: other.tool_call_id }),
    { status: 'rejected' },
    'people still decide'
  )
  t.notOk(existsSync(app.reserve), 'the reserve gave room for that')
  await stream.type('tool.decision', ({ tool_call_id }) => tool_call_id === other.tool_call_id)

  app.makeRoom()
  await app.untilTaken()
  await waitUntil('the reserve', () => existsSync(app.reserve))
  t.match(await app.post('/approve?wait_ms=120000', toApproval(waiting)), { status: 'success' })
  t.equal(app.read('a.txt'), 'two\n')
})

t.test('without any room nothing is acknowledged, and nothing is lost', needs('mount'), async t => {
  const app = await start(t, '24m')
  await waitUntil('the reserve', () => existsSync(app.reserve))
  const waiting = await app.call('shell_exec', { command: 'touch made' })
  const running: Promise<Json>[] = []
  app.fill()
  await app.untilRefused()
  app.fill()
  // What is written until then takes the last room.
  const rejected = await waitUntil('a decision to be refused', async () => {
    const reply = app.request('POST', '/rules', { effect: 'allow', match: { command: 'make' }, scope: 'workspace' })
    running.push(reply)
    const settled = await Promise.race([reply, new Promise(resolve => setTimeout(resolve, 200))])
    app.fill()
    return settled && (settled as Json).status === 507 ? (settled as Json) : undefined
  })
  t.match(rejected.body, { code: 'DISK_FULL', detail: FULL })
  for (const [method, target, body] of [
    ['POST', '/approve', toApproval(waiting)],
    ['POST', '/reject', { tool_call_id: waiting.tool_call_id }],
    ['PUT', '/sessions/default/mode', { mode: 'plan', token_id: 'server:call' }],
    ['DELETE', '/sessions/default/mode?token_id=server:call'],
    ['POST', `/calls/${waiting.tool_call_id}/purge`, {}],
    ['POST', '/calls', { tool: 'read_file', params: { path: 'a.txt' } }]
  ] as const)
    t.match(
      await app.request(method, target, body),
      { status: 507, body: { code: 'DISK_FULL' } },
      `${method} ${target}`
    )
  t.match(await app.get(`/calls/${waiting.tool_call_id}`), { status: 'awaiting_approval' })
  t.equal((await app.request('GET', '/health')).status, 200)
  app.makeRoom()
  await app.untilTaken()
  const rules = (await app.get('/rules')).rules
  const added = (await Promise.all(running)).filter(({ status }) => status === 201 || status === 200)
  t.equal(rules.length, added.length, 'what was acknowledged is there, and nothing else')
  t.match(await app.post('/approve?wait_ms=120000', toApproval(waiting)), { status: 'success' })
})

t.test('a server on a full disk can be stopped, and started when there is room', needs('mount'), async t => {
  const app = await start(t, '24m')
  const { folder, settings } = app
  const read = await app.call('read_file', { path: 'a.txt' })
  app.fill()
  await waitUntil('a call to be refused, or to wait', async () => {
    const reply = app.submit('read_file', { path: 'a.txt' })
    const settled = await Promise.race([reply.catch(() => undefined), new Promise(resolve => setTimeout(resolve, 200))])
    app.fill()
    return settled === undefined || (settled as Json)?.status === 507
  })
  await app.close()
  t.ok(statfsSync(app.state).bavail * statfsSync(app.state).bsize < 1_000_000, 'still full')
  app.makeRoom()
  writeFileSync(path.join(app.state, 'other'), 'x')
  const again = await startApp(t, {}, { folder, settings })
  t.match(await again.get(`/calls/${read.tool_call_id}`), { status: 'success' })
  t.match(await again.call('read_file', { path: 'a.txt' }), { status: 'success' })
  await again.close()
})

t.test('the journal keeps its size while it grows, and takes no call if all of it waits', async t => {
  const base = defaultSettings()
  const max_bytes = 6_000_000
  const settings = { journal: { ...base.journal, max_bytes } }
  const app = await startApp(t, { 'a.txt': 'x\n' }, { settings })
  const size = () => statSync(path.join(app.folder, 'state/journal.db')).size
  const first = await app.call('read_file', { path: 'a.txt' })
  for (let n = 0; n < 30; n++) await app.call('write_file', { path: `${n}.txt`, content: 'y'.repeat(500_000) })
  await waitUntil('the oldest to be dropped', async () => {
    const { status } = await app.request('GET', `/calls/${first.tool_call_id}`)
    return status === 404
  })
  await waitUntil('the size to be kept', () => size() < max_bytes + 5_000_000)

  const waiting: string[] = []
  const refused = await waitUntil('a call to be refused', async () => {
    const params = { path: 'a.txt', content: 'z'.repeat(900_000) }
    const { status, body } = await app.request('POST', '/calls', { tool: 'write_file', params })
    if (status < 400) waiting.push(body.tool_call_id)
    return status >= 400 ? { status, body } : undefined
  })
  t.match(refused, {
    status: 503,
    body: { code: 'OVERLOADED', detail: /has reached `journal\.max_bytes` with calls that have not ended/ }
  })
  for (const tool_call_id of waiting) t.match(await app.post('/reject', { tool_call_id }), { status: 'rejected' })
  await waitUntil('a call to be taken', async () => {
    const { status } = await app.request('POST', '/calls', { tool: 'read_file', params: { path: 'a.txt' } })
    return status === 200
  })
})
