// Tests that no call acts in a folder that is not the one that is served: the folder of a workspace is moved, deleted, replaced or unmounted.
// tier: full
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { type Json, startApp, toApproval } from '../start-app.ts'
import { needs } from '../support/needs.ts'

const CALLS: [string, object][] = [
  ['read_file', { path: 'a.txt' }],
  ['list_directory', { path: '.' }],
  ['glob', { pattern: '*' }],
  ['grep', { pattern: 'one' }],
  ['write_file', { path: 'new.txt', content: 'x' }],
  ['edit_file', { path: 'a.txt', old: 'one', new: 'two' }],
  ['delete_file', { path: 'a.txt' }],
  ['apply_patch', { patch: '*** Begin Patch\n*** Add File: p.txt\n+x\n*** End Patch\n' }],
  ['git_status', {}],
  ['shell_exec', { command: 'ls' }],
  ['shell_exec', { command: 'touch made' }],
  ['run_code', { language: 'bash', code: 'ls' }],
  ['symbols', { path: 'a.txt' }]
]

async function start(t: Test) {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const { root } = app
  const stream = await app.events()
  const checkGone = async (reason: RegExp) => {
    for (const [tool, params] of CALLS) {
      const call = await app.call(tool, params)
      t.match(call, { error: { code: 'WORKSPACE_GONE', message: reason, recoverable: true, details: { root } } }, tool)
      t.notOk('changes' in call, tool)
    }
    for (const [method, body] of [['GET'], ['PUT', 'x']] as const) {
      const headers = { 'content-type': 'application/octet-stream' }
      const reply = await app.request(method, '/files/up.txt', body, body ? headers : {})
      t.match(reply.body, { code: 'WORKSPACE_GONE' }, method)
    }
    const [workspace] = (await app.get('/capabilities')).workspaces
    t.match(workspace, { name: 'default', available: false, unavailable_reason: reason })
    t.match((await stream.type('workspace.changed')).at(-1), { workspace: 'default', available: false, reason })
  }
  const checkThere = async () => {
    t.match(await app.call('read_file', { path: 'a.txt' }), {
      status: 'success',
      result: { data: { content: 'one\n' } }
    })
    t.match((await app.get('/capabilities')).workspaces, [{ available: true }])
    t.match((await stream.type('workspace.changed')).at(-1), { workspace: 'default', available: true })
  }
  return { ...app, stream, checkGone, checkThere }
}

const MISSING = /^The folder .* no longer exists\. Restore the folder, or restart the server/
const REPLACED = /^.* is no longer the folder that the server opened/

t.test('a folder that is moved away is gone, and there again when it is back', async t => {
  const app = await start(t)
  const { root } = app
  renameSync(root, `${root}-moved`)
  await app.checkGone(MISSING)
  t.notOk(existsSync(root))
  mkdirSync(root)
  await app.checkGone(REPLACED)
  t.strictSame([readdirSync(root), readdirSync(`${root}-moved`)], [[], ['a.txt']], 'nothing is written anywhere')
  rmSync(root, { recursive: true })
  renameSync(`${root}-moved`, root)
  await app.checkThere()
})

t.test('a folder that is deleted and made again is another one, until the server is restarted', async t => {
  const app = await start(t)
  const { root, folder, settings } = app
  const waiting = await app.call('edit_file', { path: 'a.txt', old: 'one', new: 'two' })
  const cached = await app.call('read_file', { path: 'a.txt' })
  t.match(cached, { status: 'success' })
  rmSync(root, { recursive: true })
  mkdirSync(root)
  writeFileSync(path.join(root, 'a.txt'), 'one\n')
  await app.checkGone(REPLACED)
  const decision = await app.request('POST', '/approve', toApproval(waiting))
  t.match(decision.body, { code: 'WORKSPACE_GONE' })
  t.match(await app.get(`/calls/${waiting.tool_call_id}`), { status: 'awaiting_approval' }, 'it waits on')
  await app.close()

  const again = await startApp(t, {}, { folder, settings })
  t.match(await again.call('read_file', { path: 'a.txt' }), { status: 'success' })
  t.match(await again.post('/approve?wait_ms=120000', toApproval(waiting)), { status: 'success' })
  t.equal(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'two\n')
})

t.test('jobs of a workspace that is gone can be stopped', async t => {
  const app = await start(t)
  const asked = await app.call('shell_background', { command: 'sleep 600' })
  const job = await app.post('/approve?wait_ms=120000', toApproval(asked))
  renameSync(app.root, `${app.root}-moved`)
  const { result } = job as Json
  const stop = await app.call('stop_background_task', { task_id: result.data.task_id })
  t.match(stop.status === 'awaiting_approval' ? await app.post('/approve?wait_ms=120000', toApproval(stop)) : stop, {
    status: 'success'
  })
  renameSync(`${app.root}-moved`, app.root)
})

t.test('a link to the workspace that leads elsewhere now makes it another one', async t => {
  const base = await startApp(t, { 'a.txt': 'one\n' })
  await base.close()
  const { folder, settings, root } = base
  const link = path.join(folder, 'current')
  symlinkSync(root, link)
  const app = await startApp(t, {}, { folder, settings: { ...settings, roots: [{ name: 'default', path: link }] } })
  t.match(await app.call('read_file', { path: `${link}/a.txt` }), { status: 'success' })
  mkdirSync(path.join(folder, 'other'))
  rmSync(link)
  symlinkSync(path.join(folder, 'other'), link)
  t.match(await app.call('read_file', { path: `${link}/a.txt` }), { error: { code: 'WORKSPACE_GONE' } })
})

t.test(
  'a file system that is mounted over the workspace, or unmounted, makes it another one',
  needs('mount'),
  async t => {
    const app = await start(t)
    execaSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', app.root])
    t.teardown(() => {
      if (existsSync(app.root) && !existsSync(path.join(app.root, 'a.txt'))) execaSync('umount', ['-l', app.root])
    })
    await app.checkGone(REPLACED)
    t.strictSame(readdirSync(app.root), [])
    execaSync('umount', ['-l', app.root])
    await app.checkThere()
  }
)
