// tier: full
// Tests of the waiting calls of the VS Code extension, and of decisions about them, with a real server.
import t from 'tap'
import { approve, reject } from '../../clients/vscode/src/model/decide.ts'
import { previewEditedCall } from '../../clients/vscode/src/model/edited-call.ts'
import type { WaitingEntry } from '../../clients/vscode/src/model/waiting-calls.ts'
import type { Client } from '../../src/client/client.ts'
import { startApp } from '../start-app.ts'
import { waitUntil } from '../support/wait.ts'
import { collect, EDIT, POEM, startSession } from './world.ts'

t.test('approves what was shown', async t => {
  const { session, client, ask, read } = await startSession(t)
  const settled = collect(session.calls.settled)
  const entry = await ask('edit_file', EDIT)
  const whole = await session.calls.loadPreview(entry, client)
  t.match(whole?.files, [{ path: 'poem.txt', before: POEM, after: 'roses\ntulips\n' }])
  t.same(await approve(client, session.calls, entry), { level: 'information', text: 'edit_file: Approved' })
  await ended(client, entry)
  t.equal(read('poem.txt'), 'roses\ntulips\n')
  t.equal(session.calls.entries.length, 0)
  t.match(settled, [{ outcome: 'Approved' }])
})

t.test('rejects with a reason, which the caller gets', async t => {
  const { session, client, ask, read } = await startSession(t)
  const entry = await ask('edit_file', EDIT)
  await reject(client, session.calls, entry, { reason: 'violets are fine' })
  const call = await client.get(entry.call.tool_call_id)
  t.match(call, { status: 'rejected', user_message: 'violets are fine', rejected_by: { client: 'vscode' } })
  t.equal(read('poem.txt'), POEM)
})

t.test('a decision made elsewhere removes the call', async t => {
  const { session, ask, post } = await startSession(t)
  const settled = collect(session.calls.settled)
  const entry = await ask('edit_file', EDIT)
  await post('/reject', { tool_call_id: entry.call.tool_call_id, reason: 'later' }, { 'x-toolgate-client': 'console' })
  await waitUntil('the call to leave the list', () => settled.length === 1)
  t.match(settled, [{ entry: { call: { tool: 'edit_file' } }, outcome: 'Rejected by console: later' }])
})

t.test('a decision about an earlier preview is refused, and the new preview is shown', async t => {
  const { session, client, ask, write, read } = await startSession(t)
  const renewed = collect(session.calls.renewed)
  const entry = await ask('edit_file', EDIT)
  write('poem.txt', 'lilies\nviolets\n')
  const report = await approve(client, session.calls, entry)
  t.match(report, { level: 'warning', text: /the preview has changed/ })
  t.equal(read('poem.txt'), 'lilies\nviolets\n')
  t.match(renewed.at(-1)?.call.approval.preview.diff, ' lilies')
  await approve(client, session.calls, session.calls.find(entry.call.tool_call_id)!)
  await ended(client, entry)
  t.equal(read('poem.txt'), 'lilies\ntulips\n')
})

t.test('a call that ended before the decision is reported as it ended', async t => {
  const { session, client, ask, post } = await startSession(t)
  const entry = await ask('edit_file', EDIT)
  await post('/reject', { tool_call_id: entry.call.tool_call_id })
  const report = await approve(client, session.calls, entry)
  t.match(report, { level: 'warning', text: /^edit_file was already decided\. Rejected/ })
})

t.test('approves edited params with the preview that was shown of them', async t => {
  const { session, client, ask, read } = await startSession(t)
  const entry = await ask('edit_file', EDIT)
  const text = JSON.stringify({ ...EDIT, new: 'lilies' })
  session.calls.edit(entry, await previewEditedCall(client, entry.call, text))
  const edited = session.calls.find(entry.call.tool_call_id)!
  t.match(edited.edited?.approval.preview.diff, '+lilies')
  await approve(client, session.calls, edited)
  await ended(client, entry)
  t.equal(read('poem.txt'), 'roses\nlilies\n')
})

t.test('reports params that are not accepted', async t => {
  const { client, ask } = await startSession(t)
  const { call } = await ask('edit_file', EDIT)
  await t.rejects(previewEditedCall(client, call, '{'), /not valid JSON/)
  await t.rejects(previewEditedCall(client, call, '[]'), /must be a JSON object/)
  await t.rejects(
    previewEditedCall(client, call, '{"line": 9007199254740993}'),
    /9007199254740993\. Write it in quotes/
  )
  await t.rejects(previewEditedCall(client, call, '{"path": "poem.txt"}'), /old is required/)
})

t.test('lists the calls again after the server was restarted', async t => {
  const { session, ask, close, folder, url } = await startSession(t)
  await ask('edit_file', EDIT)
  await close()
  await waitUntil('the connection to be lost', () => session.state.state === 'lost')
  const again = await startApp(t, {}, { folder, port: Number(new URL(url).port) })
  await waitUntil('the session to be live again', () => session.isLive)
  const [entry] = session.calls.entries
  t.equal(entry?.call.approval.preview.title, 'Edit poem.txt')
  await approve(session.requireClient(), session.calls, entry!)
  await ended(session.requireClient(), entry!)
  t.equal(again.read('poem.txt'), 'roses\ntulips\n')
})

/** Waits until an approved call has ended. */
const ended = (client: Client, { call }: WaitingEntry) => client.get(call.tool_call_id, { wait_ms: 120_000 })
