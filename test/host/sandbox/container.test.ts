// Tests of a server that cannot sandbox its commands, as in a container: its namespace forbids new ones.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { connectWithCurl, type Json } from '../../acceptance/fixture.ts'
import { createProject, type ReadyLine } from '../../cli/toolgate.ts'
import { LSP_PROJECTS, writeFiles } from '../../e2e/language-servers/projects.ts'
import { snapshotFolder } from '../../snapshot-folder.ts'
import { needs } from '../../support/needs.ts'
import { exitOf, once, within } from '../../support/wait.ts'

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url))
const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

/** `level` is the server's setting. */
async function contained(t: Test, level: string) {
  const at = createProject(t, { 'a.txt': 'a\n' })
  const bwrap = [
    ...['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--ro-bind', PROJECT, PROJECT],
    ...['--bind', at.folder, at.folder],
    ...['--unshare-user', '--disable-userns', '--unshare-pid', '--unshare-cgroup', '--die-with-parent']
  ]
  const serve = ['serve', '--ready', 'json', '--log-level', 'info', '--exit-with-stdin']
  const server = spawn('bwrap', [...bwrap, process.execPath, MAIN, ...serve], {
    cwd: at.project,
    env: {
      PATH: process.env.PATH,
      HOME: at.home,
      TOOLGATE_ADMIN_CONFIG: `${at.folder}/none`,
      TOOLGATE_SANDBOX_LEVEL: level,
      // Set like a container engine does for the first process.
      container: 'test'
    }
  })
  const ended = exitOf(server)
  t.teardown(async () => {
    server.kill('SIGKILL')
    await within('the killed server to end', ended)
  })
  let said = ''
  server.stderr.setEncoding('utf8').on('data', text => {
    said += text
  })
  const [line] = await Promise.race([
    once(createInterface({ input: server.stdout }), 'line'),
    ended.then(() => Promise.reject(new Error(said)))
  ])
  const spoken = connectWithCurl(JSON.parse(line) as ReadyLine)
  const approve = async ({ tool_call_id, approval: { digest } }: Json): Promise<Json> => {
    const { body } = await spoken.post(`/calls/${tool_call_id}/approve?wait_ms=60000`, { digest, confirm: true })
    return body
  }
  async function logged(words: string) {
    while (!said.includes(words)) await once(server.stderr, 'data')
  }
  return { ...spoken, approve, logged, project: at.project }
}

t.test('without a sandbox nothing is auto-approved, and everything says so', needs('bwrap'), async t => {
  const { call, get, approve, logged } = await contained(t, 'auto')
  const { isolation } = await get('/capabilities')
  t.equal(isolation.default, 'none')
  t.match(isolation.levels, [{ level: 'none', holds: true }, { holds: false }, { holds: false }])
  for (const { level, reason } of isolation.levels.slice(1)) t.match(reason, /./, `why ${level} does not hold`)
  await logged('sandbox not available')
  const { body: asked } = await call('shell_exec', { command: 'cat a.txt' })
  t.match(asked, { status: 'awaiting_approval', approval: { reason: /^Nothing keeps the command here: / } })
  t.match(asked.approval.preview.notes.join('\n'), 'Isolation none: nothing keeps it')
  t.match((await approve(asked)).result.data, { stdout: 'a\n', isolation: 'none' })
  const { body: kept } = await call('shell_exec', { command: 'cat a.txt', isolation: 'read-only' })
  t.match(kept, { status: 'error', error: { code: 'SANDBOX_UNAVAILABLE' } })
  const { body: code } = await call('run_code', { language: 'bash', code: 'echo hi' })
  t.match(code, { status: 'error', error: { code: 'SANDBOX_UNAVAILABLE' } })
})

t.test('if the container is the sandbox, no command is auto-approved', needs('bwrap'), async t => {
  const { call, approve } = await contained(t, 'container')
  for (const command of ['cat a.txt', 'ls', 'echo x | sed s/x/a/', 'git status']) {
    const { body } = await call('shell_exec', { command })
    t.match(
      body,
      {
        status: 'awaiting_approval',
        approval: { level: 'ask', reason: 'Only reads, but no sandbox enforces that.' }
      },
      command
    )
  }
  const { body: asked } = await call('shell_exec', { command: 'cat a.txt' })
  t.match((await approve(asked)).result.data, { stdout: 'a\n', isolation: 'container' })
})

t.test('if the container is the sandbox, code requires approval and runs in it', needs('bwrap'), async t => {
  const { call, get, approve } = await contained(t, 'container')
  const { isolation } = await get('/capabilities')
  t.equal(isolation.default, 'container')
  t.match(isolation.levels.at(-1), { level: 'container', holds: true, lacks: [/./] })
  const { body: asked } = await call('run_code', { language: 'bash', code: 'cat a.txt; echo made >b.txt; cat b.txt' })
  t.match(asked, {
    status: 'awaiting_approval',
    approval: { level: 'ask', reason: /^Not sandboxed: a container cannot limit the command to reading/ }
  })
  t.match(asked.approval.preview.notes.join('\n'), 'Isolation container: it may do what the server may')
  t.match((await approve(asked)).result.data, { stdout: 'a\nmade\n', isolation: 'container' })
  const { body: line } = await call('shell_exec', { command: 'echo x >c.txt; cat c.txt' })
  t.match(line, { status: 'awaiting_approval' })
  t.match((await approve(line)).result.data, { stdout: 'x\n', isolation: 'container' })
})

const fixture = LSP_PROJECTS.find(({ server }) => server === 'clangd')!

t.test('an unsandboxed language server requires approval', needs('bwrap', 'clangd'), async t => {
  const { call, get, approve, project } = await contained(t, 'auto')
  writeFiles(fixture, project)
  const before = snapshotFolder(project)
  const { body: asked } = await call('diagnostics', { path: fixture.file })
  t.match(asked, { status: 'awaiting_approval', approval: { reason: /language server, and nothing keeps that/ } })
  t.same((await get('/capabilities')).language_servers, [], 'none was started to ask that')
  const { status, counts, answered } = (await approve(asked)).result.data
  t.match({ status, counts, answered }, { status: 'complete', counts: { error: 1 }, answered: [{ server: 'clangd' }] })
  const { body: again } = await call('definition', { path: fixture.file, line: 5, symbol: 'shout' })
  t.equal(again.status, 'awaiting_approval', 'whoever asks again is asked again')
  const [place] = (await approve(again)).result.data.places
  t.match(place, { path: 'shout.h', line: 2, column: 5 })
  t.same(snapshotFolder(project), before, 'it wrote nothing into the project')
})
