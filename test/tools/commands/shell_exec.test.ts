// tier: quick
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { ToolError } from '../../../src/errors.ts'
import type { Command } from '../../../src/host/processes/command/command.ts'
import { Spawner } from '../../../src/host/processes/spawner/spawner.ts'
import type { BackgroundTasks, JobCommand, JobDescription } from '../../../src/tool/background-tasks.ts'
import type { Progress } from '../../../src/tool/result.ts'
import shellExec from '../../../src/tools/commands/shell_exec.ts'
import { CALL_ID } from '../../call-id.ts'
import type { Json } from '../../start-app.ts'
import { catchErrorCode, planOf, previewOf, requestOf, runTool } from '../fixture.ts'
import { createHostFixture, drainProgress } from '../host-fixture.ts'

const spawner = new Spawner(process.env)
t.teardown(() => spawner.close())

t.test('runs, streams and shows a command', async t => {
  const { ctx, root } = createHostFixture(t, spawner, { sub: {} })
  const input = { command: '  echo out\npwd; echo err >&2; exit 3', cwd: 'sub', env: { A: 'b' } }
  const { told, answer: output } = await drainProgress(shellExec, input, ctx)
  const { duration_ms, output: both, ...rest } = output
  t.same(rest, {
    stdout: `out\n${realpathSync(root)}/sub\nerr\n`,
    exit_code: 3,
    signal: null,
    timed_out: false,
    survivors: [],
    truncated: false,
    isolation: 'none'
  })
  t.equal(both, rest.stdout)
  t.ok(told.every(({ delta }) => delta !== undefined && delta.text.length > 0))
  t.same(shellExec.present(output, input), {
    title: 'echo out ⏎ pwd; echo err >&2; exit 3 (+1 line)',
    content: `${both}[Exit code 3]`,
    metadata: { exit_code: 3, duration_ms }
  })
})

t.test('shows output as a terminal does, and keeps what was written', async t => {
  const { ctx } = createHostFixture(t, spawner, {})
  const input = {
    command: String.raw`printf 'get 1%%\rget 100%%\n\033[2K\033[1Gok\n'; printf '\000\001\002\377\000\n'`
  }
  const { answer: output } = await drainProgress(shellExec, input, ctx)
  t.equal(output.output, 'get 1%\rget 100%\n\u001b[2K\u001b[1Gok\n\0\u0001\u0002\uFFFD\0\n')
  t.equal(
    shellExec.present(output, input).content,
    `get 100%\nok\n[Binary output omitted: 5 characters]\n[Exit code 0]`
  )
})

t.test('describes its exit in words', async t => {
  const { ctx } = createHostFixture(t, spawner)
  const shown = async (input: { command: string; timeout_ms?: number }) =>
    shellExec.present(await runTool(shellExec, input, ctx), input).content
  t.equal(await shown({ command: 'true' }), '[Exit code 0]')
  t.equal(await shown({ command: 'kill -9 $$' }), '[Ended by SIGKILL]')
  t.match(await shown({ command: 'sleep 100', timeout_ms: 50 }), /^\[Time limit exceeded after \d+ ms\]$/)
  t.match(
    await shown({ command: 'sleep 100 & echo hi' }),
    /^hi\n\[Exit code 0\]\n\[Left running in the background, and ended: sleep \(\d+\)\]$/
  )
  t.match(await runTool(shellExec, { command: 'cat', stdin: 'in' }, ctx), { stdout: 'in' })
})

