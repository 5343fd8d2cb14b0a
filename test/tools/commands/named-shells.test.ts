// Named shells: the folder and the exported variables that one command leaves to the next.
// tier: full
import { mkdirSync, rmdirSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { CALL_TOKEN, type Json, type StartOptions, startApp, type TestApp, toApproval } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'

const SHELL = { shell: 'dev' }

/** Runs a line in the shell, approving it if required. */
async function run(app: TestApp, command: string, params: object = {}, more: object = {}): Promise<Json> {
  const call = await app.call('shell_exec', { command, ...SHELL, ...params }, more)
  if (call.status !== 'awaiting_approval') return call
  return app.post('/approve?wait_ms=120000', { ...toApproval(call), confirm: true })
}

const list = async (app: TestApp, session = 'default'): Promise<Json> =>
  (await app.get(`/sessions/${session}/shells`)).shells

/** Lists shells without the time of their last command. */
const listStates = async (app: TestApp, session?: string) =>
  (await list(app, session)).map(({ updated_at: _, ...state }: Json) => state)

const SANDBOXED: StartOptions = { settings: { sandbox: defaultSettings().sandbox } }
const PRINT = 'pwd | sed "s|.*/||"; echo "$GREETING"'

async function carriesState(app: TestApp, isolation: string) {
  mkdirSync(path.join(app.root, 'sub/deep'), { recursive: true })
  const first = await run(app, "cd sub; export GREETING='a b\nc' OTHER=1; HIDDEN=2; touch made.txt; exit 3")
  t.match(first.result.data, {
    exit_code: 3,
    isolation,
    output: '',
    shell: { cwd: 'sub', variables: ['GREETING', 'OTHER'] }
  })
  const second = await run(app, `${PRINT}; echo "[$HIDDEN]"; cd deep && unset OTHER; touch made.txt; false`)
  t.match(second.result.data, { exit_code: 1, output: 'sub\na b\nc\n[]\n' })
  t.strictSame(second.result.data.shell, { cwd: 'sub/deep', variables: ['GREETING'] })
  t.match((await run(app, PRINT)).result.data, { output: 'deep\na b\nc\n' })
  t.match((await run(app, PRINT, { shell: 'other' })).result.data, { output: 'ws\n\n' }, 'another shell')
}

t.test('a shell carries its folder and its exported variables', async t => {
  const app = await startApp(t)
  await carriesState(app, 'none')

  t.test('which the params of a call override for it alone', async t => {
    const call = await run(app, PRINT, { cwd: 'sub', env: { GREETING: 'now', MORE: '1' } })
    t.match(call.result.data, { output: 'sub\nnow\n', shell: { cwd: 'sub', variables: ['GREETING'] } })
    t.match((await run(app, PRINT)).result.data, { output: 'sub\na b\nc\n' })
  })

  t.test('and shows them to the approver, as if they were params', async t => {
    const call = await app.call('shell_exec', { command: 'echo x >y', ...SHELL })
    t.equal(call.approval.preview.text, 'echo x >y\ncwd: sub\nenv: GREETING=a b\n    c\nshell: dev')
    await run(app, 'cd ..')
    const outdated = await app.post('/approve?wait_ms=120000', { ...toApproval(call), confirm: true })
    t.match(outdated, { status: 409, code: 'PREVIEW_CHANGED' })
    t.match((await app.get(`/calls/${call.tool_call_id}`)).approval.preview.text, /^cwd: \.$/m)
    await app.post('/reject', { tool_call_id: call.tool_call_id })
  })

  t.test('across restarts, until it is reset', async t => {
    t.strictSame(await listStates(app), [
      { name: 'dev', cwd: '.', variables: ['GREETING'] },
      { name: 'other', cwd: '.', variables: [] }
    ])
    await app.close()
    const again = await startApp(t, {}, { folder: app.folder })
    t.match((await run(again, PRINT)).result.data, { output: 'ws\na b\nc\n' })
    const { body } = await again.request('DELETE', '/sessions/default/shells/dev')
    t.match(body.shells, [{ name: 'other' }])
    t.match((await run(again, PRINT)).result.data, { output: 'ws\n\n' })
    t.match(await again.request('DELETE', '/sessions/default/shells/never'), {
      status: 404,
      body: { code: 'NOT_FOUND' }
    })
  })
})

t.test('shells of other sessions and tokens are separate', async t => {
  const app = await startApp(t)
  await run(app, 'export WHO=person')
  const authorization = { authorization: `Bearer ${CALL_TOKEN}` }
  const body = { tool: 'shell_exec', params: { command: 'export WHO=agent; echo "[$WHO]"', ...SHELL } }
  const call = await app.post('/calls', body, authorization)
  await app.post('/approve?wait_ms=120000', { ...toApproval(call), confirm: true })
  t.match((await run(app, 'echo "[$WHO]"')).result.data, { output: '[person]\n' })
  t.match((await run(app, 'echo "[$WHO]"', {}, { session_id: 'second' })).result.data, { output: '[]\n' })
  const own = await app.request('GET', '/sessions/default/shells', undefined, authorization)
  t.match(own.body.shells, [{ name: 'dev', token_id: 'server:call', variables: ['WHO'] }])
  t.equal(own.body.shells.length, 1)
  t.strictSame((await app.request('GET', '/sessions/second/shells', undefined, authorization)).body.shells, [])
  t.strictSame(await listStates(app, 'unused'), [])
  t.strictSame(await listStates(app), [
    { name: 'dev', cwd: '.', variables: ['WHO'] },
    { name: 'dev', token_id: 'server:call', cwd: '.', variables: ['WHO'] }
  ])
  const reset = (query = '', headers = {}) =>
    app.request('DELETE', `/sessions/default/shells/dev${query}`, undefined, headers)
  t.match((await reset()).body.shells, [{ token_id: 'server:call' }], "the person's comes first")
  t.match((await reset('?token_id=server:agent:other')).status, 404)
  t.strictSame((await reset('', authorization)).body.shells, [])
})

t.test('what cannot be carried over is reported', async t => {
  const app = await startApp(t, { 'sub/a.txt': '' })
  const outside = await run(app, 'export KEPT=1; cd /')
  t.match(outside.result.data.shell, { cwd: '.', variables: ['KEPT'], note: /outside the workspace/ })
  t.match(outside.result.content, /\n?\[At the end of the command, the shell was outside the workspace/)
  const large = await run(app, 'cd sub; export LARGE=$(head -c 40000 /dev/zero | tr "\\0" x)')
  t.match(large.result.data.shell, { cwd: 'sub', variables: ['KEPT'], note: /More than 32768 bytes/ })
  for (const command of ['exec true', 'trap - EXIT; cd ..', 'kill -9 $$']) {
    const lost = await run(app, command)
    t.match(lost.result.data.shell, { cwd: 'sub', variables: ['KEPT'], note: /not saved/ }, command)
  }
  await run(app, 'rm a.txt')
  rmdirSync(path.join(app.root, 'sub'))
  const { error } = await app.call('shell_exec', { command: 'pwd', ...SHELL })
  t.match(error, {
    code: 'FILE_NOT_FOUND',
    message: /The working folder sub of the shell dev no longer exists/
  })
  t.match((await run(app, 'true', { cwd: '.' })).result.data.shell, { cwd: '.' })
})

t.test('variables by which other programs run need strict approval in later calls', needs('sandbox'), async t => {
  const app = await startApp(t, {}, SANDBOXED)
  const unasked = await app.call('shell_exec', { command: 'ls', ...SHELL })
  t.match(unasked, { status: 'success', approved_by: { source: 'auto' } })
  t.strictSame(unasked.result.data.shell, { cwd: '.', variables: [] })
  await run(app, 'export PATH="$PWD/bin:$PATH" LD_PRELOAD=/x.so; touch made.txt')
  const call = await app.call('shell_exec', { command: 'ls', ...SHELL })
  t.match(call, {
    status: 'awaiting_approval',
    approval: { level: 'strict', preview: { text: /^env: PATH=\S+\/ws\/bin:/m } }
  })
  t.match(call.approval.preview.text, 'env: LD_PRELOAD=/x.so')
})

t.test('secrets in variables are masked', async t => {
  process.env.SHELL_SECRET = 'k3-known-to-the-server-9x'
  t.teardown(() => delete process.env.SHELL_SECRET)
  const app = await startApp(t)
  await run(app, 'export COPY=k3-known-to-the-; COPY="$COPY"server-9x')
  const call = await app.call('shell_exec', { command: 'echo x >y', ...SHELL })
  t.match(call.approval.preview.text, /^env: COPY=\[masked: SHELL_SECRET\]$/m)
  t.notMatch(JSON.stringify([call, await list(app)]), 'k3-known-to-the-server-9x')
})

t.test('rejects invalid names, and calls that do not wait for the end', async t => {
  const app = await startApp(t)
  const fault = async (params: object) => {
    const call = await app.call('shell_exec', { command: 'true', ...params })
    return call.error ?? call
  }
  for (const shell of ['', 'A', 'a b', '../x', 'x'.repeat(33)])
    t.match(await fault({ shell }), { code: 'INVALID_PARAMS' }, shell)
  t.match(await fault({ ...SHELL, wait_ms: 1 }), { code: 'INVALID_PARAMS', message: /wait_ms.*shell/ })
  for (let i = 0; i < 16; i += 1) await run(app, 'true', { shell: `s${i}` })
  t.match(await fault({ shell: 'one-more' }), { code: 'QUOTA_EXCEEDED', detail: /16 shells/ })
})

t.test('works in a sandbox', needs('sandbox'), async t => {
  await carriesState(await startApp(t, {}, SANDBOXED), 'workspace')
})
