// npm run campaign -- hygiene: commands that leave processes behind in every possible way, cancellations midway, and a server killed while
// commands and jobs run. Checks for leftovers each time, prints figures as JSON, and exits with 1 if there are any.
import { spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Client, connect } from '../../src/client/client.ts'
import { needs } from '../support/needs.ts'
import { daemonCommands, longRunningCommand } from './daemons.ts'
import { isPermanentCgroup, listCgroups, OrphanTracker } from './orphan-tracker.ts'

const BUILT = join(import.meta.dirname, '../../bin/toolgate.cjs')
const LEVELS = ['none', 'workspace'] as const
const IN_FLIGHT = 8
const JOBS = 8
/** All must be gone this long after the end of their owner. */
const GONE_MS = 2_000
const START_MS = 20_000
const LONGEST_LIFE_MS = 100

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '1000' } } })
const rounds = Number(values.rounds)
const failures: string[] = []
const stats: Record<string, object> = {}
const { skip } = needs('sandbox')
for (const level of LEVELS) stats[level] = level !== 'none' && skip ? { skipped: skip } : await runRound(level)
console.log(JSON.stringify({ ...stats, faults: failures }, null, 2))
if (failures.length > 0) process.exitCode = 1

/** A result's report on a command. In a sandbox there are no leftovers: all in it ends with the command. */
interface RunSummary {
  isolation: string
  survivors: number[]
}

async function runRound(level: (typeof LEVELS)[number]) {
  const fault = (text: string) => failures.push(`${level}: ${text}`)
  const marker = `hygiene-${randomBytes(8).toString('hex')}`
  const lines = daemonCommands(marker, level)
  const leftovers = new OrphanTracker(marker)
  const at = createProject(level, [...lines, longRunningCommand(marker)])
  const before = filesIn(at.root)
  const pids: number[] = []
  let server = await serve(at)
  pids.push(server.pid)
  const began = performance.now()
  let survivors = 0

  await runConcurrently(rounds, async i => {
    const call = await server.client.call('shell_exec', { command: lines[i % lines.length]! }, { wait_ms: 120_000 })
    leftovers.calls.add(call.tool_call_id)
    const ran = call.status === 'success' ? (call.result.data as RunSummary) : undefined
    if (ran?.isolation !== level) fault(`${lines[i % lines.length]} came to ${JSON.stringify(call)}`)
    survivors += ran?.survivors.length ?? 0
  })
  const daemons_gone_ms = await waitUntilGone(leftovers, text => fault(`after the daemons ${text}`))

  const cancels = Math.ceil(rounds / 10)
  await runConcurrently(cancels, async () => {
    const { tool_call_id } = await server.client.call(
      'shell_exec',
      { command: longRunningCommand(marker) },
      { wait_ms: 0 }
    )
    leftovers.calls.add(tool_call_id)
    await setTimeout(randomInt(LONGEST_LIFE_MS))
    await server.client.cancel(tool_call_id)
  })
  const cancels_gone_ms = await waitUntilGone(leftovers, text => fault(`after the cancels ${text}`))
  for (const zombie of leftovers.findZombies(server.pid)) fault(`the server keeps a zombie: ${zombie}`)
  for (const group of listCgroups(pids)) if (!isPermanentCgroup(group)) fault(`${group} is left while nothing runs`)

  for (let i = 0; i < JOBS; i++) {
    const call = await server.client.call('shell_background', { command: longRunningCommand(marker) })
    const waiting = await server.client.call('shell_exec', { command: longRunningCommand(marker) }, { wait_ms: 0 })
    for (const { tool_call_id } of [call, waiting]) leftovers.calls.add(tool_call_id)
  }
  await until(() => leftovers.findMarked().length >= 2 * JOBS, START_MS)
  if (leftovers.findMarked().length < 2 * JOBS) fault('not all of what was to be killed has started')
  const groups = listCgroups(pids).length
  leftovers.remember(server.pid)
  await server.end('SIGKILL')
  const killed = performance.now()
  const killed_gone_ms = await waitUntilGone(leftovers, text => fault(`after the kill ${text}`))
  await until(() => leftovers.findSurvivors().length === 0, killed + GONE_MS - performance.now())
  for (const one of leftovers.findSurvivors()) fault(`after the kill there still is ${one}`)
  const left_to_init = leftovers.countLeftToInit()

  server = await serve(at)
  pids.push(server.pid)
  // A server cleans up before the first command.
  await server.client.call('run_code', { language: 'bash', code: 'true' })
  const jobs = await server.client.jobs()
  const interrupted = jobs.filter(({ status }) => status === 'interrupted').length
  if (interrupted !== JOBS) fault(`${interrupted} of ${JOBS} jobs are told to be interrupted`)
  await server.end('SIGTERM')
  for (const group of listCgroups(pids)) fault(`${group} is left after the next start`)
  for (const name of readdirSync(at.temporary)) fault(`${name} is left among temporary files`)
  const after = filesIn(at.root)
  if (after.join('\n') !== before.join('\n')) fault(`the workspace holds ${after.join(', ')}`)
  rmSync(at.home, { recursive: true })
  const took_s = Math.round((performance.now() - began) / 1_000)
  return {
    daemons: rounds,
    survivors,
    daemons_gone_ms,
    cancels,
    cancels_gone_ms,
    killed: 2 * JOBS,
    groups,
    killed_gone_ms,
    left_to_init,
    took_s
  }
}

/** Creates a home, a workspace and a folder for temporary files. Only the named commands are auto-approved there. */
function createProject(level: string, commands: readonly string[]) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'hygiene-')))
  const [root, temporary, config] = [join(home, 'ws'), join(home, 'tmp'), join(home, '.config/toolgate')]
  for (const folder of [join(root, 'src'), temporary, config]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(root, 'src/a.txt'), 'a\n')
  const rules = commands.map(command => ({ effect: 'allow', match: { command } }))
  writeFileSync(join(config, 'config.jsonc'), JSON.stringify({ sandbox: { level }, rules }))
  return { home, root, temporary }
}

interface ServerHandle {
  pid: number
  client: Client
  end(signal: NodeJS.Signals): Promise<void>
}

async function serve({ home, root, temporary }: ReturnType<typeof createProject>): Promise<ServerHandle> {
  const child = spawn(process.execPath, [BUILT, 'serve', '--ready', 'json', '--log-level', 'error'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: temporary, TOOLGATE_ADMIN_CONFIG: join(home, 'none') },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const exited = once(child, 'exit')
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { url, discovery_file } = JSON.parse(line)
  const { token } = JSON.parse(readFileSync(discovery_file, 'utf8'))
  return {
    pid: child.pid!,
    client: connect({ url, token }),
    async end(signal) {
      child.kill(signal)
      await exited
    }
  }
}

/** Runs work this many times, a few at once. */
async function runConcurrently(count: number, work: (i: number) => Promise<void>) {
  let next = 0
  const lane = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
}

/** Returns how long it took until nothing was left; leftovers at the end are errors. */
async function waitUntilGone(leftovers: OrphanTracker, fault: (text: string) => void): Promise<number> {
  const began = performance.now()
  await until(() => leftovers.findMarked().length === 0, GONE_MS)
  const took = Math.round(performance.now() - began)
  for (const one of leftovers.findMarked()) fault(`there still is ${one}`)
  return took
}

async function until(isSo: () => boolean, ms: number) {
  const end = performance.now() + ms
  while (!isSo() && performance.now() < end) await setTimeout(20)
}

function filesIn(root: string) {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()
}
