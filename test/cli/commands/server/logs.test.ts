// Tests of reading command output of any size.
// tier: full
import { PassThrough, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { runCli } from '../../../../src/cli/run.ts'
import { once } from '../../../support/wait.ts'
import { serveProject } from '../../toolgate.ts'

const { client, home, project, program, start } = await serveProject(t)

/** Runs a command that prints, and returns its id once it has ended. */
async function printed(command: string) {
  const asked = await client.call('shell_exec', { command, isolation: 'none' })
  if (asked.status !== 'awaiting_approval') throw new Error(JSON.stringify(asked))
  await client.approve(asked.tool_call_id, { wait_ms: 120_000, digest: asked.approval.digest, confirm: true })
  return asked.tool_call_id
}

t.test('holds one page of much output at a time, for any reading speed', async t => {
  const id = await printed('head -c 12000000 /dev/zero | tr "\\0" x')
  let held: (() => void) | undefined
  let [bytes, most] = [0, 0]
  const stdout = new Writable({
    write(piece: Buffer, _, taken) {
      bytes += piece.length
      held = taken
    }
  })
  // Nothing is read before there is a reader.
  stdout.on('newListener', async name => {
    if (name !== 'drain') return
    most = Math.max(most, stdout.writableLength)
    await setImmediate()
    held?.()
  })
  const code = await runCli({
    argv: ['logs', id],
    env: { HOME: home, PATH: process.env.PATH },
    cwd: project,
    pid: process.pid,
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    selfCommand: [],
    exit: code => process.exit(code),
    onSignal: () => {}
  })
  t.same({ code, bytes }, { code: 0, bytes: 12_000_000 })
  t.ok(most > 0 && most <= 1_048_576, `${most} bytes`)
})

t.test('exits silently on a broken pipe', async t => {
  const id = await printed('seq 1000000')
  const child = start(['logs', id])
  const ended = once(child, 'close')
  let told = ''
  child.stderr.on('data', piece => {
    told += piece
  })
  await once(child.stdout, 'data')
  child.stdout.destroy()
  t.same(await ended, [141, null])
  t.equal(told, '')
})

t.test('prints the whole output', async t => {
  const id = await printed('seq 1000000')
  const whole = Array.from({ length: 1_000_000 }, (_, i) => `${i + 1}\n`).join('')
  for (const argv of [
    ['logs', id],
    ['show', id, '--output']
  ]) {
    const { code, stdout, stderr } = await program(argv)
    t.same({ code, stderr }, { code: 0, stderr: '' })
    t.ok(stdout === whole)
  }
})
