// tier: full
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { isProcessRunning } from '../../src/host/processes/pids.ts'
import { BUILT_PROGRAM } from '../cli/toolgate.ts'
import { once, run } from '../support/wait.ts'
import { connectWithCurl, createGitProject } from './fixture.ts'

t.test('starts in the background, is found again, replaced and stopped', async t => {
  const at = createGitProject(t, { 'a.txt': 'a\n' })
  const json = async (...argv: string[]) => {
    const { code, stdout, stderr } = await at.program(argv)
    t.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  const first = await json('serve', '--detach', '--ready', 'json')
  t.teardown(() => isProcessRunning(first.pid) && process.kill(first.pid, 'SIGKILL'))
  t.match(await connectWithCurl(first).call('read_file', { path: 'a.txt' }), {
    status: 200,
    body: { status: 'success' }
  })
  t.match(await at.program(['serve']), { code: 6, stdout: '' })
  t.match(await json('serve', '--reuse', '--ready', 'json'), { instance: first.instance, pid: first.pid })
  t.match(await json('serve', '--reuse', '--detach', '--ready', 'json'), { instance: first.instance })
  const second = await json('serve', '--replace', '--detach', '--ready', 'json')
  t.teardown(() => isProcessRunning(second.pid) && process.kill(second.pid, 'SIGKILL'))
  t.notOk(isProcessRunning(first.pid))
  t.not(second.instance, first.instance)
  t.match(await connectWithCurl(second).get('/calls'), { calls: [{ tool: 'read_file' }] }, 'the journal is the same')
  t.match(await at.program(['stop']), { code: 0 })
  t.notOk(isProcessRunning(second.pid))
})

t.test('exits with the program that started it', async t => {
  const at = createGitProject(t)
  const server = await at.serve('--exit-with-stdin')
  server.process.stdin.end()
  t.match(await server.ended, { code: 0, stderr: '' })
})

t.test('also listens on a unix socket', async t => {
  const at = createGitProject(t, { 'a.txt': 'a\n' })
  const socket = path.join(at.folder, 'run', 'toolgate.sock')
  const started = await at.serve('--socket', socket)
  t.equal(started.socket, socket)
  t.equal(statSync(socket).mode & 0o777, 0o600)
  const server = connectWithCurl({ ...started, url: 'http://localhost' })
  const read = await server.post('/calls', { tool: 'read_file', params: { path: 'a.txt' } }, { socketPath: socket })
  t.match(read, { status: 200, body: { status: 'success' } })
  t.match(await server.raw('/tools', { socketPath: socket, token: undefined }), { status: 401 })
})

t.test('starts read-only', async t => {
  const at = createGitProject(t, { 'a.txt': 'a\n' })
  const server = connectWithCurl(await at.serve('--read-only'))
  t.match(await server.call('read_file', { path: 'a.txt' }), { body: { status: 'success' } })
  for (const [tool, params] of [
    ['write_file', { path: 'new.txt', content: '' }],
    ['edit_file', { path: 'a.txt', old: 'a', new: 'b' }],
    ['shell_exec', { command: 'touch new.txt' }]
  ] as const)
    t.match((await server.call(tool, params)).body, {
      status: 'error',
      error: {
        code: 'PERMISSION_DENIED',
        message: 'The server is read-only: the setting `read_only` denies calls that can change something.'
      }
    })
  t.match(await server.get('/capabilities'), { read_only: true })
  t.equal(at.git('status', '--porcelain'), '')
})

t.test('serves two named roots', async t => {
  const at = createGitProject(t, { 'a.txt': 'of the project\n' })
  const lib = path.join(at.folder, 'lib')
  mkdirSync(lib)
  writeFileSync(path.join(lib, 'a.txt'), 'of the library\n')
  const started = await at.serve('--root', 'app=.', '--root', `lib=${lib}`)
  const server = connectWithCurl(started)
  t.same(started.roots, [at.project, lib])
  const content = async (workspace: string) =>
    (await server.call('read_file', { path: 'a.txt' }, { workspace })).body.result.data.content
  t.equal(await content('app'), 'of the project\n')
  t.equal(await content('lib'), 'of the library\n')
  t.match(await server.call('read_file', { path: 'a.txt' }), {
    status: 400,
    body: { code: 'INVALID_PARAMS', errors: [{ pointer: '/workspace' }] }
  })
  t.match((await server.call('read_file', { path: path.join(lib, 'a.txt') }, { workspace: 'app' })).body, {
    status: 'error',
    error: { code: 'INVALID_PATH' }
  })
  t.match(await at.program(['status', '--root', lib, '--json']), { code: 0, stdout: new RegExp(started.instance) })
})

t.test('starts the installed Node instead of an outdated one', async t => {
  const program = `Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } }); process.argv.splice(1, 0, 'toolgate', '--version'); require(${JSON.stringify(BUILT_PROGRAM)})`
  const { stdout } = await run(process.execPath, ['-e', program])
  t.match(stdout, /^toolgate \d+\.\d+\.\d+\n$/)
})

t.test('exits silently on a broken pipe, like other programs', async t => {
  const at = createGitProject(t)
  const child = at.start(['--help'])
  child.stdout.destroy()
  const [code] = await once(child, 'exit')
  t.equal(code, 141)
})