t.test('rejects invalid commands before approval', async t => {
  const { ctx } = createHostFixture(t, spawner, { 'a.txt': '' })
  const check = (input: object) => catchErrorCode(() => planOf(shellExec, { command: 'true', ...input }, ctx))
  t.equal(await check({ cwd: 'missing' }), 'FILE_NOT_FOUND')
  t.equal(await check({ cwd: 'a.txt' }), 'NOT_A_DIRECTORY')
  t.equal(await check({ cwd: '../' }), 'INVALID_PATH')
  t.equal(await check({ command: 'a\0b' }), 'INVALID_PARAMS')
  t.equal(await check({ env: { A: '\0' } }), 'INVALID_PARAMS')
  t.equal(await check({ isolation: 'none', network: ['a.example'] }), 'INVALID_PARAMS')
  const local = ['127.0.0.1:18765', 'localhost:3000', 'app.localhost', '[::1]:80', '0x7f.1', '10.0.0.1']
  for (const host of local) t.equal(await check({ network: [host] }), 'INVALID_PARAMS', host)
  await planOf(shellExec, { command: 'true', network: ['localhost.example', '93.184.215.14'] }, ctx)
  await t.rejects(async () => planOf(shellExec, { command: 'true', network: ['localhost'] }, ctx), {
    message:
      /^\/params\/network\/0: "localhost" is this machine, which a command in a sandbox cannot access\. Request isolation none/
  })
  t.equal(await check({ track_changes: true, wait_ms: 5 }), 'INVALID_PARAMS')
  t.equal(await check({ track_changes: true, survivors: 'keep' }), 'INVALID_PARAMS')
  const keep = { command: 'true', survivors: 'keep' } as const
  await planOf(shellExec, keep, ctx)
  for (const level of ['workspace', 'read-only', 'container'] as const) {
    const kept = { ...ctx, command: { isolation: { level, network: [] }, isReadOnly: false } }
    t.equal(await catchErrorCode(() => planOf(shellExec, keep, kept)), 'INVALID_PARAMS', level)
  }
})

/** Returns whether a process runs and is no zombie. */
const lives = (pid: number) =>
  existsSync(`/proc/${pid}/status`) && !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))

/** Holds the timer of this many milliseconds; returns what ends it. */
function holdTimer(t: Test, held: number): () => void {
  const { setTimeout } = globalThis
  let elapse: (() => void) | undefined
  const timers = mock.method(globalThis, 'setTimeout', (callback: () => void, ms?: number) => {
    if (ms !== held) return setTimeout(callback, ms)
    elapse = callback
    return undefined
  })
  t.teardown(() => timers.mock.restore())
  return () => elapse!()
}

/** Jobs that accept input and ignore it. */
function takingJobs() {
  const taken: { command: Command; facts: JobDescription }[] = []
  const jobs = {
    detachSignal: new AbortController().signal,
    adopt: async (command: JobCommand, facts: JobDescription) => {
      command.detach()
      taken.push({ command: command as Command, facts })
    }
  } as unknown as BackgroundTasks
  return { taken, jobs }
}

t.test("becomes a task when its caller's wait ends", async t => {
  const { ctx, outputs, root } = createHostFixture(t, spawner)
  const { taken, jobs } = takingJobs()
  const command = 'echo first; until [ -e go ]; do sleep 0.02; done; echo second'
  const input = { command, wait_ms: 3_600_000, description: 'a try' }
  const elapse = holdTimer(t, input.wait_ms)
  const running = shellExec.run(input, { ...ctx, jobs }, undefined) as AsyncGenerator<Progress, Json>
  t.match((await running.next()).value, { delta: { text: 'first\n' } })
  elapse()
  const { done, value: answer } = await running.next()
  t.equal(done, true)
  const { duration_ms, ...rest } = answer
  t.same(rest, {
    stdout: 'first\n',
    output: 'first\n',
    truncated: false,
    next_offset: 6,
    exit_code: null,
    signal: null,
    timed_out: false,
    survivors: [],
    isolation: 'none',
    task_id: CALL_ID
  })
  t.equal(
    shellExec.present(answer, input).content,
    `first\n[Continues as background task ${CALL_ID}; further output starts at byte 6]`
  )
  const [{ command: job, facts }] = taken as [(typeof taken)[0]]
  t.same(facts, { command, cwd: '.', interactive: false, description: 'a try' })
  writeFileSync(path.join(root, 'go'), '')
  const told = await job.deltas().next()
  t.match(told.value, { text: 'second\n', offset: 6 }, 'whoever follows it goes on where the answer left')
  t.match(await job.ended, { exit_code: 0 })
  t.match(await outputs.read(CALL_ID, { stream: 'output', offset: 6, limit: 100, wait_ms: 0 }), { text: 'second\n' })
})

