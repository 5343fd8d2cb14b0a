// tier: quick
// run: alone (a process remembers which levels hold, and probes them once)
// Which levels a server has, and what it does where one does not hold.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { ToolError } from '../../../src/errors.ts'
import { isProcessRunning } from '../../../src/host/processes/pids.ts'
import { explainSetupFailure } from '../../../src/host/sandbox/bubblewrap/setup-errors.ts'
import { splitEnvironment } from '../../../src/host/sandbox/bubblewrap/split-environment.ts'
import { GuardedWorkspaces } from '../../../src/host/sandbox/guard/guarded-workspaces.ts'
import { probe } from '../../../src/host/sandbox/probe.ts'
import type { LevelState } from '../../../src/host/sandbox/sandbox.ts'
import type { SandboxBackend } from '../../../src/host/sandbox/sandbox-backend.ts'
import { SandboxManager } from '../../../src/host/sandbox/sandbox-manager.ts'
import { unsandboxedState } from '../../../src/host/sandbox/unsandboxed.ts'
import type { IsolationLevel } from '../../../src/protocol/isolation-levels.ts'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { once, waitUntil, within } from '../../support/wait.ts'
import { processLines, SECRET, startSandboxFixture } from './fixture.ts'

const { sandbox } = defaultSettings()
const program = { file: '/bin/true', args: [], cwd: '/', env: {} }
const nowhere = { name: 'x', root: '/x', fd: -1 } as unknown as Parameters<SandboxManager['confine']>[2]

/** Lists self-test processes that use this folder. */
const probesIn = (folder: string) =>
  processLines().filter(line => line.includes('toolgate-probe-') && line.includes(folder))

const keeper: SandboxBackend = {
  name: 'bubblewrap',
  findMissing: async () => undefined,
  lacks: async () => [],
  canGrantHosts: true,
  confine: async ({ file, args, cwd, env }) => ({
    file,
    args: ['kept', ...args],
    cwd,
    env,
    inherit: [],
    isSandbox: true,
    released: async () => ({ quarantined: [] })
  })
}
const unkept = async (): Promise<LevelState> => ({ level: 'none', holds: true, lacks: ['much'] })
const workspaces = new GuardedWorkspaces({ stateDir: '/nonexistent', sensitive: [] })
const reason = 'It was tried out.'
const container = async (): Promise<LevelState> => ({ level: 'container', holds: false, reason })
const own = {
  backends: [keeper],
  workspaces,
  unsandboxed: unkept,
  container,
  temporary: '/nonexistent',
  ownPorts: () => [],
  environment: {}
}

function levels(configuredLevel: IsolationLevel | 'auto', holds: boolean) {
  return new SandboxManager({
    ...own,
    configuredLevel,
    probe: async (_backend, level) => (holds ? { level, holds } : { level, holds, reason })
  })
}

const refusal = (level: string) => ({
  code: 'SANDBOX_UNAVAILABLE',
  message: new RegExp(`^Isolation ${level} is not available: `)
})

t.test('auto selects workspace if it works, else none', async t => {
  for (const [holds, wanted] of [
    [true, 'workspace'],
    [false, 'none']
  ] as const) {
    const own = levels('auto', holds)
    await own.states()
    t.equal(own.default, wanted)
  }
})

t.test('never replaces a level that does not work', async t => {
  for (const level of ['workspace', 'read-only', 'container'] as const)
    for (const wanted of ['auto', 'none', level] as const) {
      const own = levels(wanted, false)
      await t.rejects(
        own.confine(program, { level, network: [] }, nowhere),
        refusal(level),
        `${level}, ${wanted} is set`
      )
      await own.states()
      t.equal(own.default, wanted === 'auto' ? 'none' : wanted, 'what is set stays')
    }
})

