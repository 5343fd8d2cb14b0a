// Fairness: latency of an editor's reads beside an agent that floods the server through its call-only token, over what the same
// reads take alone.
import type { BenchEnvironment, BenchServer } from '../environment.ts'
import { Connection, encodeRequest } from '../http.ts'
import { LoadClient, measureLatencies, type ToolCall } from '../load-client.ts'
import { percentile } from '../measure.ts'
import type { Measurement } from '../measurement.ts'
import { prepareTree, RARE_LITERAL } from '../tree.ts'
import type { Benchmark } from './benchmark.ts'

/** Work of the agent, until the signal aborts. */
type Flood = (signal: AbortSignal) => Promise<unknown>

/** Those of the row `search`, which shares the tree. */
const FILES = 80_000
const QUICK_FILES = 2_000
const BATCH_SIZE = 100
const QUEUED = 8_000
/** Milliseconds until a flood has filled its share. */
const SETTLE_MS = 500

const READ: ToolCall = { tool: 'read_file', params: { path: 'part_0/folder_0/file_0.ts' } }
const SEARCH: ToolCall = { tool: 'grep', params: { pattern: RARE_LITERAL } }
const SLEEP: ToolCall = { tool: 'shell_exec', params: { command: 'sleep 0.2' } }

export default {
  name: 'fairness',
  async measure(ground) {
    const server = await ground.startToolgate(prepareTree(ground.scale(FILES, QUICK_FILES)))
    const editor = await LoadClient.open(ground, server, [READ])
    const measure = async () => percentile(await measureLatencies(editor, ground.scale(200, 10)), 0.99)
    await measure()
    const alone = await measure()
    const beside = async (flood: Flood) => {
      const abort = new AbortController()
      const flooding = flood(abort.signal)
      await new Promise(resolve => setTimeout(resolve, ground.scale(SETTLE_MS, 50)))
      const p99 = await measure()
      abort.abort()
      await flooding
      return p99
    }
    const toMeasurement = (name: string, ours: number): Measurement => ({
      work: `a read beside ${name} of another caller, p99`,
      unit: 'ms',
      ours,
      floor: alone,
      target: { bound: 'at most', times: 3, plus: 20 }
    })
    return [
      toMeasurement('64 searches', await beside(repeat(ground, server, SEARCH, 64))),
      toMeasurement('64 reads', await beside(repeat(ground, server, READ, 64))),
      toMeasurement('32 sleeping commands', await beside(repeat(ground, server, SLEEP, 32))),
      toMeasurement('8,000 queued commands', await beside(queue(ground, server, ground.scale(QUEUED, BATCH_SIZE))))
    ]
  }
} satisfies Benchmark

const asAgent = ({ call_token, ...server }: BenchServer) => ({ ...server, token: call_token })

/** Keeps this many calls in flight. Refusals count as answers. */
const repeat =
  (ground: BenchEnvironment, server: BenchServer, call: ToolCall, connections: number): Flood =>
  async signal => {
    const agent = asAgent(server)
    const bytes = encodeRequest(agent, 'POST', '/calls', {}, JSON.stringify(call))
    const work = async () => {
      const connection = await Connection.open(agent)
      ground.onCleanup(() => connection.close())
      while (!signal.aborted) await connection.send(bytes)
    }
    await Promise.all(Array.from({ length: connections }, work))
  }

/** Sends commands without waiting for them. */
const queue =
  (ground: BenchEnvironment, server: BenchServer, count: number): Flood =>
  async signal => {
    const agent = asAgent(server)
    const connection = await Connection.open(agent)
    ground.onCleanup(() => connection.close())
    const body = JSON.stringify({ calls: Array.from({ length: BATCH_SIZE }, () => SLEEP) })
    const bytes = encodeRequest(agent, 'POST', '/calls/batch?wait_ms=0', {}, body)
    for (let sent = 0; sent < count && !signal.aborted; sent += BATCH_SIZE) await connection.send(bytes)
  }