t.test('moves to the background when no one waits any more', async t => {
  const { ctx } = createHostFixture(t, spawner)
  const { taken, jobs } = takingJobs()
  const moved = new AbortController()
  const running = shellExec.run(
    { command: 'echo up; exec sleep 100' },
    {
      ...ctx,
      jobs: { ...jobs, detachSignal: moved.signal }
    },
    undefined
  ) as AsyncGenerator<Progress, { task_id?: string }>
  t.match((await running.next()).value, { delta: { text: 'up\n' } })
  moved.abort()
  t.match(await running.next(), { done: true, value: { task_id: CALL_ID, exit_code: null } })
  taken[0]!.command.stop()
  t.match(await taken[0]!.command.ended, { signal: 'SIGTERM' })
})

t.test('auto-approved, has the usual time limit in the background', async t => {
  const { ctx } = createHostFixture(t, spawner)
  const limits: (number | undefined)[] = []
  const { taken, jobs } = takingJobs()
  const adopt: BackgroundTasks['adopt'] = (command, facts) => {
    ;(command as Command).setTimeLimit = ms => limits.push(ms)
    return jobs.adopt(command, facts)
  }
  const input = { command: 'sleep 600', wait_ms: 0 }
  await runTool(shellExec, input, {
    ...ctx,
    jobs: { ...jobs, adopt },
    command: { ...ctx.command, autoApproval: { argv: ['sleep', '600'] } }
  })
  t.strictSame(limits, [])
  await runTool(shellExec, input, { ...ctx, jobs: { ...jobs, adopt } })
  t.strictSame(limits, [undefined])
  for (const { command } of taken) {
    command.stop()
    await command.ended
  }
})

t.test('keeps its background processes if requested', async t => {
  const { ctx } = createHostFixture(t, spawner)
  const { taken, jobs } = takingJobs()
  const input = { command: 'setsid sleep 100 >/dev/null 2>&1 & (sleep 100) & echo up', survivors: 'keep' as const }
  const answer = await runTool(shellExec, input, { ...ctx, jobs })
  t.match(answer, { exit_code: 0, task_id: CALL_ID, output: 'up\n' })
  t.ok(answer.survivors.length >= 2)
  t.match(
    shellExec.present(answer, input).content,
    /\[Exit code 0\]\n\[Left running in the background, and kept: \w+ \(\d+\), \w+ \(\d+\)/
  )
  const { command } = taken[0]!
  for (const pid of answer.survivors) t.ok(lives(pid))
  command.stop()
  t.match(await command.ended, { exit_code: 0, signal: null })
  for (const pid of answer.survivors) t.notOk(lives(pid))
  t.notMatch(
    await runTool(shellExec, { ...input, command: 'true' }, { ...ctx, jobs }),
    { task_id: String },
    'nothing was left'
  )
})

t.test('reports silence once, until there is output again', async t => {
  const { ctx, root } = createHostFixture(t, spawner, {}, { quiet_ms: 100 })
  const wait = (file: string) => `until [ -e ${file} ]; do sleep 0.02; done`
  const command = `${wait('go')}; echo one; ${wait('end')}`
  const running = shellExec.run({ command }, ctx, undefined) as AsyncGenerator<Progress, Json>
  const silence = { message: /^The command has printed nothing for 0 s; the command cannot receive input/ }
  t.match((await running.next()).value, silence)
  writeFileSync(path.join(root, 'go'), '')
  t.match((await running.next()).value, { delta: { text: 'one\n' } })
  t.match((await running.next()).value, silence)
  writeFileSync(path.join(root, 'end'), '')
  t.match(await running.next(), { done: true, value: { exit_code: 0 } })
})

t.test('a command that prompts for a password fails at once', async t => {
  const { ctx } = createHostFixture(t, spawner)
  for (const command of ['read -p "Password: " pw </dev/tty', 'read -p "Password: " pw'])
    t.match(await runTool(shellExec, { command }, ctx), { exit_code: 1, timed_out: false }, command)
})

t.test('a command restricted by the sandbox reports the permissions to request', async t => {
  const result = {
    stdout: '',
    output: 'curl: (6) Could not resolve host: example.com\n',
    exit_code: 6,
    signal: null,
    timed_out: false,
    duration_ms: 5,
    survivors: [],
    truncated: false,
    isolation: 'workspace' as const,
    quarantined: ['.envrc'],
    network: {
      allowed: [],
      refused: [{ host: 'example.org', port: 443, attempts: 2, reason: 'It is not on the list.' }]
    }
  }
  const shown = (more: object) =>
    shellExec
      .present({ ...result, ...more }, { command: 'x' })
      .content.split('\n')
      .slice(1)
  t.same(shown({}), [
    '[Exit code 6]',
    '[The command ran in the sandbox `workspace`, with network access. The sandbox may have denied network access: request `network` for the hosts that the command needs]',
    '[Moved out of the workspace, because programs execute them automatically or hang on them, or there are too many folders: .envrc]',
    '[Network access denied: example.org:443 (It is not on the list.)]'
  ])
  const plain = { quarantined: [], network: undefined }
  t.match(
    shown({ ...plain, output: '\ntouch: x: Read-only file system' })[2],
    /without network access\. The sandbox may have denied writing to this path: request `isolation` with a lower level\]/
  )
  t.match(
    shown({ ...plain, output: 'EROFS\nENETUNREACH' }).filter(line => line.includes('The sandbox may have')).length,
    2,
    'one for each cause'
  )
  t.same(shown({ ...plain, exit_code: 0 }), ['[Exit code 0]'])
  t.same(shown({ ...plain, isolation: 'none' }), ['[Exit code 6]'])
  t.same(shown({ ...plain, output: '', exit_code: 137 }), [], 'its first line says how it ended')
  t.match(
    shellExec.present({ ...result, exit_code: 139, output: '' }, { command: 'x' }).content,
    /^\[Exit code 139: its own exit code, or killed by SIGSEGV\]\n/
  )
  t.same(shown({ ...plain, exit_code: 0, quarantine_folder: '/state/q', quarantined: ['a'], unchecked: 'Too many.' }), [
    '[Exit code 0]',
    '[Moved out of the workspace, because programs execute them automatically or hang on them, or there are too many folders: a. They are now in /state/q, with the same relative paths: copy back the ones you need]',
    '[Files that programs execute automatically may remain in the workspace: Too many]'
  ])
})

