// tier: full
// run: waiting (for processes to be ended)
import { spawn } from 'node:child_process'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { newId } from '../../../src/engine/id.ts'
import { ToolError } from '../../../src/errors.ts'
import { openWorkspace } from '../../../src/host/files/paths.ts'
import { pipeInput } from '../../../src/host/processes/command/command-input.ts'
import type { Delta } from '../../../src/host/processes/command/output-decoder.ts'
import { OutputStore } from '../../../src/host/processes/outputs/output-store.ts'
import { Processes, type RunOptions, type ShellResult } from '../../../src/host/processes/processes.ts'
import { Spawner } from '../../../src/host/processes/spawner/spawner.ts'
import { createSpawnerCgroup } from '../../../src/host/processes/spawner/spawner-cgroup.ts'
import { CALL_ID } from '../../call-id.ts'
import { needs } from '../../support/needs.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { once, waitUntil, within } from '../../support/wait.ts'

const spawner = new Spawner(process.env)
t.teardown(() => spawner.close())

const MIB = 1 << 20
const LONG = 120_000

interface Bench {
  root: string
  processes: Processes
  outputs: OutputStore
  abort: AbortController
  committed: number
  shell(command: string, options?: Partial<Omit<RunOptions, 'command' | 'argv'>>): ReturnType<Processes['run']>
  /** Runs a command to its end. */
  run(
    command: string,
    options?: Partial<Omit<RunOptions, 'command' | 'argv'>>
  ): Promise<{ deltas: Delta[]; result: ShellResult }>
}

/** Belongs to a call of another server. */
const OTHER_ID = newId('tc')

function bench(t: Test, environment: Record<string, string> = { PATH: process.env.PATH! }): Bench {
  const top = makeTestFolder(t, { ws: { inside: { 'a.txt': '' } } })
  const root = join(top, 'ws')
  const outputs = new OutputStore(join(top, 'outputs'), { spill_bytes: 4 * MIB })
  const abort = new AbortController()
  const effects = {
    signal: abort.signal,
    commitIntent: async () => {
      self.committed += 1
    },
    recordChange: () => {}
  }
  const options = { call_id: CALL_ID, env_allow: ['ALSO_ME'], environment }
  const processes = new Processes(spawner, outputs, openWorkspace('default', root), effects, options)
  const shell: Bench['shell'] = (command, more) => processes.run({ command, timeout_ms: LONG, ...more })
  const self: Bench = {
    root,
    processes,
    outputs,
    abort,
    committed: 0,
    shell,
    async run(command, more) {
      const running = shell(command, more)
      const deltas: Delta[] = []
      for (;;) {
        const step = await within(`the output or the end of ${command}`, running.next())
        if (step.done) return { deltas, result: step.value }
        deltas.push(step.value)
      }
    }
  }
  t.teardown(() => outputs.flushed())
  return self
}

/** Returns whether a process runs and is no zombie. */
function lives(pid: number) {
  if (!existsSync(`/proc/${pid}/status`)) return false
  return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))
}

t.test('a command returns its output and its exit, and nothing else', async t => {
  const { run, root, outputs, ...own } = bench(t)
  const { deltas, result } = await run('echo out; echo err >&2; pwd; exit 3')
  const { duration_ms, output, ...rest } = result
  t.same(rest, {
    stdout: `out\n${root}\n`,
    stderr: 'err\n',
    exit_code: 3,
    signal: null,
    timed_out: false,
    survivors: [],
    truncated: false,
    next_offset: Buffer.byteLength(output),
    isolation: 'none',
    quarantined: []
  })
  t.ok(Number.isInteger(duration_ms) && duration_ms >= 0)
  t.equal(output.length, rest.stdout.length + rest.stderr.length)
  for (const stream of ['stdout', 'stderr'] as const) {
    const told = deltas.filter(delta => delta.stream === stream)
    t.equal(told.map(({ text }) => text).join(''), rest[stream])
    t.equal(told[0]!.offset, 0)
  }
  t.match(await outputs.read(CALL_ID, { stream: 'stdout', offset: 4, limit: 1000, wait_ms: 0 }), {
    text: `${root}\n`,
    ended: true
  })
  t.same(Object.keys(own).sort(), ['abort', 'committed', 'processes', 'shell'])
})

t.test('the intent is durable before anything runs', async t => {
  const machine = bench(t)
  await machine.run('true')
  t.equal(machine.committed, 1)
  machine.abort.abort(new ToolError('CANCELLED', 'no'))
  await t.rejects(machine.run('touch ran'), { code: 'CANCELLED' })
  t.notOk(existsSync(join(machine.root, 'ran')))
})

