// tier: full
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { isProcessRunning } from '../../src/host/processes/pids.ts'
import { connectWithCurl } from '../acceptance/fixture.ts'
import { waitUntil } from '../support/wait.ts'
import { createProject } from './toolgate.ts'

t.test('a kill during a hook interrupts the call, and leaves nothing of the hook', async t => {
  const at = createProject(t, { 'a.txt': 'one\n' })
  const mark = path.join(at.folder, 'pid')
  const hook = {
    when: 'before',
    command: ['sh', '-c', `echo $$ > ${mark}.new; mv ${mark}.new ${mark}; sleep 600`],
    isolation: 'none',
    timeout_ms: 60_000
  }
  mkdirSync(path.join(at.home, '.config/toolgate'), { recursive: true })
  writeFileSync(path.join(at.home, '.config/toolgate/config.jsonc'), JSON.stringify({ hooks: [hook] }))
  const first = await at.serve()
  const { body: asked } = await connectWithCurl(first).post('/calls?wait_ms=0', {
    tool: 'read_file',
    params: { path: 'a.txt' }
  })
  t.equal(asked.status, 'queued')
  await waitUntil('the hook to begin', () => existsSync(mark))
  const pid = Number(readFileSync(mark, 'utf8'))
  t.ok(isProcessRunning(pid))
  first.process.kill('SIGKILL')
  await first.ended

  writeFileSync(path.join(at.home, '.config/toolgate/config.jsonc'), '{}')
  const after = connectWithCurl(await at.serve())
  t.match(await after.get(`/calls/${asked.tool_call_id}`), { status: 'interrupted', params: { path: 'a.txt' } })
  await waitUntil('the hook to end', () => !isProcessRunning(pid))
})

t.test("lists a repository's hook, and runs it once trusted", async t => {
  const config = { hooks: [{ name: 'theirs', when: 'before', command: ['sh', 'check.sh'] }] }
  const at = createProject(t, { 'check.sh': 'echo no >&2; exit 2\n', '.toolgate/config.jsonc': JSON.stringify(config) })
  const server = connectWithCurl(await at.serve())
  const read = async () => (await server.call('read_file', { path: 'check.sh' })).body
  const state = async () => (await server.get('/capabilities')).hooks[0].state
  t.equal(await state(), 'untrusted')
  t.match(await read(), { status: 'success' })

  t.match(await at.toolgate(['trust', '.toolgate/config.jsonc', '--yes']), { code: 0 })
  await waitUntil('the hook to be trusted', async () => (await state()) !== 'untrusted')
  t.match(await read(), { status: 'rejected', reason: 'The hook theirs rejected the call: no' })

  writeFileSync(path.join(at.project, 'check.sh'), 'exit 0\n')
  t.match(await read(), {
    status: 'rejected',
    reason: /check\.sh has changed since it was trusted\. To review and trust it, run: toolgate trust '/
  })
  t.match(await at.toolgate(['trust', '--revoke', '.toolgate/config.jsonc']), { code: 0 })
  await waitUntil('the hook to be revoked', async () => (await state()) !== 'ready')
  t.match(await read(), { status: 'success' })
})
