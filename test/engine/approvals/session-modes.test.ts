// Tests of the modes of sessions: which calls run without asking, for whom, and until when.
// tier: quick
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { beforeItPasses, timeIn } from '../../expiring.ts'
import { agentToken, CALL_TOKEN, type Json, startApp, type TestApp } from '../../start-app.ts'
import { waitUntil } from '../../support/wait.ts'

const FILES = { 'a.txt': 'one\n', '.env': 'KEY=x\n', 'sub/b.txt': 'two\n' }
const { approval, agents, undo } = defaultSettings()

const as = (token: string) => ({ authorization: `Bearer ${token}` })
const agent = (app: TestApp, token = CALL_TOKEN) => {
  const call = (tool: string, params: object, more?: object): Promise<Json> => app.callAs(token, tool, params, more)
  const edit = (path: string, content: string, more?: object) => call('write_file', { path, content }, more)
  return { call, edit }
}
const setMode = (app: TestApp, mode: string, more: object = {}, session = 'default') =>
  app.request('PUT', `/sessions/${session}/mode`, { mode, ...more })

t.test('accept-edits: edits of files in the workspace run, can be undone, and say why', async t => {
  const app = await startApp(t, FILES)
  const { call, edit } = agent(app)
  t.match(await edit('a.txt', 'x'), { status: 'awaiting_approval', approval: { reason: 'Modifies files.' } })
  const { status, body } = await setMode(app, 'accept-edits')
  t.equal(status, 200)
  t.match(body, {
    ...{ session_id: 'default', workspace: 'default', token_id: 'server:call', mode: 'accept-edits', expires_at: null },
    set_at: /^\d/,
    set_by: /./
  })
  const edited = await edit('a.txt', 'x')
  t.match(edited, {
    status: 'success',
    approved_by: {
      ...{ source: 'mode', mode: 'accept-edits' },
      reason: 'The session mode accept-edits allows this. In mode ask, it would need approval: Modifies files.'
    },
    undo: { available: true }
  })
  t.match(await call('edit_file', { path: 'sub/b.txt', old: 'two', new: 'three' }), { status: 'success' })
  t.match(await call('undo', { tool_call_id: edited.tool_call_id }), { status: 'success' })
  t.equal(app.read('a.txt'), 'one\n')

  const asked = [
    await call('shell_exec', { command: 'touch c.txt' }),
    await edit('.env', 'KEY=y\n'),
    await edit('.vscode/tasks.json', '{}'),
    await call('delete_file', { path: 'a.txt' })
  ]
  t.strictSame(
    asked.map(({ status: now }) => now),
    asked.map(() => 'awaiting_approval'),
    JSON.stringify(asked)
  )
  t.match((await app.request('GET', `/calls/${edited.tool_call_id}`)).body.approved_by, { source: 'mode' })
})

t.test('a change that undo could not take back asks in each mode', async t => {
  const files = { ...FILES, 'large.txt': 'x'.repeat(100), 'folder/large.txt': 'x'.repeat(100) }
  const app = await startApp(t, files, { settings: { undo: { ...undo, max_file_bytes: 50 } } })
  const { call, edit } = agent(app)
  const level = (name: string) => `Undo cannot restore ${name}: the file is larger than \`undo.max_file_bytes\`.`
  for (const mode of ['accept-edits', 'auto']) {
    await setMode(app, mode, { token_id: 'server:call' })
    t.match(await edit('large.txt', 'y'), { approval: { level: 'ask', reason: level('large.txt') } }, mode)
    t.match(await edit('new.txt', 'y'.repeat(100)), { status: 'success' }, 'a new file')
    t.match(await call('undo', { tool_call_id: (await edit('a.txt', mode)).tool_call_id }), { status: 'success' })
    app.write('new.txt', '')
  }
  t.match(await call('delete_file', { path: 'folder', recursive: true }), {
    approval: { level: 'ask', reason: level('folder/large.txt') }
  })
  t.match(await call('delete_file', { path: 'sub', recursive: true }), {
    status: 'success',
    approved_by: { mode: 'auto' }
  })
})

t.test('plan: calls only read', async t => {
  const app = await startApp(t, FILES)
  const { call, edit } = agent(app)
  await setMode(app, 'plan', { token_id: 'server:call' })
  t.match(await call('read_file', { path: 'a.txt' }), { status: 'success' })
  const refused = {
    status: 'error',
    error: {
      code: 'PERMISSION_DENIED',
      message: 'The session is in mode `plan`, which is read-only. A person can change the mode.'
    }
  }
  for (const one of [
    await edit('a.txt', 'x'),
    await edit('new.txt', 'x'),
    await call('shell_exec', { command: 'touch c.txt' }),
    await call('delete_file', { path: 'a.txt' })
  ])
    t.match(one, refused)
  t.match(await edit('a.txt', 'x', { session_id: 'other' }), { status: 'awaiting_approval' }, 'of another session')
})

