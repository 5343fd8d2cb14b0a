// Order of standard output and standard error: exact in the combined output of a command, which has one pipe for both; two pipes on
// request.
// tier: full
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { getJob, runApproved, startJob, waitForJobEnd } from './jobs.ts'

const ROUNDS = 20
const NUMBERS = Array.from({ length: ROUNDS }, (_, i) => i + 1)
const BOTH = NUMBERS.map(i => `o${i}\ne${i}\n`).join('')
const STDOUT = NUMBERS.map(i => `o${i}\n`).join('')
const STDERR = NUMBERS.map(i => `e${i}\n`).join('')

const repeat = (body: string) => `for i in $(seq ${ROUNDS}); do ${body}; done`
const BUILTINS = repeat('echo o$i; echo e$i >&2')

/** Commands that write to both streams in turns, each in another way. */
const WRITERS: Readonly<Record<string, string>> = {
  'shell builtins': BUILTINS,
  'a process for each stream': repeat('sh -c "echo o$i"; sh -c "echo e$i >&2"'),
  'reopened descriptors': repeat('echo o$i >/dev/stdout; echo e$i | tee /dev/stderr >/dev/null'),
  'one program': `node -e 'for (let i = 1; i <= ${ROUNDS}; i += 1) { console.log("o" + i); console.error("e" + i) }'`,
  'a program and its children': `node -e 'const { spawnSync } = require("node:child_process")
    for (let i = 1; i <= ${ROUNDS}; i += 1) {
      require("node:fs").writeSync(1, "o" + i + "\\n")
      spawnSync("sh", ["-c", "echo e" + i + " >&2"], { stdio: "inherit" })
    }'`
}

t.test('standard output and standard error', async t => {
  process.env.SPLIT_SECRET = 'k9-split-over-two-streams-x7'
  t.teardown(() => delete process.env.SPLIT_SECRET)
  const app = await startApp(t)
  const execute = (params: object) => runApproved(app, 'shell_exec', params)

  t.test('are shown in the order in which they were written', async t => {
    const events = await app.events()
    for (const [name, command] of Object.entries(WRITERS)) {
      const { tool_call_id, result } = await execute({ command })
      t.equal(result.data.output, BOTH, name)
      t.equal(result.content, `${BOTH}[Exit code 0]`, name)
      t.equal((await app.get(`/calls/${tool_call_id}/output`)).text, BOTH, name)
      const deltas = (await events.type('tool.result')).flatMap(({ delta }) => delta?.text ?? [])
      t.equal(deltas.join(''), BOTH, name)
    }
  })

  t.test('keep their order in concurrent calls', async t => {
    const calls = await Promise.all(Array.from({ length: 8 }, () => execute({ command: BUILTINS })))
    for (const { result } of calls) t.equal(result.data.output, BOTH)
  })

  t.test('are separate on request', async t => {
    const { tool_call_id, result } = await execute({ command: BUILTINS, separate_streams: true })
    t.match(result.data, { stdout: STDOUT, stderr: STDERR })
    t.equal(result.data.output.length, BOTH.length)
    for (const [stream, text] of Object.entries({ stdout: STDOUT, stderr: STDERR }))
      t.equal((await app.get(`/calls/${tool_call_id}/output?stream=${stream}`)).text, text)
    const { result: merged } = await execute({ command: BUILTINS })
    t.equal(merged.data.stdout, BOTH)
    t.notOk('stderr' in merged.data)
  })

  t.test('of a job are one stream, or two on request', async t => {
    const merged = await startJob(app, BUILTINS)
    await waitForJobEnd(app, merged)
    t.match(await getJob(app, merged), { output: BOTH })
    t.match(await getJob(app, merged, { stream: 'stdout' }), { output: BOTH })
    const separate = await startJob(app, BUILTINS, { separate_streams: true })
    await waitForJobEnd(app, separate)
    t.match(await getJob(app, separate, { stream: 'stdout' }), { output: STDOUT })
    t.match(await getJob(app, separate, { stream: 'stderr' }), { output: STDERR })
    const params = { command: 'true', pty: {}, separate_streams: true }
    t.match((await app.call('shell_background', params)).error, {
      code: 'INVALID_PARAMS',
      message: /separate_streams.*terminal/
    })
  })

  t.test('mask a secret that is written in parts, one to each', async t => {
    const { result } = await execute({ command: 'printf k9-split-over-; printf two-streams-x7 >&2; echo' })
    t.equal(result.data.output, '[masked: SPLIT_SECRET]\n')
  })
})

t.test('standard output and standard error in a sandbox', needs('sandbox'), async t => {
  const app = await startApp(t, {}, { settings: { sandbox: defaultSettings().sandbox } })

  t.test('are shown in the order in which they were written', async t => {
    const commands = { 'read-only': BUILTINS, workspace: `${BUILTINS}; touch made.txt` }
    for (const [isolation, command] of Object.entries(commands)) {
      const { result } = await runApproved(app, 'shell_exec', { command })
      t.match(result.data, { output: BOTH, isolation })
    }
  })

  t.test('of code are one stream, or two on request', async t => {
    const code = { language: 'bash', code: BUILTINS }
    t.match((await runApproved(app, 'run_code', code)).result, {
      data: { output: BOTH },
      content: `${BOTH}[Exit code 0]`
    })
    const { result } = await runApproved(app, 'run_code', { ...code, separate_streams: true })
    t.match(result.data, { stdout: STDOUT, stderr: STDERR })
  })
})
