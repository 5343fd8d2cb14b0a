// Tests of a server whose journal cannot be written.
// tier: full
// run: waiting (for the journal to be tried again)
import { existsSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { startApp } from '../start-app.ts'

t.test('an unwritable journal stops only new calls', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const asked = await app.call('delete_file', { path: 'a.txt' })
  // The next number is in use already, so that the next commit fails as a whole.
  const db = new DatabaseSync(path.join(app.folder, 'state', 'journal.db'))
  const { head } = await app.get('/state')
  const insert = db.prepare("INSERT INTO events (seq, time, type, data) VALUES (?, '2026', 'x', '{}')")
  for (let seq = head + 1; seq < head + 20; seq += 1) insert.run(seq)
  db.close()
  const write = { tool: 'write_file', params: { path: 'b.txt', content: 'x' } }
  for (let n = 0; n < 2; n += 1) {
    const refused = await app.request('POST', '/calls', write)
    t.match(refused, { status: 503, body: { code: 'OVERLOADED', detail: /cannot write its journal/ } })
    t.equal(refused.headers.get('retry-after'), '1')
  }
  t.equal(existsSync(path.join(app.root, 'b.txt')), false, 'nothing has an effect that could not be written down')
  t.equal((await app.request('POST', '/calls', { tool: 'read_file', params: { path: 'a.txt' } })).status, 503)
  const { digest } = asked.approval
  t.equal(
    (await app.request('POST', '/approve', { tool_call_id: asked.tool_call_id, digest, confirm: true })).status,
    503
  )
  t.equal(app.read('a.txt'), 'one')
  t.equal((await app.request('GET', '/health')).status, 200)
  t.strictSame((await app.get(`/calls/${asked.tool_call_id}`)).status, 'awaiting_approval')
  await app.close()
})
