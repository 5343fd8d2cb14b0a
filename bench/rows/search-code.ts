// Code search by meaning: time to build the index, and the server's responsiveness during that; query latency; and how often the
// expected file is among the first five, compared with counting words.

import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { copyProject, measureRelevance, QUESTIONS, rankByRipgrep } from '../../test/e2e/relevance/measure.ts'
import type { BenchEnvironment, BenchServer } from '../environment.ts'
import { Connection, encodeRequest } from '../http.ts'
import { LoadClient, type ToolCall } from '../load-client.ts'
import { percentile } from '../measure.ts'
import type { Measurement } from '../measurement.ts'
import { residentMemory } from '../memory.ts'
import { prepareTree } from '../tree.ts'
import type { Benchmark } from './benchmark.ts'

const FILES = 10_000
const QUICK_FILES = 2_000
const BUILD_TIMEOUT_MS = 120_000
const POLL_MS = 5
const MEMORY_SAMPLE_EVERY = 10
const FRESH = { headers: { 'cache-control': 'no-cache' } }
const WARM_QUESTIONS = QUESTIONS.tuned.map(({ question }) => searchCall(question))

export default {
  name: 'search_code',
  async measure(ground) {
    const server = await ground.startToolgate(prepareTree(ground.scale(FILES, QUICK_FILES)))
    const built = await measureIndexBuild(ground, server)
    const talker = await LoadClient.open(ground, server, WARM_QUESTIONS, FRESH)
    const waits: number[] = []
    for (let i = 0; i < ground.scale(200, 5); i += 1) {
      const began = performance.now()
      await talker.say()
      waits.push(performance.now() - began)
    }
    return [
      ...built,
      {
        work: 'a question, warm, p50',
        unit: 'ms',
        ours: percentile(waits, 0.5),
        target: { bound: 'at most', plus: 20 }
      },
      { work: 'a question, warm, p99', unit: 'ms', ours: percentile(waits, 0.99) },
      ...(await measureSearchRelevance(ground))
    ]
  }
} satisfies Benchmark

/** Builds the index and polls the health during that. */
async function measureIndexBuild(ground: BenchEnvironment, server: BenchServer): Promise<Measurement[]> {
  const connection = await Connection.open(server)
  ground.onCleanup(() => connection.close())
  const asker = await LoadClient.open(ground, server, [searchCall('begin')])
  const health = encodeRequest(server, 'GET', '/health')
  const idle = residentMemory(server.pid)
  const began = performance.now()
  const asked = asker.say()
  const waits: number[] = []
  let memory = 0
  while (!(waits.length % MEMORY_SAMPLE_EVERY === 1 && (await isReady(server, connection)))) {
    const sent = performance.now()
    if (sent - began > BUILD_TIMEOUT_MS) throw new Error('the index was not built in time')
    await connection.send(health)
    waits.push(performance.now() - sent)
    if (waits.length % MEMORY_SAMPLE_EVERY === 1) memory = Math.max(memory, residentMemory(server.pid))
    await pause(POLL_MS)
  }
  const took = performance.now() - began
  await asked
  return [
    {
      work: `index of ${ground.scale(FILES, QUICK_FILES)} files built`,
      unit: 'ms',
      ours: took,
      target: { bound: 'at most', plus: 30_000 }
    },
    {
      work: 'GET /health meanwhile, p99',
      unit: 'ms',
      ours: percentile(waits, 0.99),
      target: { bound: 'at most', plus: 50 }
    },
    { work: 'memory over idle meanwhile', unit: 'MiB', ours: memory - idle }
  ]
}

async function isReady(server: BenchServer, connection: Connection): Promise<boolean> {
  const { body } = await connection.send(encodeRequest(server, 'GET', '/capabilities'))
  return JSON.parse(body.toString()).workspaces[0].index.state === 'ready'
}

/** Measures relevance on this project's own sources. */
async function measureSearchRelevance(ground: BenchEnvironment): Promise<Measurement[]> {
  const root = path.join(ground.folder, 'project')
  copyProject(root)
  const server = await ground.startToolgate(root)
  const connection = await Connection.open(server)
  ground.onCleanup(() => connection.close())
  const ask = async (query: string): Promise<string[]> => {
    const { body } = await connection.send(
      encodeRequest(server, 'POST', '/calls', {}, JSON.stringify(searchCall(query)))
    )
    return JSON.parse(body.toString()).result.data.hits.map((hit: { path: string }) => hit.path)
  }
  await ask('begin')
  while (!(await isReady(server, connection))) await pause(POLL_MS)
  const findings: Measurement[] = []
  for (const [part, asked] of Object.entries(QUESTIONS)) {
    const ours = await measureRelevance(asked, ask)
    const floor = await measureRelevance(asked, question => rankByRipgrep(root, question))
    const work = `sought file among the first five, ${asked.length} questions, ${part.replace('_', ' ')}`
    const target = { bound: 'at least', plus: 85 } as const
    findings.push({ work, unit: '%', ours: 100 * ours.in_first_five, floor: 100 * floor.in_first_five, target })
  }
  return findings
}

function searchCall(query: string): ToolCall {
  return { tool: 'search_code', params: { query, limit: 20 } }
}
