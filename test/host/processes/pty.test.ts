// tier: quick
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openWorkspace } from '../../../src/host/files/paths.ts'
import type { Command } from '../../../src/host/processes/command/command.ts'
import { OutputStore } from '../../../src/host/processes/outputs/output-store.ts'
import { Processes, type StartOptions } from '../../../src/host/processes/processes.ts'
import { Spawner } from '../../../src/host/processes/spawner/spawner.ts'
import { CALL_ID } from '../../call-id.ts'
import { makeTestFolder } from '../../support/test-folder.ts'

const spawner = new Spawner(process.env)
t.teardown(() => spawner.close())

function bench(t: Test) {
  const top = makeTestFolder(t, { ws: { inside: {} } })
  const root = join(top, 'ws')
  const outputs = new OutputStore(join(top, 'outputs'), { spill_bytes: 1 << 20 })
  const effects = { signal: new AbortController().signal, commitIntent: async () => {}, recordChange: () => {} }
  const environment = { PATH: process.env.PATH! }
  const options = { call_id: CALL_ID, env_allow: [], environment }
  const processes = new Processes(spawner, outputs, openWorkspace('default', root), effects, options)
  t.teardown(() => outputs.flushed())
  const start = async (command: string, more: Partial<Omit<StartOptions, 'command' | 'argv'>> = {}) => {
    const started = await processes.start({ command, pty: { cols: 80, rows: 24 }, ...more })
    t.teardown(() => started.stop())
    return started
  }
  return { root, outputs, start }
}

/** Reads until the screen has shown this. */
async function shows(command: Command, text: string) {
  let seen = ''
  for await (const { text: more } of command.deltas()) {
    seen += more
    if (seen.includes(text)) return
  }
  throw new Error(`it ended, having shown ${JSON.stringify(seen)}`)
}

t.test('gives a command a terminal of the requested size', async t => {
  const { start, root } = bench(t)
  const command = await start('tty >/dev/null && stty size; echo "$TERM $PWD $TOOL_CALL_ID $UNSET|"', {
    cwd: 'inside',
    env: { NODE_OPTIONS: '--no-such-option' }
  })
  t.match(await command.ended, { exit_code: 0, signal: null, survivors: [] })
  t.equal(command.texts().output, `24 80\r\nxterm-256color ${root}/inside ${CALL_ID} |\r\n`)
})

t.test('accepts input, resizing and end of input, and its screen can be read again', async t => {
  const { start, outputs } = bench(t)
  const command = await start('stty -echo; trap "stty size" WINCH; read first; echo "<$first>"; cat; exit 3', {
    stdin: 'typed ahead\n'
  })
  await shows(command, '<typed ahead>')
  command.resize({ cols: 100, rows: 50 })
  await command.write('é and more\n')
  await shows(command, 'é and more')
  command.endInput()
  t.match(await command.ended, { exit_code: 3 })
  const whole = await outputs.read(CALL_ID, { stream: 'output', offset: 0, limit: 1e6, wait_ms: 0 })
  t.equal(whole!.text, command.texts().output)
  t.match(whole!.text, '50 100')
  await t.rejects(command.write('late'), { code: 'CONFLICT' })
})

t.test('supports a password prompt', async t => {
  const { start } = bench(t)
  const command = await start('read -s -p "Password: " pw </dev/tty; echo; echo "<$pw>"')
  await shows(command, 'Password: ')
  await command.write('secret\n')
  t.match(await command.ended, { exit_code: 0 })
  t.equal(command.texts().output, 'Password: \r\n<secret>\r\n')
})

t.test('signals and the end reach all its processes', async t => {
  const { start } = bench(t)
  const interrupted = await start('trap "echo caught; exit 4" INT; echo up; while :; do sleep 0.02; done')
  await shows(interrupted, 'up')
  await interrupted.write('\x03')
  t.match(await interrupted.ended, { exit_code: 4 }, 'by the key for it')
  const signalled = await start('echo up; exec sleep 100')
  await shows(signalled, 'up')
  signalled.kill('SIGINT')
  t.match(await signalled.ended, { exit_code: null, signal: 'SIGINT' })
  const stubborn = await start('trap "" TERM HUP; echo up; while :; do sleep 0.02; done')
  await shows(stubborn, 'up')
  stubborn.stop()
  t.match(await stubborn.ended, { signal: 'SIGKILL' })
})

t.test('delivers all output, of any size', async t => {
  const { outputs, start } = bench(t)
  const command = await start('seq 1 200000')
  t.match(await command.ended, { exit_code: 0 })
  t.equal(command.texts().next_offset, Array.from({ length: 200_000 }, (_, i) => `${i + 1}\r\n`).join('').length)
  await outputs.flushed()
})

t.test('rejects resizing without a terminal', async t => {
  const { start } = bench(t)
  const command = await start('cat', { pty: undefined, interactive: true })
  t.throws(() => command.resize({ cols: 1, rows: 1 }), { code: 'CONFLICT' })
  command.endInput()
  t.match(await command.ended, { exit_code: 0 })
})
