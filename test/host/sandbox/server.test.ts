// Tests of sandboxed commands through a server: until their end and after the server's own.
// tier: full
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { connectWithCurl } from '../../acceptance/fixture.ts'
import { createProject } from '../../cli/toolgate.ts'
import { type Json, startApp, type TestApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { waitUntil } from '../../support/wait.ts'
import { findProcesses } from './fixture.ts'

const settings = { sandbox: defaultSettings().sandbox }
const CANARY = 'canary-in-the-environment-of-the-server'

async function approved(t: Test, { call, post }: TestApp, command: string): Promise<Json> {
  const asked = await call('shell_exec', { command })
  t.match(asked, { status: 'awaiting_approval' }, JSON.stringify(asked.error))
  const { digest } = asked.approval
  const done = await post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true })
  t.match(done, { status: 'success' }, JSON.stringify(done.error))
  return done
}

t.test('sandboxes an approved command, and reports what it plants', needs('sandbox', 'python3'), async t => {
  const app = await startApp(t, { '.env': `TOKEN=${CANARY}`, 'a.txt': 'a\n' }, { settings })
  const { result } = await approved(
    t,
    app,
    'mkdir -p .husky && echo evil >.husky/pre-commit; cat .env; echo b >>a.txt; cat a.txt'
  )
  t.match(result.data, { isolation: 'workspace', stdout: 'a\nb\n', quarantined: ['.husky'] })
  const { quarantine_folder } = result.data
  t.equal(readFileSync(path.join(quarantine_folder, '.husky/pre-commit'), 'utf8'), 'evil\n')
  t.match(
    result.content,
    `too many folders: .husky. They are now in ${quarantine_folder}, with the same relative paths`
  )
  t.equal(app.read('a.txt'), 'a\nb\n')
  t.equal(existsSync(path.join(app.root, '.husky')), false)
})

t.test('reports auto-run files left by a job as it ends, with their location', needs('sandbox', 'python3'), async t => {
  const app = await startApp(t, {}, { settings })
  const events = await app.events()
  const asked = await app.call('shell_background', { command: 'mkdir .husky && echo evil >.husky/pre-commit' })
  await app.post(`/calls/${asked.tool_call_id}/approve`, { digest: asked.approval.digest, confirm: true })
  const [exited] = (await events.type('job.exited')).slice(-1)
  t.match(exited, { exit_code: 0, quarantined: ['.husky'] })
  t.equal(readFileSync(path.join(exited.quarantine_folder, '.husky/pre-commit'), 'utf8'), 'evil\n')
})

t.test('nothing of the server is reachable', needs('sandbox', 'python3'), async t => {
  process.env.TOOLGATE_TEST_CANARY = CANARY
  t.teardown(() => delete process.env.TOOLGATE_TEST_CANARY)
  const app = await startApp(t, {}, { settings })
  const { port } = new URL(app.url)
  const { result } = await approved(
    t,
    app,
    `env; p=/proc; cat $p/[0-9]*/environ; ls ..; /usr/bin/python3 -c "import socket; socket.create_connection(('127.0.0.1', ${port})); print('CONNECTED')"`
  )
  t.notMatch(result.data.output, CANARY)
  t.notMatch(result.data.output, /CONNECTED|^state$/m)
  t.match(result.data, { isolation: 'workspace' })
})

t.test(
  'a killed server takes its commands along, and the next quarantines their leftovers',
  needs('sandbox', 'python3'),
  async t => {
    const at = createProject(t, { 'a.txt': 'a\n' })
    const first = await at.serve()
    const before = connectWithCurl(first)
    const mark = `4321.${process.pid}`
    const { body: asked } = await before.call('shell_exec', {
      command: `mkdir .vscode; (setsid sleep ${mark} &); touch began; sleep ${mark}`
    })
    const { digest } = asked.approval
    await before.post(`/calls/${asked.tool_call_id}/approve?wait_ms=0`, { digest, confirm: true })
    await waitUntil('the command to begin', () => existsSync(path.join(at.project, 'began')))
    t.not(findProcesses(mark).length, 0)
    first.process.kill('SIGKILL')
    await first.ended
    await waitUntil('the command to be gone', () => findProcesses(mark).length === 0)
    t.strictSame(readdirSync(at.project).toSorted(), ['.vscode', 'a.txt', 'began'], 'nothing of ours')

    const second = await at.serve()
    await waitUntil('.vscode to be set aside', () => !existsSync(path.join(at.project, '.vscode')))
    t.strictSame(readdirSync(at.project).toSorted(), ['a.txt', 'began'])
    second.process.kill('SIGTERM')
    await second.ended
  }
)
