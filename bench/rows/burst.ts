// A burst: many calls of every kind at once, each on a separate connection. Health is probed all the while, beside a bare Fastify that
// has nothing to do on the same machine.
import { cpSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { BenchEnvironment, BenchServer } from '../environment.ts'
import { HealthProber } from '../health-prober.ts'
import { Connection, encodeRequest } from '../http.ts'
import type { ToolCall } from '../load-client.ts'
import { percentile } from '../measure.ts'
import type { Measurement } from '../measurement.ts'
import { residentMemory } from '../memory.ts'
import { prepareTree } from '../tree.ts'
import type { Benchmark } from './benchmark.ts'

const FILES = 5_000
const CALLS = 2_000
const SETTLE_MS = 5_000
const IDLE_MS = 45_000
const BAD_REQUEST = 400
const OPEN_STATUSES: ReadonlySet<string> = new Set(['queued', 'running'])

/** File number `n` of the tree. */
const treeFile = (n: number) => {
  const extension = ['ts', 'js', 'md', 'json', 'py', 'c', 'h', 'txt'][n % 8]
  return `part_${Math.floor(n / 2_000)}/folder_${Math.floor(n / 100)}/file_${n}.${extension}`
}

/** Makes the calls of a burst in turns. None of them waits for another of them, and no two have the same answer. */
const KINDS: readonly ((n: number) => ToolCall)[] = [
  n => ({ tool: 'read_file', params: { path: treeFile(n % 500) } }),
  n => ({ tool: 'glob', params: { pattern: `**/*${n % 100}*.ts` } }),
  n => ({ tool: 'grep', params: { pattern: `word${n}` } }),
  n => ({ tool: 'edit_file', params: { path: treeFile(1_000 + n), old: `file_${1_000 + n}`, new: `edited_${n}` } }),
  n => ({ tool: 'write_file', params: { path: `written/${n}.txt`, content: `text ${n}\n` } }),
  n => ({ tool: 'shell_exec', params: { command: `echo ${n}` } })
]
const makeCall = (n: number): ToolCall => KINDS[n % KINDS.length]!(n)

interface EndedCall {
  tool: string
  status: string
  error?: { code: string; message: string }
}

export default {
  name: 'burst',
  async measure(ground) {
    const calls = ground.scale(CALLS, 60)
    cpSync(prepareTree(FILES), ground.root, { recursive: true })
    const server = await ground.startToolgate(ground.root, 'workspace')
    const floor = await ground.startFloor('fastify')
    for (let n = 0; n < KINDS.length; n++) await runCall(ground, server, makeCall(calls + n))
    await pause(ground.scale(SETTLE_MS, 10))
    const before = residentMemory(server.pid)

    const prober = await HealthProber.start([server, floor])
    const began = performance.now()
    const outcomes = await Promise.all(Array.from({ length: calls }, (_, n) => runCall(ground, server, makeCall(n))))
    const seconds = (performance.now() - began) / 1_000
    const [ours, control] = (await prober.stop()) as [number[], number[]]
    const peak = residentMemory(server.pid)
    await pause(ground.scale(IDLE_MS, 10))
    const after = residentMemory(server.pid)
    const failed = outcomes.filter(({ status }) => status !== 'success')
    const health = (part: number, name: string, plus?: number): Measurement => ({
      work: `GET /health beside ${calls} calls at once, ${name}`,
      unit: 'ms',
      ours: percentile(ours, part),
      floor: percentile(control, part),
      ...(plus !== undefined && { target: { bound: 'at most', times: 1, plus } })
    })
    return [
      health(0.99, 'p99', 100),
      health(1, 'maximum'),
      {
        work: `${calls} calls at once that do not succeed`,
        unit: '',
        ours: failed.length,
        target: { bound: 'at most', plus: 0 },
        details: countFailures(failed)
      },
      { work: `${calls} calls at once`, unit: '/s', ours: calls / seconds },
      { work: `memory right after ${calls} calls at once, over that before`, unit: 'MiB', ours: peak, floor: before },
      {
        work: `memory 45 s after ${calls} calls at once, over that before`,
        unit: 'MiB',
        ours: after,
        floor: before,
        target: { bound: 'at most', times: 1.5 }
      }
    ]
  }
} satisfies Benchmark

/** Makes a call on a separate connection, and waits for its end. */
async function runCall(ground: BenchEnvironment, server: BenchServer, call: ToolCall): Promise<EndedCall> {
  const connection = await Connection.open(server)
  ground.onCleanup(() => connection.close())
  const send = async (method: string, target: string, body?: string) => {
    const { status, body: bytes } = await connection.send(encodeRequest(server, method, target, {}, body))
    const answer = JSON.parse(bytes.toString())
    if (status < BAD_REQUEST) return answer
    return { tool: call.tool, status: 'refused', error: { code: answer.code, message: answer.detail } }
  }
  let ended = await send('POST', '/calls?wait_ms=30000', JSON.stringify(call))
  while (OPEN_STATUSES.has(ended.status)) ended = await send('GET', `/calls/${ended.tool_call_id}?wait_ms=30000`)
  connection.close()
  return ended
}

/** Counts calls by their tool and their error. */
function countFailures(failed: readonly EndedCall[]): string[] {
  const groups = Map.groupBy(failed, ({ tool, status, error }) => `${tool}: ${error?.code ?? status}`)
  return [...groups].map(([kind, calls]) => `${calls.length} × ${kind}: ${calls[0]!.error?.message ?? ''}`)
}
