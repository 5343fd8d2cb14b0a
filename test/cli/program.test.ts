// Tests of the built program as a process: every command loads and ends there as it does within a test, where most are tested.
// tier: full
import t from 'tap'
import { COMMANDS } from '../../src/cli/run.ts'
import { waitUntil, within } from '../support/wait.ts'
import { CALL_ID_PATTERN, normalizeOutput, serveProject } from './toolgate.ts'

const { begin, client, program, toolgate } = await serveProject(t)

t.test('prints the help of every command', async t => {
  for (const name of Object.keys(COMMANDS)) {
    const printed = await program([name, '--help'])
    t.match(printed, { code: 0, stdout: `Usage: toolgate ${name} `, stderr: '' }, name)
    t.same(printed, await toolgate([name, '--help']), name)
  }
})

t.test('succeeds and fails like the command within a test', async t => {
  const cases: [argv: string[], code: number][] = [
    [['status', '--json'], 0],
    [['tools'], 0],
    [['call', 'read_file', 'path=a.txt'], 0],
    [['call', 'read_file', 'path=none'], 1],
    [['call', 'shell_exec', 'command=rm -rf /'], 5],
    [['explain', '--', 'cat a.txt'], 0],
    [['approvals'], 0],
    [['show', 'tc_none'], 1],
    [['rules', 'add', 'perhaps'], 2],
    [['config', 'get', 'limits.read'], 0],
    [['status', '--url', 'http://127.0.0.1:1'], 4],
    [['complete', 'fish', '--', 'appr'], 0],
    [['bogus'], 2]
  ]
  for (const [argv, code] of cases) {
    const [process, command] = await Promise.all([program(argv), toolgate(argv)])
    t.equal(process.code, code, argv.join(' '))
    t.same(normalize(process), normalize(command), argv.join(' '))
  }
})

const normalize = ({ code, stdout, stderr }: Awaited<ReturnType<typeof program>>) => ({
  code,
  stdout: normalizeOutput(stdout),
  stderr: normalizeOutput(stderr)
})

t.test('reads its input, and decides', async t => {
  const input = JSON.stringify({ path: 'a.txt', old: 'hello', new: 'bye' })
  const asked = await program(['call', 'edit_file', '--args', '-', '--no-wait'], { input })
  const id = asked.stdout.trim()
  t.match(id, CALL_ID_PATTERN)
  t.match(await program(['approve', id, '--yes']), { code: 0, stdout: `${id} approved\n` })
  t.equal((await client.get(id, { wait_ms: 10_000 })).status, 'success')
})

t.test('a command within a test leaves nothing in its process when it ends', async t => {
  await toolgate(['status'])
  const before = resources()
  for (const argv of [
    ['status', '--timeout', '1h'],
    ['call', 'read_file', 'path=a.txt', '--timeout', '1h'],
    ['tail', '--since', '0', '--timeout', '100ms'],
    ['doctor']
  ])
    await toolgate(argv)
  const watch = begin(['approvals', '--watch', '--json'])
  const call = begin(['call', 'shell_exec', 'command=touch b'])
  const [first] = await within('a line of the watch', watch.stdout.take(1).toArray())
  t.match(String(first), '"status":"awaiting_approval"')
  for (const each of [call, watch]) {
    each.interrupt()
    t.equal(await within('it to end', each.ended), 130)
  }
  t.equal((await client.state()).pending.length, 0, 'an interrupt cancels the call')
  await waitUntil('its connections and timers to end', () => added(before, resources()).length === 0)
})

/** Returns the types of all timers, connections and so on that keep this process alive. */
const resources = () => process.getActiveResourcesInfo()

/** Returns the types that are there more often than before. */
const added = (before: readonly string[], now: readonly string[]) => {
  const count = (all: readonly string[], type: string) => all.filter(each => each === type).length
  return [...new Set(now)].filter(type => count(now, type) > count(before, type))
}
