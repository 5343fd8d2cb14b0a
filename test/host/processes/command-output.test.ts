// Tests of command output: failing pipes, and followers that leave.
// tier: quick
import { closeSync, constants, mkdtempSync, openSync, readdirSync, readlinkSync, rmSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { execaSync } from 'execa'
import t from 'tap'
import { openWorkspace } from '../../../src/host/files/paths.ts'
import { Command } from '../../../src/host/processes/command/command.ts'
import { pipeInput } from '../../../src/host/processes/command/command-input.ts'
import { CommandOutput } from '../../../src/host/processes/command/command-output.ts'
import { OutputStore } from '../../../src/host/processes/outputs/output-store.ts'
import { Processes } from '../../../src/host/processes/processes.ts'
import type { ChildExit } from '../../../src/host/processes/spawner/child-handle.ts'
import { Spawner } from '../../../src/host/processes/spawner/spawner.ts'
import { CALL_ID } from '../../call-id.ts'
import { needs } from '../../support/needs.ts'
import { makeTestFolder } from '../../support/test-folder.ts'

t.test('a failing pipe ends its output; earlier output is kept', async t => {
  const outputs = new OutputStore(makeTestFolder(t), { spill_bytes: 1 << 20 })
  const output = new CommandOutput({ writer: outputs.open('tc_1'), callId: 'tc_1' })
  const socket = new Socket()
  socket.on('error', () => {})
  await output.read('stdout', {
    exited: Promise.resolve({ code: 0, signal: null, left: false }),
    read: (_, take) => {
      take?.(Buffer.from('before\n'))
      process.nextTick(() => socket.destroy(new Error('EIO')))
      return socket
    }
  })
  output.close()
  await outputs.flushed()
  t.equal(output.texts().stdout, 'before\n')
})

t.test('reads the last output of a program also on a busy server', async t => {
  const folder = makeTestFolder(t)
  const fifo = path.join(folder, 'fifo')
  execaSync('mkfifo', [fifo])
  const reading = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK)
  const writing = openSync(fifo, constants.O_WRONLY)
  const nothing = () => new Socket().destroy()
  const sockets = { stdout: new Socket({ fd: reading, writable: false }), stderr: nothing() }
  const { promise: exited, resolve: exit } = Promise.withResolvers<ChildExit>()
  const outputs = new OutputStore(folder, { spill_bytes: 1 << 20 })
  const command = new Command({
    spawned: {
      ...sockets,
      streams: ['stdout', 'stderr'],
      pid: process.pid,
      stdin: undefined,
      exited,
      read: (stream, take) => (stream === 'stdout' ? sockets.stdout.on('data', take) : nothing()),
      kill() {},
      signal() {},
      killTree: async () => [],
      adopt: async () => ({ orphans: [], gone: Promise.resolve() })
    },
    connectPort: async () => new Socket(),
    output: new CommandOutput({ writer: outputs.open('tc_1'), callId: 'tc_1' }),
    isolation: 'none',
    signal: new AbortController().signal,
    input: pipeInput(undefined),
    interactive: false,
    adoptOrphans: false,
    quietMs: 60_000,
    released: async () => ({ quarantined: [] })
  })
  await setImmediate()
  exit({ code: 0, signal: null, left: false })
  // The exit is reported, and before the pipe is read again the server is busy for long.
  for (let turn = 0; turn < 20; turn++) await undefined
  writeSync(writing, 'last\n')
  closeSync(writing)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000)
  t.match(await command.ended, { exit_code: 0 })
  t.equal(command.texts().stdout, 'last\n')
  await outputs.flushed()
})

t.test('a failed pipe leaves none open', needs('linux'), async t => {
  const place = mkdtempSync(path.join(tmpdir(), 'pipes-'))
  const spawner = new Spawner(process.env, place)
  t.teardown(async () => {
    await spawner.close()
    rmSync(place, { recursive: true, force: true })
  })
  const opened = () =>
    readdirSync('/proc/self/fd').filter(fd => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(place)
      } catch {
        return false
      }
    })
  const run = async () => {
    const { stdout, stderr, exited } = await spawner.spawn({ file: '/bin/true', args: [], cwd: '/', env: {} })
    const closed = [stdout, stderr].map(
      socket => new Promise<void>(resolve => socket.resume().once('close', () => resolve()))
    )
    await exited
    await Promise.all(closed)
  }
  await run()
  t.strictSame(opened(), [])
  const [folder = ''] = readdirSync(place)
  // One of the two used ones, and the one below them: whichever is on top, one attempt opens another first.
  for (const name of ['0', '6']) rmSync(path.join(place, folder, name))
  for (const attempt of ['first', 'second']) {
    await t.rejects(run(), { code: 'ENOENT' }, attempt)
    t.strictSame(opened(), [], attempt)
  }
  await run()
})

t.test('output waiting for the disk is not cut off at exit', async t => {
  const spawner = new Spawner(process.env)
  t.teardown(() => spawner.close())
  const outputs = new OutputStore(makeTestFolder(t), { spill_bytes: 1 << 20 })
  const open = outputs.open.bind(outputs)
  let behind = true
  outputs.open = (...of) => {
    const writer = open(...of)
    return {
      get end() {
        return writer.end
      },
      get isBehind() {
        return behind
      },
      append: (source, bytes) => writer.append(source, bytes),
      caughtUp: async () => {
        // Longer than the silence after which the command would count as done.
        await setTimeout(600)
        behind = false
      },
      close: () => writer.close()
    }
  }
  const effects = { signal: new AbortController().signal, commitIntent: async () => {}, recordChange: () => {} }
  const workspace = openWorkspace('default', t.testdirName)
  const processes = new Processes(spawner, outputs, workspace, effects, { call_id: CALL_ID, env_allow: [] })
  // The size of one read, and the capacity of the pipe.
  const command = await processes.start({ command: 'head -c 100000 /dev/zero' })
  t.match(await command.ended, { exit_code: 0 })
  t.equal(command.texts().next_offset, 100_000)
  await outputs.flushed()
})

t.test('a follower that leaves while idle loses no output for others', async t => {
  const spawner = new Spawner(process.env)
  const outputs = new OutputStore(makeTestFolder(t), { spill_bytes: 1 << 20 })
  const abort = new AbortController()
  const effects = { signal: abort.signal, commitIntent: async () => {}, recordChange: () => {} }
  const workspace = openWorkspace('default', t.testdirName)
  const options = { call_id: CALL_ID, env_allow: [], quiet_ms: 20 }
  const processes = new Processes(spawner, outputs, workspace, effects, options)
  const command = await processes.start({ command: 'cat', interactive: true })
  t.teardown(async () => {
    command.stop()
    await spawner.close()
  })
  const first = command.progress()
  t.match(await first.next(), { value: { message: /has printed nothing/ } })
  await first.return()
  await command.write('a')
  while (command.texts().stdout === '') await setImmediate()
  const second = command.progress()
  let step = await second.next()
  if (step.value && 'message' in step.value) step = await second.next()
  t.match(step.value, { delta: { text: 'a', offset: 0 } })
  t.match(await second.next(), { value: { message: /has printed nothing/ } }, 'a new silence is told anew')
  const third = second.next()
  await command.write('b')
  t.match(await third, { value: { delta: { text: 'b', offset: 1 } } }, 'and only once')
  command.endInput()
  step = await second.next()
  if (step.value && 'message' in step.value) step = await second.next()
  t.strictSame(step, { done: true, value: undefined })
})