t.test('retries the self-test of a container that does not protect the server', async t => {
  let backend: 'landlock' | undefined
  const retried = new SandboxManager({
    ...own,
    configuredLevel: 'container',
    container: async () => ({ level: 'container', holds: true, lacks: ['a user other than root'] }),
    retryAfterMs: 0,
    probe: async (_backend, level) =>
      level !== 'container'
        ? { level, holds: true }
        : backend
          ? { level, holds: true, backend, lacks: ['names'] }
          : { level, holds: false, reason }
  })
  const container = async () => (await retried.states()).find(({ level }) => level === 'container')
  t.strictSame(await container(), {
    level: 'container',
    holds: true,
    lacks: [
      `isolation of commands from each other, from the server and from its files (${reason})`,
      'a user other than root'
    ]
  })
  t.match(await retried.confine(program, { level: 'container', network: [] }, nowhere), { isSandbox: false })
  backend = 'landlock'
  t.strictSame(
    await waitUntil('the server to be protected', async () => ((await container())?.backend ? container() : undefined)),
    {
      level: 'container',
      holds: true,
      backend,
      lacks: ['names', 'a user other than root']
    }
  )
  t.match(await retried.confine(program, { level: 'container', network: [] }, nowhere), {
    args: ['kept'],
    isSandbox: true
  })
})

t.test('retries a failed self-test, and uses the earlier result until then', async t => {
  const trials: { level: IsolationLevel; end: (holds: boolean) => void }[] = []
  const retried = new SandboxManager({
    ...own,
    configuredLevel: 'auto',
    retryAfterMs: 0,
    probe: (_backend, level) =>
      new Promise(resolve => {
        trials.push({ level, end: holds => resolve(holds ? { level, holds } : { level, holds, reason }) })
      })
  })
  const end = (holds: boolean) => {
    for (const trial of trials.splice(0)) trial.end(holds)
  }
  const first = retried.states()
  t.strictSame(
    trials.map(trial => trial.level),
    ['workspace', 'read-only']
  )
  end(false)
  await first
  t.equal(retried.default, 'none')
  t.match(await retried.states(), [{ holds: true }, { holds: false }, { holds: false }], 'nobody waits')
  t.equal(trials.length, 2, 'and it is tried once at a time')
  await retried.states()
  t.equal(trials.length, 2)
  end(true)
  await waitUntil('the levels to hold', () => retried.default !== 'none')
  t.match(await retried.states(), [{ holds: true }, { holds: true }, { holds: true }])
  t.match(await retried.confine(program, { level: 'read-only', network: [] }, nowhere), { args: ['kept'] })
  t.equal(trials.length, 0, 'what holds is not tried again')
})

t.test('closing ends a self-test, and waits for that', async t => {
  let ended = false
  const closed = new SandboxManager({
    ...own,
    configuredLevel: 'auto',
    probe: async (_backend, level, signal) => {
      await once(signal, 'abort')
      await setImmediate()
      ended = true
      return { level, holds: false, reason }
    }
  })
  const states = closed.states()
  await closed.close()
  t.equal(ended, true)
  t.match(await states, [{ holds: true }, { holds: false }, { holds: false }])
})

t.test('an ended self-test leaves nothing', needs('sandbox'), async t => {
  const world = await startSandboxFixture(t)
  const states = world.sandbox.states()
  await world.sandbox.close()
  t.match(await states, [{ holds: true }, { holds: false }, { holds: false }])
  t.strictSame(probesIn(world.at('state')), [])
})

t.test('a server that stops during self-tests does not report them', needs('sandbox'), async t => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const { folder, close, get } = await startApp(t, {}, { settings: { sandbox: { ...sandbox, level: 'auto' } }, log })
  // Its response waits for the self-tests, which may end before anyone looks.
  let isProbed = false
  const answered = get('/capabilities').then(
    () => (isProbed = true),
    () => (isProbed = true)
  )
  await waitUntil('a probe to run', () => isProbed || probesIn(folder).length > 0)
  await close()
  await within('the answer', answered)
  t.same(lines, [])
})

t.test('ending a sandbox during its start ends all its processes', async t => {
  const folder = makeTestFolder(t)
  const began = path.join(folder, 'began')
  const script = 'sleep 600 & echo $! > "$0.new"; mv "$0.new" "$0"; wait'
  const starting: SandboxBackend = {
    ...keeper,
    confine: async program => ({
      ...(await keeper.confine(program, { level: 'read-only' }, nowhere)),
      file: '/bin/sh',
      args: ['-c', script, began]
    })
  }
  const closing = new AbortController()
  const trial = probe(starting, 'read-only', { stateDir: folder }, closing.signal)
  await waitUntil('the sandbox to start', () => existsSync(began))
  closing.abort()
  t.match(await within('the trial to end', trial), { level: 'read-only', holds: false })
  const pid = Number(readFileSync(began, 'utf8'))
  await waitUntil('what it started to be gone', () => !isProcessRunning(pid))
})

