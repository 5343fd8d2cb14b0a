// The smallest command, unsandboxed and in the sandbox. The floors: the same shell started by a small process, and by a bare
// bubblewrap with the same mounts and the same seccomp filter.
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { defaultSettings } from '../../src/config/merge.ts'
import { openWorkspace } from '../../src/host/files/paths.ts'
import { openSandbox } from '../../src/host/sandbox/open-sandbox.ts'
import type { BenchEnvironment } from '../environment.ts'
import { LoadClient, measureLatencies, type ToolCall } from '../load-client.ts'
import { interleave } from '../measure.ts'
import { latencyMeasurements, type Measurement, type Target } from '../measurement.ts'
import { findServerShell } from '../shell.ts'
import { type Command, measureDurations, type RunResult } from '../spawner.ts'
import type { Benchmark } from './benchmark.ts'

const STATUS = '--json-status-fd'
const TRUE: ToolCall = { tool: 'shell_exec', params: { command: 'true' } }

export default {
  name: 'commands',
  async measure(ground) {
    const file = findServerShell()
    const env = { PATH: process.env.PATH ?? '', HOME: ground.folder, TERM: 'dumb' }
    const bare: Command = { file, args: ['-c', 'true'], cwd: ground.root, env }
    return [
      ...(await compareWithShell(ground, 'none', bare, { bound: 'at most', times: 1.3, plus: 2 })),
      ...(await compareWithShell(ground, 'workspace', await sandboxCommand(ground, bare), {
        bound: 'at most',
        times: 1.3
      }))
    ]
  }
} satisfies Benchmark

async function compareWithShell(
  ground: BenchEnvironment,
  level: 'none' | 'workspace',
  floor: Command,
  p50: Target
): Promise<Measurement[]> {
  const server = await ground.startToolgate(ground.root, level)
  const one = await LoadClient.open(ground, server, [TRUE])
  const { body } = await one.say()
  if (!body.includes(`"isolation":"${level}"`)) throw new Error(`not kept as it should be: ${body}`)
  const spawner = ground.spawner()
  const run = async () => assertSucceeded(await spawner.run(floor))
  const samples = ground.scale(100, 4)
  const measured = await interleave(ground.scale(7, 2), {
    ours: () => measureLatencies(one, samples),
    floor: () => measureDurations(samples, run)
  })
  await server.stop()
  return latencyMeasurements(`shell_exec true, isolation ${level}`, measured, { p50 })
}

/** Returns the command in a bubblewrap as the server would start it, without its limits and its control group. */
async function sandboxCommand(ground: BenchEnvironment, command: Command): Promise<Command> {
  const sandbox = openSandbox({
    environment: process.env,
    settings: defaultSettings().sandbox,
    stateDir: path.join(ground.folder, 'floor-state'),
    hidden: [],
    sensitive: [],
    ownPorts: () => []
  })
  const workspace = openWorkspace('floor', realpathSync(ground.floorRoot))
  const program = { ...command, cwd: workspace.root }
  const { file, args, env, inherit, released } = await sandbox.confine(
    program,
    { level: 'workspace', network: [] },
    workspace
  )
  ground.onCleanup(async () => void (await released()))
  const whole = [file, ...args]
  const first = whole.findIndex(word => path.basename(word) === 'bwrap')
  const [bwrap, ...told] = whole.slice(first, whole.indexOf('--', first) + 1)
  // The exit status would go into a file that the words before bubblewrap open for it.
  const own = told.filter((word, i) => word !== STATUS && told[i - 1] !== STATUS)
  if (first < 0 || bwrap === undefined) throw new Error(`there is no bubblewrap in ${whole.join(' ')}`)
  return { file: bwrap, args: [...own, command.file, ...command.args], cwd: '/', env, inherit }
}

function assertSucceeded(ran: RunResult): RunResult {
  if (ran.code !== 0) throw new Error(`true ended with ${ran.code}`)
  return ran
}