t.test("passes the allowed environment and the call's variables, never a secret", async t => {
  const { run, root } = bench(t, {
    PATH: process.env.PATH!,
    LC_ALL: 'C',
    ALSO_ME: 'yes',
    NODE_EXTRA_CA_CERTS: '/ca.pem',
    AWS_SECRET_ACCESS_KEY: 'canary',
    TOOLGATE_TOKEN: 'canary'
  })
  const { result } = await run('env', { env: { MINE: 'a b', TERM: 'xterm', TOOLGATE_URL: 'canary' } })
  const [OLDPWD, SHLVL, _] = ['OLDPWD', 'SHLVL', '_']
  const seen = Object.fromEntries(
    result.stdout
      .trim()
      .split('\n')
      .map(line => line.split(/=(.*)/s, 2))
  )
  for (const name of [OLDPWD, SHLVL, _]) delete seen[name]
  t.match(seen.TOOL_PROCESS, /^[0-9a-f]{16}\/\d+$/)
  delete seen.TOOL_PROCESS
  t.same(seen, {
    PATH: process.env.PATH,
    LC_ALL: 'C',
    ALSO_ME: 'yes',
    NODE_EXTRA_CA_CERTS: '/ca.pem',
    MINE: 'a b',
    TERM: 'xterm',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    GCM_INTERACTIVE: 'never',
    DEBIAN_FRONTEND: 'noninteractive',
    TOOL_CALL_ID: CALL_ID,
    PWD: root
  })
})

t.test('needs only its own program on the search path', async t => {
  const PATH = makeTestFolder(t, { bash: t.fixture('symlink', '/bin/sh') })
  const bare = new Spawner({ PATH })
  t.teardown(() => bare.close())
  const env = { PATH }
  const spawned = await bare.spawn({ file: '/bin/sh', args: ['-c', 'exit 3'], cwd: '/', env, stdin: undefined })
  t.match(await spawned.exited, { code: 3 })
})

t.test('has descriptors 0 to 2, real pipes, and an empty standard input', async t => {
  const { run } = bench(t)
  const { result } = await run('for fd in /dev/fd/*; do [ -e $fd ] && basename $fd; done; cat; echo late >/dev/stderr')
  t.same([result.stdout, result.stderr], ['0\n1\n2\n', 'late\n'])
  t.equal((await run('cat; echo; cat', { stdin: 'given €' })).result.stdout, 'given €\n')
  const much = 'x'.repeat(300_000)
  t.equal((await run('wc -c', { stdin: much })).result.stdout.trim(), '300000')
  t.equal((await run('echo hi', { stdin: much })).result.stdout, 'hi\n', 'what it does not read is not waited for')
})

t.test('runs in the requested folder, and never through a link', async t => {
  const { run, root } = bench(t)
  t.equal((await run('pwd', { cwd: 'inside' })).result.stdout, `${root}/inside\n`)
  await run('ln -s / inside/out')
  await t.rejects(run('pwd', { cwd: 'inside/out' }), { code: 'NOT_A_DIRECTORY' })
  await t.rejects(run('pwd', { cwd: 'missing' }), { code: 'FILE_NOT_FOUND' })
  await t.rejects(run('pwd', { cwd: 'inside/a.txt' }), { code: 'NOT_A_DIRECTORY' })
  await t.rejects(run('pwd', { cwd: '..' }), { code: 'INVALID_PATH' })
})

t.test('reports a failed start', async t => {
  const { run } = bench(t)
  await t.rejects(run('true', { env: { HUGE: 'x'.repeat(MIB) } }), {
    code: 'EXECUTION_ERROR',
    details: { code: 'E2BIG' }
  })
  await t.rejects(run('a\0b'), { code: 'EXECUTION_ERROR' })
  t.equal((await run('echo still here')).result.stdout, 'still here\n')
})

t.test('reports a fatal signal', async t => {
  const { result } = await bench(t).run('kill -9 $$')
  t.match(result, { exit_code: null, signal: 'SIGKILL', timed_out: false })
})