t.test('none runs the program directly; the other levels sandbox it', async t => {
  const own = levels('auto', true)
  t.match(await own.confine(program, { level: 'none', network: [] }, nowhere), { ...program, inherit: [] })
  t.match(await own.confine(program, { level: 'read-only', network: [] }, nowhere), { args: ['kept'] })
  await t.rejects(own.confine(program, { level: 'container', network: [] }, nowhere), refusal('container'))
})

t.test("a call's variables do not reach the programs that set up the sandbox", async t => {
  const env = {
    PATH: '/bin',
    LD_PRELOAD: '/x.so',
    LD_AUDIT: '/x.so',
    'BASH_FUNC_ulimit%%': '() { x; }',
    BASH_ENV: 'x',
    SHELLOPTS: 'xtrace',
    PS4: '$(x)',
    GCONV_PATH: '/x',
    MINE: 'y'
  }
  const { env: outside, setenvArguments } = splitEnvironment(env)
  t.strictSame(outside, { PATH: '/bin', MINE: 'y' })
  t.strictSame(setenvArguments.slice(0, 2), ['--unsetenv', 'NODE_OPTIONS'], 'what somebody else puts there on the way')
  t.equal(setenvArguments.length, 2 + 3 * (Object.keys(env).length - 2))
  t.strictSame(splitEnvironment({ NODE_OPTIONS: 'x' }), { env: { NODE_OPTIONS: 'x' }, setenvArguments: [] })
})

t.test('such a variable is set inside', needs('sandbox'), async t => {
  const world = await startSandboxFixture(t)
  const { stdout } = await world.run('echo "$PS4|$MINE|$TMPDIR|$LD_LIBRARY_PATH"', {
    env: { PS4: 'a b', MINE: SECRET, LD_LIBRARY_PATH: '/x', TMPDIR: '/elsewhere' }
  })
  t.equal(stdout, `a b|${SECRET}|/tmp|/x\n`)
})

t.test('reports why a level fails, with a hint', async t => {
  t.match(explainSetupFailure('bwrap: Unknown option --disable-userns\n', 1), /older than 0\.8/)
  t.match(
    explainSetupFailure("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", 1),
    /systempaths=unconfined/
  )
  t.match(explainSetupFailure('bwrap: setting up uid map: Permission denied', 1), /AppArmor/)
  t.match(explainSetupFailure('bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', 1), /AppArmor/)
  t.equal(explainSetupFailure('', null), 'bubblewrap ended with a signal.')
  t.equal(explainSetupFailure('so', 2), 'Message: so.')
})

t.test('a server reports its levels', needs('sandbox'), async t => {
  const { get } = await startApp(t, {}, { settings: { sandbox } })
  const { isolation } = await get('/capabilities')
  t.same(isolation.levels[0], await unsandboxedState())
  t.match(isolation, {
    default: 'workspace',
    levels: [
      { level: 'none', holds: true },
      { level: 'workspace', holds: true },
      { level: 'read-only', holds: true }
    ]
  })
})

t.test('does not sandbox a workspace that contains the system, or too much', needs('sandbox'), async t => {
  const world = await startSandboxFixture(t)
  for (const root of ['/', '/usr', '/usr/share', '/proc', '/dev'])
    await t.rejects(
      world.sandbox.confine(program, { level: 'workspace', network: [] }, { ...world.workspace, root }),
      ToolError,
      root
    )
  for (let i = 0; i <= 1_000; i++) world.write(`workspace/${i}/.envrc`, '')
  await t.rejects(world.run('true'), { code: 'SANDBOX_UNAVAILABLE', message: /more than 1000 files and folders/ })
})

t.test('without network does not suggest a retry', needs('sandbox'), async t => {
  const world = await startSandboxFixture(t)
  const { stdout } = await world.run('env', { env: { PIP_RETRIES: '3' } })
  t.match(stdout, /^npm_config_fetch_retries=0$/m)
  t.match(stdout, /^PIP_RETRIES=3$/m, 'a call may say otherwise')
})
