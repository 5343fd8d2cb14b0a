// npm run bench -- --guard: measures how much processor time the server takes for the most frequent operations. It compares with the
// build of the commit that guard.json names, measured in turns in the same seconds, since the figures of two machines do not compare.
// It prints each as a multiple of the time that a bare Fastify takes for a read, beside the figure that guard.json keeps.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import { BenchEnvironment, type BenchServer } from './environment.ts'
import { LoadClient, sendAll, type ToolCall } from './load-client.ts'
import { processorTime } from './processor-time.ts'
import { buildReference } from './reference-build.ts'
import { generateText } from './sample-text.ts'

/** An operation fails the guard if it takes this much more than that of the reference build. */
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

/** The commit that the guard compares with, and the multiples of the floor that were measured then, by operation. */
interface Kept {
  commit: string
  ratios: Record<string, number>
}

/** Processor time of an operation: as a multiple of the floor, and of the reference build's if there is one. */
interface Ratios {
  toFloor: number
  toReference: number | undefined
}

interface Side {
  server: BenchServer
  /** Clients of each operation, opened when it is measured first. */
  clients: Map<string, LoadClient[]>
}

/** Measures operations of this build, of the reference build and of the floor in turns. */
class Guard {
  readonly #ground: BenchEnvironment
  readonly #sides: readonly Side[]
  readonly #floor: BenchServer
  readonly #floorClients: readonly LoadClient[]

  /** `reference` is the folder of a build. */
  static async open(ground: BenchEnvironment, reference: string | undefined): Promise<Guard> {
    for (let i = 0; i < FILES; i++) {
      ground.write(`${i}.txt`, generateText(4_096, i))
      ground.write(`e${i}.txt`, `${generateText(4_096, i)}\nmarked: one\n`)
    }
    for (const cwd of [ground.root, ground.floorRoot]) execaSync('git', ['init', '-q'], { cwd })
    const servers = [await ground.startToolgate()]
    if (reference !== undefined) servers.push(await ground.startToolgate(ground.floorRoot, 'none', reference))
    const floor = await ground.startFloor('fastify')
    return new Guard(ground, servers, floor, await openAll(ground, floor, OPERATIONS['read, kept']!, '/read'))
  }

  private constructor(
    ground: BenchEnvironment,
    servers: readonly BenchServer[],
    floor: BenchServer,
    floorClients: LoadClient[]
  ) {
    this.#ground = ground
    this.#sides = servers.map(server => ({ server, clients: new Map() }))
    this.#floor = floor
    this.#floorClients = floorClients
  }

  /** Compares the least times of the rounds: other work on the machine only ever adds to them. */
  async measure(name: string): Promise<Ratios> {
    const { count } = OPERATIONS[name]!
    const turns = await Promise.all(
      this.#sides.map(async side => ({ pid: side.server.pid, clients: await this.#clientsOf(side, name), count }))
    )
    for (const { clients } of turns) await sendAll(clients, count)
    turns.push({ pid: this.#floor.pid, clients: [...this.#floorClients], count: FLOOR_CALLS })
    const least = turns.map(() => Number.POSITIVE_INFINITY)
    for (let round = 0; round < ROUNDS; round++)
      for (const [i, { pid, clients, count: calls }] of turns.entries())
        least[i] = Math.min(least[i]!, await measureTurn(pid, clients, calls))
    const [ours, ...others] = least as [number, ...number[]]
    const floor = others.pop()!
    const [reference] = others
    return { toFloor: ours / floor, toReference: reference && ours / reference }
  }

  async #clientsOf({ server, clients }: Side, name: string): Promise<LoadClient[]> {
    const opened = clients.get(name) ?? (await openAll(this.#ground, server, OPERATIONS[name]!))
    clients.set(name, opened)
    return opened
  }
}

const hasRisen = ({ toReference = 1 }: Ratios) => toReference > 1 + MAX_RISE

/**
 * Measures and prints each operation, and returns the names of those that take too much. With `keeps`, this commit and its figures
 * become what later runs compare with.
 */
export async function runGuard({ keeps }: { keeps: boolean }): Promise<string[]> {
  const kept = JSON.parse(readFileSync(KEPT, 'utf8')) as Kept
  const reference = keeps ? undefined : buildReference(kept.commit)
  const ground = new BenchEnvironment(false)
  try {
    const guard = await Guard.open(ground, reference)
    const found = new Map<string, Ratios>()
    for (const name of Object.keys(OPERATIONS)) found.set(name, await guard.measure(name))
    // A rise that comes from other work is gone the next time.
    for (let retry = 0; retry < MAX_RETRIES; retry++)
      for (const [name, ratios] of found) if (hasRisen(ratios)) found.set(name, await guard.measure(name))
    for (const [name, { toFloor, toReference }] of found)
      console.log(
        `${name.padEnd(18)} ${toFloor.toFixed(2).padStart(7)} × floor, kept ${kept.ratios[name]?.toFixed(2) ?? 'none'}; ${toReference?.toFixed(2) ?? 'nothing'} × reference`
      )
    if (keeps) keep(found)
    else if (reference === undefined) {
      console.log(`Nothing is compared: this clone does not have the commit ${kept.commit}.`)
      return []
    }
    return keeps ? [] : [...found].filter(([, ratios]) => hasRisen(ratios)).map(([name]) => name)
  } finally {
    await ground.cleanUp()
  }
}

function keep(found: ReadonlyMap<string, Ratios>) {
  const { stdout: commit } = execaSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname })
  const ratios = Object.fromEntries([...found].map(([name, { toFloor }]) => [name, Number(toFloor.toFixed(2))]))
  writeFileSync(KEPT, `${JSON.stringify({ commit, ratios } satisfies Kept, null, 2)}\n`)
}
