// Tests of calls that the client executes: the server decides and records, and does not act.
// tier: quick
import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { connect } from '../../src/client/client.ts'
import { CLIENT_EXECUTION_NOTE } from '../../src/engine/client-execution.ts'
import { CALL_TOKEN, type Json, startApp, type TestApp, TOKEN, toApproval } from '../start-app.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { after, hooked } from './hooks/configured-hooks-fixture.ts'

const EDIT = { path: 'a.txt', old: 'one', new: 'two' }
const byClient = { executor: 'client' }

const decide = async (app: TestApp, waiting: Json, more: object = {}) => {
  await app.post('/approve', { ...toApproval(waiting), ...more })
  return app.get(`/calls/${waiting.tool_call_id}?wait_ms=120000`)
}

t.test('an edit waits with its diff, and changes nothing once it is approved', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const stream = await app.events('?types=tool.call')
  const waiting = await app.call('edit_file', EDIT, byClient)
  t.match((await stream.type('tool.call')).at(-1), { executor: 'client', requires_approval: true })
  t.match(waiting, {
    status: 'awaiting_approval',
    executor: 'client',
    approval: { level: 'ask', preview: { diff: /-one\n\+two/, notes: [CLIENT_EXECUTION_NOTE] } }
  })
  const done = await decide(app, waiting)
  t.match(done, {
    status: 'success',
    executor: 'client',
    approved_by: { source: 'user' },
    result: { title: 'edit_file allowed', data: { executor: 'client' } }
  })
  t.notOk(done.changes)
  t.notOk(done.undo?.available)
  t.equal(app.read('a.txt'), 'one\n')
})

t.test('an approval of a call that the server executes does not apply to the client', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const [here, there] = [await app.call('edit_file', EDIT), await app.call('edit_file', EDIT, byClient)]
  t.not(here.approval.digest, there.approval.digest)
  const { tool_call_id } = there
  t.match(await app.request('POST', '/approve', { tool_call_id, digest: here.approval.digest }), {
    status: 409,
    body: { code: 'PREVIEW_CHANGED' }
  })
})

t.test('reads are allowed, secrets are not, and an edit that would fail does', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n', '.env': 'KEY=1\n' })
  t.match(await app.call('read_file', { path: 'a.txt' }, byClient), {
    status: 'success',
    result: { data: { executor: 'client' }, content: 'The call is allowed. Execute it now.' }
  })
  t.match(await app.call('read_file', { path: '.env' }, byClient), {
    status: 'awaiting_approval',
    approval: { level: 'strict' }
  })
  t.match(await app.call('edit_file', { ...EDIT, old: 'absent' }, byClient), { status: 'error' })
  t.match(await app.call('read_file', { path: 'absent.txt' }, byClient), { status: 'success' }, 'it only decides')
})

t.test('a command is evaluated without a sandbox, and a saved rule allows it', async t => {
  const app = await startApp(t)
  const listing = await app.call('shell_exec', { command: 'ls' }, byClient)
  t.match(listing, {
    status: 'awaiting_approval',
    approval: {
      reason: 'Appears to only read, but the client runs it without a sandbox.',
      preview: { text: 'ls', notes: [CLIENT_EXECUTION_NOTE, /^Isolation none/] }
    }
  })
  const removal = await app.call('shell_exec', { command: 'rm -rf a' }, byClient)
  t.match(removal, { status: 'awaiting_approval', approval: { level: 'strict' } })
  const making = await app.call('shell_exec', { command: 'npm test' }, byClient)
  const always = making.approval.always_options.find(({ id }: Json) => id === 'prefix:session')
  t.match(await decide(app, making, { always: always.id }), {
    status: 'success',
    result: { data: { executor: 'client' } }
  })
  t.match(await app.call('shell_exec', { command: 'npm test -- --bail' }, byClient), {
    status: 'success',
    approved_by: { source: 'rule' }
  })
})

t.test('modes that rely on undo do not allow it, and hooks after a call do not run', async t => {
  const app = await hooked(t, [after('say({})')])
  const agent = { authorization: `Bearer ${CALL_TOKEN}` }
  const edit = (more: object) => app.post('/calls', { tool: 'edit_file', params: EDIT, ...more }, agent)
  await app.request('PUT', '/sessions/default/mode', { mode: 'accept-edits', token_id: 'server:call' })
  t.match(await edit({}), { status: 'success', hooks: [{ name: 'hear' }] })
  app.write('a.txt', 'one\n')
  const waiting = await edit(byClient)
  t.match(waiting, { status: 'awaiting_approval' })
  t.notOk((await decide(app, waiting)).hooks)
})

t.test('a rejection reaches the client with its message, and changed params are shown', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const refused = await app.call('edit_file', EDIT, byClient)
  await app.post('/reject', { tool_call_id: refused.tool_call_id, reason: 'no', user_message: 'Use three.' })
  t.match(await app.get(`/calls/${refused.tool_call_id}`), { status: 'rejected', user_message: 'Use three.' })
  const waiting = await app.call('edit_file', EDIT, byClient)
  const modified_params = { ...EDIT, new: 'three' }
  const client = connect({ url: app.url, token: TOKEN })
  const { digest: modified_digest } = await client.dryRunModified(waiting, modified_params)
  t.match(await decide(app, waiting, { modified_params, modified_digest }), {
    status: 'success',
    params: modified_params,
    requested_params: EDIT
  })
  t.equal(app.read('a.txt'), 'one\n')
})

t.test('a tool that only the agent has', async t => {
  const app = await startApp(t)
  const params = { name: 'Task', title: 'Look for bugs', input: { prompt: 'Find bugs.' } }
  t.match(await app.call('agent_action', params), { status: 'error', error: { code: 'INVALID_PARAMS' } })
  const waiting = await app.call('agent_action', params, byClient)
  t.match(waiting, {
    status: 'awaiting_approval',
    approval: {
      reason: 'The agent wants to use its tool Task.',
      preview: { title: 'Task: Look for bugs', text: '{\n  "prompt": "Find bugs."\n}' }
    }
  })
  t.match(await decide(app, waiting), { status: 'success' })
  await app.post('/rules', { effect: 'allow', match: { tool: 'agent:Task' }, scope: 'user' })
  t.match(await app.call('agent_action', params, byClient), { status: 'success', approved_by: { source: 'rule' } })
  t.match(await app.call('agent_action', { name: 'Skill' }, byClient), { status: 'awaiting_approval' })
  const { tools } = await app.get('/tools')
  t.notOk(tools.some(({ name }: Json) => name === 'agent_action'))
})

t.test('a waiting call is still not executed by a server that has restarted', async t => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-test-')))
  t.teardown(() => removeFolder(folder))
  const first = await startApp(t, { 'a.txt': 'one\n' }, { folder })
  const waiting = await first.call('edit_file', EDIT, byClient)
  await first.close()
  const again = await startApp(t, {}, { folder })
  t.match(await decide(again, waiting), { status: 'success', result: { data: { executor: 'client' } } })
  t.equal(again.read('a.txt'), 'one\n')
  await again.post('/rules', { effect: 'allow', match: { tool: 'edit_file', path: 'a.txt' }, scope: 'user' })
  t.match(await again.call('edit_file', EDIT, byClient), { status: 'success' })
  t.equal(again.read('a.txt'), 'one\n')
})