t.test('terminates a timed-out command, then kills it', async t => {
  const { run } = bench(t)
  // Enough for each to set its trap, also on a busy machine.
  const kind = (await run('trap "echo bye; exit 7" TERM; echo hi; sleep 100 & wait', { timeout_ms: 2_000 })).result
  t.match(kind, { stdout: 'hi\nbye\n', exit_code: 7, timed_out: true })
  const stubborn = (await run('trap "" TERM; echo $$; while :; do sleep 0.01; done', { timeout_ms: 2_000 })).result
  t.match(stubborn, { exit_code: null, signal: 'SIGKILL', timed_out: true })
  t.notOk(lives(Number(stubborn.stdout)))
})

t.test('finds a process between two execs as its command ends', async t => {
  const { run, processes } = bench(t)
  // The control group identifies only the oldest command.
  const older = await processes.start({ command: 'exec sleep 100' })
  const missed: number[] = []
  for (let round = 0; round < 60; round += 1) {
    const { result } = await run('setsid sleep 100 >/dev/null 2>&1 & echo $!')
    const pid = Number(result.stdout)
    if (!result.survivors.includes(pid)) missed.push(round)
  }
  t.same(missed, [])
  older.stop()
  t.match(await older.ended, { survivors: [] })
})

t.test('background processes end with it, in its group or out of its session', async t => {
  const { run, processes } = bench(t)
  // The control group identifies only the oldest command; any other is found by its session and its mark.
  const older = await processes.start({ command: 'exec sleep 100' })
  const commands = {
    'holding the pipes': 'sleep 100 & echo $!',
    silent: 'sleep 100 >/dev/null 2>&1 & echo $!',
    'in a session of its own': 'setsid sleep 100 >/dev/null 2>&1 & echo $!',
    'in a session of its own, holding the pipes': 'setsid sleep 100 & echo $!',
    'deaf to the first signal': '(trap "" TERM; while :; do sleep 0.01; done) & echo $!'
  }
  for (const [title, command] of Object.entries(commands)) {
    const { result } = await run(command)
    const pid = Number(result.stdout)
    t.ok(result.survivors.includes(pid), `${title}: told`)
    t.notOk(lives(pid), `${title}: ended`)
    t.equal(result.exit_code, 0)
  }
  const chatting = (await run('(while :; do echo x; sleep 0.05; done) & echo $!')).result
  t.notOk(lives(Number.parseInt(chatting.stdout, 10)), 'what goes on to print is not heard out')
  older.stop()
  t.match(await older.ended, { survivors: [] })
})

t.test('also finds processes that hide from its session and its mark', needs('cgroups'), async t => {
  const { run, processes } = bench(t)
  const hiding =
    'setsid env -i /bin/sh -c "trap : TERM; echo \\$\\$ >pid; while :; do sleep 0.05; done" >/dev/null 2>&1 & '
  const until = 'until [ -s pid ]; do sleep 0.01; done; cat pid; rm pid'
  const { result } = await run(`${hiding} ${until}`)
  const pid = Number(result.stdout)
  t.ok(result.survivors.includes(pid))
  t.notOk(lives(pid))
  const older = await processes.start({ command: 'sleep 100' })
  const younger = await run(`${hiding} ${until}`)
  const hidden = Number(younger.result.stdout)
  t.ok(lives(hidden), 'whose it is cannot be told while an older command lives')
  older.stop()
  t.ok((await older.ended).survivors.includes(hidden))
  t.notOk(lives(hidden), 'then it is ended')
})

t.test('waits for output still being written at its exit', async t => {
  const { result } = await bench(t).run('echo hi > >(cat)')
  t.match(result, { stdout: 'hi\n', survivors: [] })
})

t.test('cancelling ends all its processes', async t => {
  const { shell, abort } = bench(t)
  const running = shell('(trap "" TERM; echo $BASHPID; while :; do sleep 0.01; done) & wait')
  const first = await running.next()
  const pid = Number((first.value as Delta).text)
  abort.abort(new ToolError('CANCELLED', 'enough'))
  await t.rejects(running.next(), { code: 'CANCELLED' })
  t.notOk(lives(pid))
})

t.test('leaving early ends it', async t => {
  const { shell, outputs } = bench(t)
  const running = shell('echo $$; while :; do sleep 0.01; done')
  const first = await running.next()
  await running.return(undefined as never)
  await outputs.flushed()
  t.notOk(lives(Number((first.value as Delta).text)))
})

