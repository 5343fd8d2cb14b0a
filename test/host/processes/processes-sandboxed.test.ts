// Tests of the guarantees about commands, inside a sandbox.
// tier: full
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { openWorkspace } from '../../../src/host/files/paths.ts'
import type { Command } from '../../../src/host/processes/command/command.ts'
import { OutputStore } from '../../../src/host/processes/outputs/output-store.ts'
import { Processes, type StartOptions } from '../../../src/host/processes/processes.ts'
import { Spawner } from '../../../src/host/processes/spawner/spawner.ts'
import { openSandbox } from '../../../src/host/sandbox/open-sandbox.ts'
import { CALL_ID } from '../../call-id.ts'
import { needs } from '../../support/needs.ts'
import { makeTestFolder } from '../../support/test-folder.ts'

const spawner = new Spawner(process.env)
t.teardown(() => spawner.close())

function bench(t: Test) {
  const top = makeTestFolder(t, { ws: { inside: {} }, state: {} })
  const root = join(top, 'ws')
  const stateDir = join(top, 'state')
  mkdirSync(join(stateDir, 'outputs'))
  const outputs = new OutputStore(join(stateDir, 'outputs'), { spill_bytes: 1 << 20 })
  const effects = { signal: new AbortController().signal, commitIntent: async () => {}, recordChange: () => {} }
  const settings = { ...defaultSettings().sandbox, level: 'workspace' as const }
  const sandbox = openSandbox({
    environment: process.env,
    settings,
    stateDir,
    hidden: [],
    sensitive: [],
    ownPorts: () => []
  })
  const environment = { PATH: process.env.PATH! }
  const options = { call_id: CALL_ID, env_allow: [], environment, sandbox }
  const processes = new Processes(spawner, outputs, openWorkspace('default', root), effects, options)
  t.teardown(() => outputs.flushed())
  const start = async (command: string, more: Partial<Omit<StartOptions, 'command' | 'argv'>> = {}) => {
    const started = await processes.start({ command, ...more })
    t.teardown(() => started.stop())
    return started
  }
  return { root, sandbox, start }
}

/** Reads until it has printed this. */
async function prints(command: Command, text: string) {
  let seen = ''
  for await (const { text: more } of command.deltas()) {
    seen += more
    if (seen.includes(text)) return
  }
  throw new Error(`it ended, having printed ${JSON.stringify(seen)}`)
}

/** Returns processes, including zombies, with this word among their arguments. */
function having(word: string): string[] {
  return readdirSync('/proc').filter(pid => {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').includes(word)
    } catch {
      return false
    }
  })
}

t.test('runs a command in the requested folder, and reports its sandbox', needs('sandbox'), async t => {
  const { start, root } = bench(t)
  const command = await start('pwd; touch made; touch /usr/made; cat', { cwd: 'inside', stdin: 'in\n' })
  t.match(await command.ended, { exit_code: 0, survivors: [], quarantined: [] })
  t.equal(command.isolation, 'workspace')
  t.match(command.texts(), { stdout: `${root}/inside\nin\n`, stderr: /Read-only file system/ })
  t.ok(existsSync(join(root, 'inside/made')))
  const strict = await start('touch other', { isolation: { level: 'read-only', network: [] } })
  t.match(await strict.ended, { exit_code: 1 })
  t.equal(strict.isolation, 'read-only')
})

t.test('terminates a timed-out command, then kills it', needs('sandbox'), async t => {
  const { start } = bench(t)
  const kind = await start('trap "echo bye; exit 7" TERM; echo hi; sleep 100 & wait')
  await prints(kind, 'hi')
  kind.setTimeLimit(1)
  t.match(await kind.ended, { exit_code: 7, timed_out: true })
  t.equal(kind.texts().stdout, 'hi\nbye\n')
  const stubborn = await start('trap "" TERM; echo up; while :; do sleep 0.01; done')
  await prints(stubborn, 'up')
  stubborn.setTimeLimit(1)
  t.match(await stubborn.ended, { signal: 'SIGKILL', timed_out: true })
})

t.test('sends signals to the processes inside', needs('sandbox'), async t => {
  const { start } = bench(t)
  const command = await start('trap "echo caught; exit 3" INT; echo up; while :; do sleep 0.02; done')
  await prints(command, 'up')
  command.kill('SIGINT')
  t.match(await command.ended, { exit_code: 3 })
})

t.test('distinguishes a fatal signal from an exit code', needs('sandbox'), async t => {
  const { start } = bench(t)
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGKILL'] as const) {
    const command = await start('echo up; exec sleep 1000')
    await prints(command, 'up')
    command.kill(signal)
    t.match(await command.ended, { exit_code: null, signal })
  }
  const asked = await start('echo up; exec sleep 1000')
  await prints(asked, 'up')
  asked.stop()
  t.match(await asked.ended, { exit_code: null, signal: 'SIGTERM' }, 'stopped')
  const own = await start('exit 143')
  t.match(await own.ended, { exit_code: 143, signal: null })
  const other = await start('trap "exit 130" TERM; echo up; while :; do sleep 0.02; done')
  await prints(other, 'up')
  other.kill('SIGTERM')
  t.match(await other.ended, { exit_code: 130, signal: null })
})

t.test('no descendant outlives it, however it hides', needs('sandbox'), async t => {
  const { start } = bench(t)
  const mark = `1000.${process.pid}`
  const ways = [
    `sleep ${mark} & echo up`,
    `setsid sleep ${mark} & echo up`,
    `(setsid env -i /bin/sh -c "trap '' HUP TERM; sleep ${mark}" >/dev/null 2>&1 &) ; echo up`,
    `nohup sleep ${mark} >/dev/null 2>&1 & disown; echo up`
  ]
  for (const way of ways) {
    const command = await start(way)
    t.match(await command.ended, { exit_code: 0 }, way)
    t.equal(command.texts().stdout, 'up\n')
    t.same(having(mark), [], way)
  }
  const running = await start(`setsid sleep ${mark} & echo up; wait`)
  await prints(running, 'up')
  running.stop()
  await running.ended
  t.same(having(mark), [], 'ended from outside')
})

t.test('does not report processes that end with the sandbox', needs('bwrap'), async t => {
  const { start } = bench(t)
  for (let i = 0; i < 100; i++) {
    const command = await start(i % 2 === 0 ? 'echo up' : 'sleep 1000 & echo up')
    t.same((await command.ended).survivors, [])
  }
})

t.test('gives a command a terminal inside', needs('sandbox'), async t => {
  const { start } = bench(t)
  const command = await start(
    'stty -echo size; trap "stty size; exit 4" WINCH; read line; echo "<$line>"; while :; do sleep 0.02; done',
    {
      pty: { cols: 80, rows: 24 }
    }
  )
  await prints(command, '24 80')
  await command.write('typed\n')
  await prints(command, '<typed>')
  command.resize({ cols: 100, rows: 50 })
  t.match(await command.ended, { exit_code: 4 })
  t.match(command.texts().output, /50 100\r\n$/)
  const interrupted = await start('trap "echo caught; exit 5" INT; echo up; while :; do sleep 0.02; done', {
    pty: { cols: 80, rows: 24 }
  })
  await prints(interrupted, 'up')
  await interrupted.write('\x03')
  t.match(await interrupted.ended, { exit_code: 5 }, 'with its keys')
})

t.test('rejects an unsupported level, never replaces it', async t => {
  const { start } = bench(t)
  await t.rejects(start('true', { isolation: { level: 'container', network: [] } }), { code: 'SANDBOX_UNAVAILABLE' })
})
