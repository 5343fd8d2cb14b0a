// npm run bench -- --guard: measures how much processor time the server takes for the most frequent operations, each as a multiple of
// the time that a bare Fastify takes for a read in the same seconds, and compares with the figures that are kept in guard.json.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import { BenchEnvironment, type BenchServer } from './environment.ts'
import { LoadClient, sendAll, type ToolCall } from './load-client.ts'
import { processorTime } from './processor-time.ts'
import { generateText } from './sample-text.ts'

/** An operation fails the guard if it takes this much more than is kept. */
export const MAX_RISE = 0.15
const ROUNDS = 5
/** Number of times that an operation which takes more is measured again. */
const MAX_RETRIES = 3
/** Calls of the floor in a turn. */
const FLOOR_CALLS = 1_000
/** Calls in flight, which is what a loaded server has. */
const IN_FLIGHT = 4
const FILES = 100
const KEPT = path.join(import.meta.dirname, 'guard.json')

interface Operation {
  calls: readonly ToolCall[]
  /** Number of calls in a turn. */
  count: number
  headers?: Readonly<Record<string, string>>
}

const each = (make: (file: string, index: number) => ToolCall): ToolCall[] =>
  Array.from({ length: FILES }, (_, index) => make(`${index}.txt`, index))
const FRESH = { 'cache-control': 'no-cache' }

/** In turn, these calls undo one another. */
const toggled = (file: string, index: number, [one, other]: readonly [string, string]): ToolCall => ({
  tool: 'edit_file',
  params: { path: file, old: index % 2 === 0 ? one : other, new: index % 2 === 0 ? other : one }
})

const OPERATIONS: Record<string, Operation> = {
  'read, kept': { calls: each(path => ({ tool: 'read_file', params: { path } })), count: 1_500 },
  'read, fresh': { calls: each(path => ({ tool: 'read_file', params: { path } })), count: 1_500, headers: FRESH },
  'read of 10 lines': {
    calls: each(path => ({ tool: 'read_file', params: { path, offset: 5, limit: 10 } })),
    count: 1_500,
    headers: FRESH
  },
  'list of a folder': { calls: [{ tool: 'list_directory', params: { path: '.' } }], count: 400, headers: FRESH },
  glob: { calls: [{ tool: 'glob', params: { pattern: '*.txt' } }], count: 300, headers: FRESH },
  grep: { calls: [{ tool: 'grep', params: { pattern: 'lorem' } }], count: 300, headers: FRESH },
  write: {
    calls: Array.from({ length: 2 * FILES }, (_, index) => ({
      tool: 'write_file',
      params: { path: `w${index % FILES}.txt`, content: generateText(4_096, index) }
    })),
    count: 500
  },
  edit: {
    calls: Array.from({ length: 2 * FILES }, (_, index) =>
      toggled(`e${index % FILES}.txt`, Math.floor(index / FILES), ['marked: one', 'marked: other'])
    ),
    count: 400
  },
  command: { calls: [{ tool: 'shell_exec', params: { command: 'echo hi' } }], count: 150 },
  'git status': { calls: [{ tool: 'git_status', params: {} }], count: 150, headers: FRESH }
}

/** Makes the calls, and returns the nanoseconds of processor time for one. */
async function measureTurn(pid: number, clients: readonly LoadClient[], count: number): Promise<number> {
  const before = processorTime(pid)
  await sendAll(clients, count)
  return (processorTime(pid) - before) / count
}

const openAll = (
  ground: BenchEnvironment,
  server: BenchServer,
  { calls, headers = {} }: Operation,
  target = '/calls'
) =>
  // Clients that undo one another's edits would meet: these are made in turn.
  Promise.all(
    Array.from({ length: calls.some(({ tool }) => tool === 'edit_file') ? 1 : IN_FLIGHT }, () =>
      LoadClient.open(ground, server, calls, { target, headers })
    )
  )

/** Measures operations of one server beside the floor. */
class Guard {
  readonly #ground: BenchEnvironment
  readonly #ours: BenchServer
  readonly #floor: BenchServer
  readonly #floorClients: readonly LoadClient[]
  readonly #clients = new Map<string, LoadClient[]>()

  static async open(ground: BenchEnvironment): Promise<Guard> {
    for (let i = 0; i < FILES; i++) {
      ground.write(`${i}.txt`, generateText(4_096, i))
      ground.write(`e${i}.txt`, `${generateText(4_096, i)}\nmarked: one\n`)
    }
    execaSync('git', ['init', '-q'], { cwd: ground.root })
    const ours = await ground.startToolgate()
    const floor = await ground.startFloor('fastify')
    return new Guard(ground, ours, floor, await openAll(ground, floor, OPERATIONS['read, kept']!, '/read'))
  }

  private constructor(ground: BenchEnvironment, ours: BenchServer, floor: BenchServer, floorClients: LoadClient[]) {
    this.#ground = ground
    this.#ours = ours
    this.#floor = floor
    this.#floorClients = floorClients
  }

  /** Returns the ratio of the least times of the rounds: other work on the machine only ever adds to both. */
  async measure(name: string): Promise<number> {
    const operation = OPERATIONS[name]!
    const clients = this.#clients.get(name) ?? (await openAll(this.#ground, this.#ours, operation))
    this.#clients.set(name, clients)
    await sendAll(clients, operation.count)
    const ours: number[] = []
    const floor: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await measureTurn(this.#ours.pid, clients, operation.count))
      floor.push(await measureTurn(this.#floor.pid, this.#floorClients, FLOOR_CALLS))
    }
    return Number((Math.min(...ours) / Math.min(...floor)).toFixed(2))
  }
}

/** Measures and prints each operation, and returns the names of those that take too much. With `keeps`, keeps the figures instead. */
export async function runGuard({ keeps }: { keeps: boolean }): Promise<string[]> {
  const ground = new BenchEnvironment(false)
  try {
    const guard = await Guard.open(ground)
    const ratios: Record<string, number> = {}
    for (const name of Object.keys(OPERATIONS)) ratios[name] = await guard.measure(name)
    if (keeps) writeFileSync(KEPT, `${JSON.stringify(ratios, null, 2)}\n`)
    const kept = JSON.parse(readFileSync(KEPT, 'utf8')) as Record<string, number>
    const findRisen = () => Object.keys(ratios).filter(name => ratios[name]! > (kept[name] ?? 0) * (1 + MAX_RISE))
    // A rise that comes from other work is gone the next time.
    for (let retry = 0; retry < MAX_RETRIES; retry++)
      for (const name of findRisen()) ratios[name] = Math.min(ratios[name]!, await guard.measure(name))
    for (const [name, ratio] of Object.entries(ratios))
      console.log(
        `${name.padEnd(18)} ${ratio.toFixed(2).padStart(7)} × floor, kept ${kept[name]?.toFixed(2) ?? 'none'}`
      )
    return findRisen()
  } finally {
    await ground.cleanUp()
  }
}
