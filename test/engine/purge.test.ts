// Tests of the removal of a call's content: afterwards no answer, event or file of the server has it.
// tier: full
// run: waiting (for calls, and restarts)
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { CALL_TOKEN, type Json, startApp, type TestApp, toApproval } from '../start-app.ts'
import { waitUntil } from '../support/wait.ts'

const SECRET = 'c4nary-Of-The-Content-7Qx'
const PURGED = 'Content removed: a person purged the call.'
const EXPIRED =
  'Content removed: the call used a file that may contain secrets, and the content of such calls is stored only for 24 hours.'
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** Runs to the end a call that a person approves, which is strict. */
async function run(app: TestApp, tool: string, params: unknown): Promise<Json> {
  const waiting = await app.call(tool, params)
  if (waiting.status !== 'awaiting_approval') return waiting
  await app.post('/approve', { ...toApproval(waiting), confirm: true })
  return app.get(`/calls/${waiting.tool_call_id}?wait_ms=120000`)
}

const purge = (app: TestApp, { tool_call_id }: Json) => app.request('POST', `/calls/${tool_call_id}/purge`, {})

function checkFiles(t: Test, folder: string, expected: readonly string[] = []) {
  const entries = readdirSync(path.join(folder, 'state'), { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => path.join(entry.parentPath, entry.name))
  const found = files.filter(file => readFileSync(file, 'latin1').includes(SECRET))
  t.strictSame(
    found.map(file => path.basename(file)),
    expected
  )
}

/** Reads all events of a stream from its beginning, up to one of this type. */
async function replay(app: TestApp, type: string): Promise<Json[]> {
  const stream = await app.events('?after=0')
  const events = await stream.type(type)
  stream.close()
  return events.slice(1)
}

t.test('nothing is left of what a purged call read', async t => {
  const app = await startApp(t, { '.env': `A_NAME=${SECRET}\n` })
  const read = await run(app, 'read_file', { path: '.env' })
  t.match(read.result.data.content, SECRET)
  const before = await replay(app, 'tool.result')
  const stream = await app.events()
  const { status, body } = await purge(app, read)
  t.equal(status, 200)
  const removal = { at: TIME, reason: 'purged', by: { client: 'node' } }
  const { result, approval, ...rest } = body
  t.match(result, { title: PURGED, content: PURGED, data: null, metadata: {}, attachments: [], truncated: false })
  t.match(approval, { level: 'strict', preview: { title: PURGED }, always_options: [], matched_rules: [] })
  t.match(rest, {
    tool_call_id: read.tool_call_id,
    tool: 'read_file',
    status: 'success',
    params: {},
    approved_by: { source: 'user', client: 'node' },
    content_removed: removal
  })
  t.strictSame(await app.get(`/calls/${read.tool_call_id}`), body)
  t.strictSame((await app.get('/calls')).calls, [body])
  t.equal(await app.get(`/calls/${read.tool_call_id}?toolset=opencode`), PURGED)
  const [published] = (await stream.type('tool.content_removed')).slice(-1)
  t.match(published, { tool_call_id: read.tool_call_id, tool: 'read_file', reason: 'purged', by: { client: 'node' } })

  const after = await replay(app, 'tool.content_removed')
  const ofCall = (events: Json[]) => events.filter(({ tool_call_id }) => tool_call_id === read.tool_call_id)
  t.strictSame(
    ofCall(after).map(({ id, event }) => [id, event]),
    [...ofCall(before).map(({ id, event }) => [id, event]), [published.id, 'tool.content_removed']],
    'every event is there, under its number'
  )
  for (const event of ofCall(after).slice(0, -1)) t.match(event.content_removed, removal)
  t.notMatch(JSON.stringify([body, after]), SECRET)
  checkFiles(t, app.folder)
  t.strictSame(await purge(app, read).then(({ body: again }) => again.params), {}, 'once more is no error')
})

t.test('nothing is left of what a purged call printed, wrote or replaced', async t => {
  const app = await startApp(t, { 'a.txt': `${SECRET}\n` })
  const written = await run(app, 'write_file', { path: 'a.txt', content: `other ${SECRET}\n` })
  const emptied = await run(app, 'write_file', { path: 'a.txt', content: 'empty\n' })
  const printed = await run(app, 'shell_exec', { command: `printf '%s\n' ${SECRET}; exit 3` })
  const failed = await run(app, 'edit_file', { path: 'a.txt', old: SECRET, new: 'x' })
  t.equal(failed.status, 'error')
  const waiting = await app.call('shell_exec', { command: `echo ${SECRET}` })
  const rejected = await app.post('/reject', {
    tool_call_id: waiting.tool_call_id,
    reason: SECRET,
    user_message: SECRET,
    comments: [{ path: SECRET, line: 1, text: SECRET }]
  })
  t.match(rejected, { status: 'rejected' })
  const job = await run(app, 'shell_background', { command: `echo ${SECRET}; exit 0` })
  const stream = await app.events('?after=0')
  await stream.type('job.exited')
  for (const call of [written, emptied, printed, failed, rejected, job]) {
    const { status, body } = await purge(app, call)
    t.equal(status, 200)
    t.match(body, { status: call.status, content_removed: { reason: 'purged' } })
    t.notMatch(JSON.stringify(body), SECRET)
  }
  t.match(await app.get(`/calls/${written.tool_call_id}`), {
    changes: [{ path: 'a.txt', operation: 'modified' }],
    undo: { available: false, reason: PURGED }
  })
  t.match(await app.get(`/calls/${emptied.tool_call_id}/undo`), { available: false })
  t.match(await app.get(`/calls/${printed.tool_call_id}/output`), { text: '', ended: true })
  t.notMatch(JSON.stringify([await app.get('/calls'), await app.get('/jobs')]), SECRET)
  checkFiles(t, app.folder)
  await app.close()
  checkFiles(t, app.folder)
})

t.test('a result that was answered from the cache is removed from both calls', async t => {
  const app = await startApp(t, { 'a.txt': `${SECRET}\n` })
  // A file changed just now is not cached: each read before is another call, with the content.
  const uncached: Json[] = []
  const second = await waitUntil('an answer from the cache', async () => {
    const call = await app.call('read_file', { path: 'a.txt' })
    if (call.cached) return call
    uncached.push(call)
    return undefined
  })
  for (const call of uncached.slice(0, -1)) await purge(app, call)
  const first = uncached.at(-1)
  await purge(app, second)
  t.match((await app.get(`/calls/${first.tool_call_id}`)).result, { content: PURGED })
  t.notOk((await app.call('read_file', { path: 'b.txt' })).cached)
  checkFiles(t, app.folder)
})

t.test('refuses calls that have not ended, unknown ones and callers that may not approve', async t => {
  const app = await startApp(t)
  const waiting = await app.call('shell_exec', { command: 'echo x' })
  t.match(await purge(app, waiting), { status: 409, body: { code: 'CONFLICT', detail: /has not ended/ } })
  const job = await run(app, 'shell_background', { command: 'sleep 60' })
  t.match(await purge(app, job), { status: 409, body: { code: 'CONFLICT', detail: /is still running/ } })
  await app.post(`/calls/${job.tool_call_id}/cancel`, {})
  const unknown = 'tc_00000000000000000000000000'
  t.match(await purge(app, { tool_call_id: unknown }), { status: 404, body: { code: 'NOT_FOUND' } })
  const headers = { authorization: `Bearer ${CALL_TOKEN}` }
  t.match(await app.request('POST', `/calls/${job.tool_call_id}/purge`, {}, headers), {
    status: 403,
    body: { code: 'FORBIDDEN' }
  })
})

t.test(
  'the content of calls that used a sensitive file is removed after 24 hours, and undo stays possible',
  async t => {
    const first = await startApp(t, { '.env': `A_NAME=${SECRET}\n`, 'a.txt': 'harmless\n' })
    const read = await run(first, 'read_file', { path: '.env' })
    const written = await run(first, 'write_file', { path: '.env', content: `OTHER=${SECRET}-2\n` })
    const listed = await run(first, 'shell_exec', { command: 'cat .env' })
    const other = await run(first, 'read_file', { path: 'a.txt' })
    await first.close()
    const db = new DatabaseSync(path.join(first.folder, 'state/journal.db'))
    const rows = db.prepare('SELECT tool_call_id, remove_at FROM content_expiry ORDER BY tool_call_id').all()
    t.strictSame(
      rows.map(row => row.tool_call_id),
      [read, written, listed].map(({ tool_call_id }) => tool_call_id)
    )
    for (const [i, call] of [read, written, listed].entries()) {
      const kept = Date.parse(String(rows[i]!.remove_at)) - Date.parse(call.finished_at)
      t.ok(kept > 23.9 * 3_600_000 && kept < 24.1 * 3_600_000)
    }
    db.exec("UPDATE content_expiry SET remove_at = '2000-01-01T00:00:00.000Z'")
    db.close()
    const app = await startApp(t, {}, { folder: first.folder })
    for (const call of [read, written, listed])
      t.match(await app.get(`/calls/${call.tool_call_id}`), {
        status: 'success',
        params: {},
        result: { content: EXPIRED },
        content_removed: { reason: 'sensitive' }
      })
    t.match((await app.get(`/calls/${other.tool_call_id}`)).result, { content: /harmless/ })
    const events = await replay(app, 'tool.content_removed')
    t.notMatch(JSON.stringify(events), SECRET)
    t.match((await app.get(`/calls/${written.tool_call_id}`)).undo, { available: true })
    const undo = await run(app, 'undo', { tool_call_id: written.tool_call_id })
    t.match(undo, { status: 'success' }, JSON.stringify(undo))
    t.equal(app.read('.env'), `A_NAME=${SECRET}\n`)
  }
)