t.test('runs a program with its arguments, without a shell', async t => {
  const { processes, root } = bench(t)
  const run = async (argv: string[], more: object = {}) => {
    const running = processes.run({ argv, timeout_ms: LONG, ...more })
    let step = await running.next()
    while (!step.done) step = await running.next()
    return step.value.stdout
  }
  t.equal(await run(['printf', '%s|', '$HOME', 'a b']), '$HOME|a b|')
  writeFileSync(join(root, 'inside', 'mine'), '#!/bin/sh\necho mine\n', { mode: 0o755 })
  t.equal(await run(['./mine'], { cwd: 'inside' }), 'mine\n')
  for (const argv of [['no-such-program-here'], [''], []])
    await t.rejects(run(argv), { code: 'EXECUTION_ERROR', details: { code: 'ENOENT' } })
})

t.test('accepts input while it runs, and returns the offset to read from', async t => {
  const { processes } = bench(t)
  const command = await processes.start({ command: 'cat; echo over', interactive: true, stdin: 'first ' })
  const deltas = command.deltas()
  t.same((await deltas.next()).value, { stream: 'stdout', text: 'first ', offset: 0 })
  await command.write('second €')
  t.same((await deltas.next()).value, { stream: 'stdout', text: 'second €', offset: 6 })
  t.match(command.texts(), { output: 'first second €', next_offset: 16 })
  command.endInput()
  t.match(await command.ended, { exit_code: 0, survivors: [] })
  t.equal(command.texts().stdout, 'first second €over\n')
  await t.rejects(command.write('late'), { code: 'CONFLICT' })
  const closed = await processes.start({ command: 'sleep 100' })
  await t.rejects(closed.write('x'), { code: 'CONFLICT' })
  closed.kill('SIGINT')
  t.match(await closed.ended, { signal: 'SIGINT' })
})

t.test('rejects unread input beyond a limit', async t => {
  const { processes } = bench(t)
  const command = await processes.start({ command: 'sleep 100', interactive: true })
  const first = command.write('x'.repeat(MIB - 1))
  await t.rejects(command.write('x'.repeat(MIB)), { code: 'OVERLOADED', recoverable: true })
  command.stop()
  await first
  t.match(await command.ended, { signal: 'SIGTERM' })
})

t.test('unread input leaves nothing behind', async t => {
  const reader = createServer(socket => socket.resume()).listen(0)
  await once(reader, 'listening')
  const stdin = connect((reader.address() as AddressInfo).port)
  await once(stdin, 'connect')
  t.teardown(() => {
    stdin.destroy()
    reader.close()
  })
  const events = ['drain', 'close', 'error'] as const
  const heard = () => events.map(event => stdin.listenerCount(event))
  const before = heard()
  const input = pipeInput(stdin)
  for (let i = 0; i < 20; i++) await input.write('x'.repeat(MIB))
  t.same(heard(), before)
})

t.test('a detached command outlives its call, within its time limit', async t => {
  const { processes, abort } = bench(t)
  const command = await processes.start({ command: 'echo up; exec sleep 100', timeout_ms: LONG })
  await command.deltas().next()
  command.detach()
  abort.abort(new ToolError('CANCELLED', 'enough'))
  t.ok(lives(command.pid))
  command.setTimeLimit(1)
  t.match(await command.ended, { signal: 'SIGTERM', timed_out: true })
})

t.test('never splits characters, for any chunking', async t => {
  const { run } = bench(t)
  const { deltas, result } = await run(
    String.raw`printf '\xe2\x82'; sleep 0.05; printf '\xac\xff\xf0\x9f'; sleep 0.05; printf '\x98\x80\xe2'`
  )
  t.equal(result.stdout, '€\ufffd😀\ufffd')
  t.equal(deltas.map(({ text }) => text).join(''), result.stdout)
  for (const { text } of deltas.slice(1)) t.notMatch(text, /^[\u0080-\u00bf]/)
})

t.test('shows the start and end of a long output; the whole can be read', async t => {
  const { run, outputs } = bench(t)
  const { result } = await run('seq 1 100000')
  const whole = Array.from({ length: 100_000 }, (_, i) => `${i + 1}\n`).join('')
  const [, head, lines, bytes, from, tail] = result.stdout.match(
    /^(.*)\n\[(\d+) lines, (\d+) bytes of stdout omitted, from byte (\d+)\..*?\]\n(.*)$/s
  )!
  t.ok(result.truncated)
  t.equal(Number(from), head!.length)
  const left = await outputs.read(CALL_ID, { stream: 'stdout', offset: Number(from), limit: Number(bytes), wait_ms: 0 })
  t.ok(head + left!.text + tail === whole, 'head, the part left out and tail are the whole')
  t.equal(left!.text.split('\n').length - 1, Number(lines))
  t.ok(head!.length + tail!.length <= 50_000)
})