t.test('a mode is for the session of one token in one workspace', async t => {
  const app = await startApp(t, FILES, { settings: { agents: { ...agents, helper: {} } } })
  await agent(app).edit('a.txt', 'x')
  await setMode(app, 'accept-edits')
  t.match(
    await agent(app, agentToken('helper')).edit('a.txt', 'x'),
    { status: 'awaiting_approval' },
    'of another token'
  )
  t.match((await agent(app).edit('a.txt', 'x')).status, 'success')

  const several = await setMode(app, 'plan')
  t.match(several, {
    status: 400,
    body: { errors: [{ pointer: '/token_id', message: /^is required, because several tokens use the session:/ }] }
  })
  t.match(await setMode(app, 'plan', {}, 'new'), {
    status: 400,
    body: {
      errors: [
        {
          pointer: '/token_id',
          message: "is required, because the session has no calls yet. The server's own call-only token is server:call"
        }
      ]
    }
  })
  t.match(await setMode(app, 'plan', { workspace: 'none' }), { status: 400 })
  t.match(await setMode(app, 'yolo'), { status: 400 })

  const forbidden = await app.request('PUT', '/sessions/default/mode', { mode: 'accept-edits' }, as(CALL_TOKEN))
  t.match(forbidden, { status: 403 }, 'an agent cannot set its own')
  const seen = async (token: string) => (await app.request('GET', '/modes', undefined, as(token))).body
  t.match(await seen(CALL_TOKEN), { default: 'ask', modes: [{ mode: 'accept-edits' }] })
  t.match(await seen(agentToken('helper')), { default: 'ask', modes: [] })
})

t.test('a mode is followed by events, ends at its time or when cleared, and survives a restart', async t => {
  const app = await startApp(t, FILES)
  const events = await app.events('?types=session.mode')
  await agent(app).edit('a.txt', 'x')
  await setMode(app, 'accept-edits', { expires_at: timeIn(600_000) })
  t.match((await events.type('session.mode')).at(-1), {
    session_id: 'default',
    mode: 'accept-edits',
    token_id: 'server:call'
  })
  t.match((await agent(app).edit('a.txt', 'x')).status, 'success')
  await beforeItPasses(async ms => {
    const { status } = await setMode(app, 'accept-edits', { expires_at: timeIn(ms) })
    return status === 200 || undefined
  })
  await waitUntil('the mode to end', async () => (await app.get('/modes')).modes.length === 0)
  const ended = await events.type('session.mode', ({ mode }) => mode === null)
  t.match(ended.at(-1), { session_id: 'default', mode: null })
  t.match(await agent(app).edit('a.txt', 'y'), { status: 'awaiting_approval' })
  t.match(await setMode(app, 'plan', { expires_at: new Date(0).toISOString() }), { status: 400 })

  await setMode(app, 'plan')
  await app.close()
  const next = await startApp(t, {}, { folder: app.folder })
  t.match(await next.get('/modes'), { modes: [{ mode: 'plan', session_id: 'default' }] })
  t.match(await agent(next).edit('a.txt', 'y'), { error: { code: 'PERMISSION_DENIED' } })
  t.match((await next.request('DELETE', '/sessions/default/mode?token_id=server:call')).body, { modes: [] })
  t.match(await agent(next).edit('a.txt', 'y'), { status: 'awaiting_approval' })
})

t.test('the configuration sets the mode of sessions and of agents; rules and denials hold in each', async t => {
  const app = await startApp(t, FILES, {
    settings: {
      approval: { ...approval, mode: 'accept-edits' },
      agents: { ...agents, careful: { mode: 'plan' } },
      tiers: {
        administrator: [{ effect: 'ask', match: { path: 'sub/**' } }],
        user: [{ effect: 'deny', match: { path: 'a.txt', effect: 'write' } }],
        workspace: []
      }
    }
  })
  t.match(await app.get('/modes'), { default: 'accept-edits', modes: [] })
  t.match(await agent(app).edit('sub/b.txt', 'x'), { status: 'awaiting_approval' })
  t.match(await agent(app).edit('a.txt', 'x'), { status: 'rejected' })
  app.write('c.txt', 'three')
  t.match(await agent(app).edit('c.txt', 'x'), { approved_by: { source: 'mode' } })
  t.match(await agent(app, agentToken('careful')).edit('c.txt', 'y'), { error: { code: 'PERMISSION_DENIED' } })
})