t.test('cancelling reports the reason', async t => {
  const { ctx, abort } = createHostFixture(t, spawner)
  const running = runTool(shellExec, { command: 'sleep 100' }, ctx)
  abort.abort(new ToolError('CANCELLED', 'enough'))
  await t.rejects(running, { code: 'CANCELLED' })
})

t.test('the approver sees everything, hidden characters too', async t => {
  const { ctx } = createHostFixture(t, spawner, { sub: {} })
  t.same(await previewOf(shellExec, { command: 'make all\n\techo done' }, ctx), {
    title: 'make all ⏎ echo done (+1 line)',
    text: 'make all\n\techo done\ncwd: .',
    notes: [],
    information: []
  })
  const hostile = {
    command: 'echo \u202e\u200b\x1b[2Jhi',
    cwd: 'sub',
    env: { A: '1' },
    stdin: 'x',
    description: 'say hi'
  }
  t.same(await previewOf(shellExec, hostile, ctx), {
    title: 'echo \\u{202e}\\u{200b}\\u{1b}[2Jhi',
    text: 'echo \\u{202e}\\u{200b}\\u{1b}[2Jhi\ncwd: sub\nenv: A=1\nstdin: x',
    notes: ['Contains control or invisible characters; they are shown as \\u{…}.'],
    information: ['Description by the caller: say hi']
  })
  const commandOf = async (input: Parameters<typeof shellExec.request>[0]) =>
    (await requestOf(shellExec, input, ctx)).command
  const tracks = undefined
  t.same(await commandOf({ command: 'x', cwd: 'sub' }), { line: 'x', cwd: 'sub', modifiers: [], tracks })
  t.same((await commandOf({ command: 'x', env: { A: '1' }, stdin: '' }))?.modifiers, ['env', 'stdin'])
  t.same(await commandOf({ command: 'x', isolation: 'none', survivors: 'keep' }), {
    line: 'x',
    cwd: '.',
    modifiers: ['survivors'],
    isolation: { level: 'none', network: undefined },
    untracked: 'The command may continue in the background, where its changes are not tracked.',
    tracks
  })
  t.equal(
    (await previewOf(shellExec, { command: 'x', isolation: 'read-only', network: ['a.example', '*.b.example'] }, ctx))
      .text,
    'x\ncwd: .\nisolation: read-only\nnetwork: a.example, *.b.example'
  )
  const limit = shellExec.timeout_ms as (input: object) => number
  t.same([limit({ command: 'x' }), limit({ command: 'x', timeout_ms: 10 })], [125_000, 5_010])
})
