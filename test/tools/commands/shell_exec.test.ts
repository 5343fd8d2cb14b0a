import { realpathSync } from 'node:fs'
import t from 'tap'
import { ToolError } from '../../../src/errors.ts'
import { Spawner } from '../../../src/host/spawner.ts'
import shellExec from '../../../src/tools/commands/shell_exec.ts'
import { code, NO_HISTORY, run } from '../context.ts'
import { drain, makeMachine } from '../machine.ts'

const spawner = new Spawner()
t.teardown(() => spawner.close())

t.test('a command is run, streamed and shown', async t => {
  const { ctx, root } = makeMachine(t, spawner, { sub: {} })
  const input = { command: '  echo out\npwd; echo err >&2; exit 3', cwd: 'sub', env: { A: 'b' } }
  const { told, answer: output } = await drain(shellExec, input, ctx)
  const { duration_ms, output: both, ...rest } = output
  t.same(rest, {
    stdout: `out\n${realpathSync(root)}/sub\n`,
    stderr: 'err\n',
    exit_code: 3,
    signal: null,
    timed_out: false,
    survivors: [],
    truncated: false,
    isolation: 'none'
  })
  t.equal(both.length, `${rest.stdout}${rest.stderr}`.length)
  t.ok(told.every(({ delta }) => delta !== undefined && delta.text.length > 0))
  t.same(shellExec.present(output, input), {
    title: 'echo out',
    content: `${both}[Exit code 3]`,
    metadata: { exit_code: 3, duration_ms }
  })
})

t.test('its end is told in words', async t => {
  const { ctx } = makeMachine(t, spawner)
  const shown = async (input: { command: string; timeout_ms?: number }) =>
    shellExec.present(await run(shellExec, input, ctx), input).content
  t.equal(await shown({ command: 'true' }), '[Exit code 0]')
  t.equal(await shown({ command: 'kill -9 $$' }), '[Ended by SIGKILL]')
  t.match(await shown({ command: 'sleep 100', timeout_ms: 50 }), /^\[Ended at its time limit, after \d+ ms\]$/)
  t.match(
    await shown({ command: 'sleep 100 & echo hi' }),
    /^hi\n\[Exit code 0\]\n\[Left running in the background, and ended: \d+\]$/
  )
  t.match(await run(shellExec, { command: 'cat', stdin: 'in' }, ctx), { stdout: 'in' })
})

t.test('what cannot run is refused before anybody is asked', async t => {
  const { ctx } = makeMachine(t, spawner, { 'a.txt': '' })
  const check = (input: object) => code(() => shellExec.check!({ command: 'true', ...input }, ctx))
  t.equal(await check({ cwd: 'missing' }), 'FILE_NOT_FOUND')
  t.equal(await check({ cwd: 'a.txt' }), 'NOT_A_DIRECTORY')
  t.equal(await check({ cwd: '../' }), 'INVALID_PATH')
  t.equal(await check({ command: 'a\0b' }), 'INVALID_PARAMS')
  t.equal(await check({ env: { A: '\0' } }), 'INVALID_PARAMS')
})

t.test('cancelling it gives the reason', async t => {
  const { ctx, abort } = makeMachine(t, spawner)
  const running = run(shellExec, { command: 'sleep 100' }, ctx)
  abort.abort(new ToolError('CANCELLED', 'enough'))
  await t.rejects(running, { code: 'CANCELLED' })
})

t.test('the approver sees everything, hidden characters too', async t => {
  const { ctx } = makeMachine(t, spawner)
  t.same(await shellExec.preview!({ command: 'make all\n\techo done' }, ctx), {
    title: 'make all',
    text: 'make all\n\techo done\ncwd: .',
    notes: []
  })
  const hostile = {
    command: 'echo \u202e\u200b\x1b[2Jhi',
    cwd: 'sub',
    env: { A: '1' },
    stdin: 'x',
    description: 'say hi'
  }
  t.same(await shellExec.preview!(hostile, ctx), {
    title: 'echo \\u{202e}\\u{200b}\\u{1b}[2Jhi',
    text: 'echo \\u{202e}\\u{200b}\\u{1b}[2Jhi\ncwd: sub\nenv: A=1\nstdin: x',
    notes: ['The caller says: say hi', 'It holds control or invisible characters, shown here as \\u{…}.']
  })
  t.same(shellExec.subject({ command: 'x', cwd: 'sub' }, NO_HISTORY), { command: 'x', cwd: 'sub', alters: [] })
  t.same(shellExec.subject({ command: 'x', env: { A: '1' }, stdin: '' }, NO_HISTORY).alters, ['env', 'stdin'])
  const limit = shellExec.timeout_ms as (input: object) => number
  t.same([limit({ command: 'x' }), limit({ command: 'x', timeout_ms: 10 })], [125_000, 5_010])
})
