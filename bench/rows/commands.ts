// The least command, with all rights and in the sandbox. The floors: the same shell started by a small process, and by a
// bare bubblewrap that is told the same mounts and the same filter of system calls.
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { defaults } from '../../src/config/merge.ts'
import { Config } from '../../src/config/schema.ts'
import { openWorkspace } from '../../src/host/files/paths.ts'
import { openSandbox } from '../../src/host/sandbox/open-sandbox.ts'
import type { Ground } from '../environment.ts'
import { latencies, Talker, type ToolCall } from '../load-client.ts'
import { inTurns } from '../measure.ts'
import { type Finding, latencyFindings, type Target } from '../measurement.ts'
import { shell } from '../shell.ts'
import { type Command, durations, type Ran } from '../spawner.ts'
import type { Row } from './benchmark.ts'

const STATUS = '--json-status-fd'
const TRUE: ToolCall = { tool: 'shell_exec', params: { command: 'true' } }

export default {
  name: 'commands',
  async measure(ground) {
    const file = shell()
    const env = { PATH: process.env.PATH ?? '', HOME: ground.folder, TERM: 'dumb' }
    const bare: Command = { file, args: ['-c', 'true'], cwd: ground.root, env }
    return [
      ...(await beside(ground, 'none', bare, { bound: 'at most', times: 1.3, plus: 2 })),
      ...(await beside(ground, 'workspace', await sandboxed(ground, bare), { bound: 'at most', times: 1.3 }))
    ]
  }
} satisfies Row

async function beside(ground: Ground, level: 'none' | 'workspace', floor: Command, p50: Target): Promise<Finding[]> {
  const server = await ground.ours(ground.root, level)
  const one = await Talker.open(ground, server, [TRUE])
  const { body } = await one.say()
  if (!body.includes(`"isolation":"${level}"`)) throw new Error(`not kept as it should be: ${body}`)
  const spawner = ground.spawner()
  const run = async () => succeeded(await spawner.run(floor))
  const samples = ground.many(100, 4)
  const measured = await inTurns(ground.many(7, 2), {
    ours: () => latencies(one, samples),
    floor: () => durations(samples, run)
  })
  await server.stop()
  return latencyFindings(`shell_exec true, isolation ${level}`, measured, { p50 })
}

/** The command in a bubblewrap as the server would start it, without its limits and its control group. */
async function sandboxed(ground: Ground, command: Command): Promise<Command> {
  const sandbox = openSandbox({
    environment: process.env,
    settings: defaults(Config).sandbox,
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
  ground.onClear(async () => void (await released()))
  const whole = [file, ...args]
  const first = whole.findIndex(word => path.basename(word) === 'bwrap')
  const [bwrap, ...told] = whole.slice(first, whole.indexOf('--', first) + 1)
  // Where it would write how the program ended: into a file that the words before bubblewrap open for it.
  const own = told.filter((word, i) => word !== STATUS && told[i - 1] !== STATUS)
  if (first < 0 || bwrap === undefined) throw new Error(`there is no bubblewrap in ${whole.join(' ')}`)
  return { file: bwrap, args: [...own, command.file, ...command.args], cwd: '/', env, inherit }
}

function succeeded(ran: Ran): Ran {
  if (ran.code !== 0) throw new Error(`true ended with ${ran.code}`)
  return ran
}