t.test('hundreds of megabytes fill neither memory nor the disk', async t => {
  const { root } = bench(t)
  const child = serve(
    root,
    `
    let most = 0
    setInterval(() => { most = Math.max(most, process.memoryUsage.rss()) }, 5).unref()
    const before = process.memoryUsage.rss()
    for await (const _ of processes.run({ command: 'head -c 300000000 /dev/zero', timeout_ms: 120000 }));
    const q = { stream: 'stdout', limit: 1e9, wait_ms: 0 }
    const first = await outputs.read('${OTHER_ID}', { ...q, offset: 0 })
    const rest = await outputs.read('${OTHER_ID}', { ...q, offset: first.next_offset })
    console.log(JSON.stringify({ grown: most - before, rest: { ...rest, text: rest.text.length } }))
    `
  )
  const over = once(child, 'close')
  const { grown, rest } = JSON.parse(String((await once(child.stdout!.setEncoding('utf8'), 'data'))[0]))
  await over
  t.ok(grown < 100 * MIB, `memory grew by ${Math.round(grown / MIB)} MiB`)
  t.match(rest, { next_offset: 300_000_000, ended: true })
  t.ok(rest.dropped.bytes + 2 * MIB > 300_000_000, 'all but the limit was dropped')
})

t.test('many at once', async t => {
  const { shell } = bench(t)
  const numbers = Array.from({ length: 40 }, (_, i) => i)
  const results = await Promise.all(
    numbers.map(async i => {
      const running = shell(`echo ${i}; exit ${i}`)
      let step = await running.next()
      while (!step.done) step = await running.next()
      return [step.value.stdout, step.value.exit_code]
    })
  )
  t.same(
    results,
    numbers.map(i => [`${i}\n`, i])
  )
})

t.test('a crashed helper ends its commands, and the next one runs', async t => {
  const { shell, run } = bench(t)
  const running = shell('echo $PPID $$; (trap "" TERM; sleep 100)')
  const [helper, pid] = ((await running.next()).value as Delta).text.split(' ').map(Number)
  process.kill(helper!, 'SIGKILL')
  await t.rejects(running.next(), { code: 'EXECUTION_ERROR', message: /ended/ })
  const next = (await run(`echo $PPID; while kill -0 ${pid} 2>/dev/null; do sleep 0.01; done`)).result
  t.not(Number(next.stdout), helper)
  t.notOk(lives(pid!))
})

t.test('a crashed server leaves none of its commands', async t => {
  const { root } = bench(t)
  const child = serve(
    root,
    `
    const command = 'trap "" TERM; setsid sleep 1000 >/dev/null 2>&1 & echo $! $$ $PPID; while :; do sleep 0.01; done'
    for await (const { text } of processes.run({ command, timeout_ms: 120000 })) console.log(text)
    `
  )
  const [text] = await once(child.stdout!.setEncoding('utf8'), 'data')
  const pids = String(text).trim().split(' ').map(Number)
  t.same(pids.map(lives), [true, true, true])
  child.kill('SIGKILL')
  await once(child, 'exit')
  // Another server starts, and removes the leftovers of dead servers.
  createSpawnerCgroup()?.remove()
  const [, , helper] = pids
  await waitUntil('the helper to end', () => !lives(helper!))
  t.same(pids.filter(lives), [])
  t.same(globSync(join(root, '../toolgate-pipes-*')), [], 'nor is the folder of pipes left')
})

/** A process with its own `processes` and `outputs`, in place of the server. */
function serve(root: string, script: string) {
  const from = (file: string) => JSON.stringify(import.meta.resolve(`../../../src/host/${file}`))
  const program = `
    import { openWorkspace } from ${from('files/paths.ts')}
    import { OutputStore } from ${from('processes/outputs/output-store.ts')}
    import { Processes } from ${from('processes/processes.ts')}
    import { Spawner } from ${from('processes/spawner/spawner.ts')}
    const effects = { signal: new AbortController().signal, commitIntent: async () => {}, recordChange: () => {} }
    const outputs = new OutputStore(${JSON.stringify(join(root, '..', 'server'))}, { spill_bytes: 1e6 })
    const workspace = openWorkspace('default', ${JSON.stringify(root)})
    const spawner = new Spawner(process.env, ${JSON.stringify(join(root, '..'))})
    const processes = new Processes(spawner, outputs, workspace, effects, { call_id: '${OTHER_ID}', env_allow: [] })
    ${script}
    await outputs.flushed()
    await spawner.close()
  `
  return spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] })
}
