// Tests of a server whose helper process, which starts all programs, cannot be started.
// tier: full
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { startApp, type TestApp, toApproval } from '../../start-app.ts'
import { removeFolder } from '../../support/remove-folder.ts'
import { waitUntil } from '../../support/wait.ts'

const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ456789'
const ATTEMPTS = 3

/** Starts a server whose shell, which the helper is started by, is this script for as long as `repair` is not called. */
async function startBroken(t: Test, script: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-shell-'))
  t.teardown(() => removeFolder(folder))
  const bin = path.join(folder, 'bin')
  const shell = path.join(bin, 'bash')
  mkdirSync(bin)
  writeFileSync(shell, script.replaceAll('FOLDER', folder), { mode: 0o755 })
  const environment = {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
    XDG_CONFIG_HOME: path.join(folder, 'config')
  }
  const app = await startApp(t, { 'a.txt': 'a needle\n' }, { environment })
  const countAttempts = () => {
    const log = path.join(folder, 'attempts')
    return existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0
  }
  return { app, folder, shell, countAttempts, repair: () => rmSync(shell) }
}

const search = (app: TestApp) => app.call('grep', { pattern: 'needle' })

async function run(app: TestApp, command: string) {
  const asked = await app.call('shell_exec', { command })
  await app.post('/approve', toApproval(asked))
  return app.get(`/calls/${asked.tool_call_id}?wait_ms=120000`)
}

async function assertServes(t: Test, app: TestApp) {
  t.match(await app.get('/health'), { version: '0.0.0-test' })
  t.match(await app.call('read_file', { path: 'a.txt' }), { status: 'success', result: { content: /a needle/ } })
}

/** Counts the open sockets of the server, of which an attempt takes two. Only Linux lists them. */
function countSockets(): number {
  const open = process.platform === 'linux' ? readdirSync('/proc/self/fd') : []
  const isSocket = (fd: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith('socket:')
    } catch {
      // Closed meanwhile.
      return false
    }
  }
  return open.filter(isSocket).length
}

t.test('a helper that ends at once fails the calls that need it, until it starts again', async t => {
  const { app, countAttempts, repair } = await startBroken(
    t,
    `#!/bin/sh\necho >>FOLDER/attempts\necho "out of luck, ${SECRET}" >&2\nexit 71\n`
  )
  const waiting = search(app)
  await waitUntil('the first attempt', () => countAttempts() > 0)
  await assertServes(t, app)
  const failure = {
    code: 'EXECUTION_ERROR',
    message:
      'No program can be started: the helper process that starts them failed 3 times. The helper process ended with code 71 before it was ready, ' +
      'and printed "out of luck, [masked: GitHub token]". Check that the user of the server may run the shell and Node.js, and retry: each ' +
      'call tries again.',
    recoverable: false
  }
  const failed = await waiting
  t.equal(failed.status, 'error')
  t.same(failed.error, failure)

  execaSync('git', ['init', '-q', app.root])
  const others = await Promise.all([run(app, 'echo hi'), app.call('git_status', {}), search(app)])
  for (const { error } of others) t.same(error, failure)
  const before = { sockets: countSockets(), attempts: countAttempts() }
  for (let i = 0; i < 3; i += 1) t.same((await search(app)).error, failure)
  t.equal(countAttempts() - before.attempts, 3 * ATTEMPTS)
  await waitUntil('the sockets of the attempts to be closed', () => countSockets() < before.sockets + ATTEMPTS)
  await assertServes(t, app)

  repair()
  t.match(await search(app), { status: 'success', result: { data: { total: 1 } } })
  t.match(await run(app, 'echo hi'), { status: 'success', result: { data: { stdout: 'hi\n' } } })
})

t.test('a helper that the system refuses to start fails the calls that need it, until it starts again', async t => {
  const { app, shell, repair } = await startBroken(t, '#!FOLDER/missing\n')
  const [failed] = await Promise.all([search(app), assertServes(t, app)])
  t.equal(failed.status, 'error')
  t.same(failed.error, {
    code: 'EXECUTION_ERROR',
    message:
      `No program can be started: the helper process that starts them failed 3 times. Error: spawn ${shell} ENOENT. ` +
      'Check that the user of the server may run the shell and Node.js, and retry: each call tries again.',
    recoverable: false
  })
  const before = countSockets()
  for (let i = 0; i < 3; i += 1) await search(app)
  await waitUntil('the sockets of the attempts to be closed', () => countSockets() < before + ATTEMPTS)
  repair()
  t.match(await search(app), { status: 'success', result: { data: { total: 1 } } })
})

t.test('a helper that never answers fails the calls that need it, and does not hold up the shutdown', async t => {
  const { app, folder } = await startBroken(t, '#!/bin/sh\necho $$ >>FOLDER/attempts\nexec sleep 1000\n')
  const events = await app.events()
  const { tool_call_id } = await app.post('/calls?wait_ms=0', { tool: 'grep', params: { pattern: 'needle' } })
  await assertServes(t, app)
  const isEnd = (event: { tool_call_id: string }) => event.tool_call_id === tool_call_id
  await events.type('tool.result', isEnd)
  const failed = await app.get(`/calls/${tool_call_id}`)
  t.match(failed, {
    status: 'error',
    error: {
      code: 'EXECUTION_ERROR',
      message:
        'No program can be started: the helper process that starts them failed. The helper process was not ready within 8 s. Check that the user ' +
        'of the server may run the shell and Node.js, and retry: each call tries again.'
    }
  })
  const pids = () => readFileSync(path.join(folder, 'attempts'), 'utf8').trim().split('\n').map(Number)
  const before = pids().length
  await app.post('/calls?wait_ms=0', { tool: 'grep', params: { pattern: 'needle' } })
  await waitUntil('another attempt', () => pids().length > before)
  await app.close()
  for (const pid of pids()) t.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
})
