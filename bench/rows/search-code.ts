// Finding code by what it is about: how long an index takes to be built, and whether the server answers others meanwhile;
// how long a question takes then; and how often what is sought is among the first five, beside counting words.

import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { byRipgrep, copyProject, QUESTIONS, relevance } from '../../test/e2e/relevance/measure.ts'
import type { Ground, Server } from '../environment.ts'
import { Connection, request } from '../http.ts'
import { Talker, type ToolCall } from '../load-client.ts'
import { percentile } from '../measure.ts'
import type { Finding } from '../measurement.ts'
import { ownMemory } from '../memory.ts'
import { tree } from '../tree.ts'
import type { Row } from './benchmark.ts'

const FILES = 10_000
const QUICK_FILES = 2_000
const LONGEST_MS = 120_000
const BETWEEN_MS = 5
const LOOK_EVERY = 10
const FRESH = { headers: { 'cache-control': 'no-cache' } }
const WARM_QUESTIONS = QUESTIONS.tuned.map(({ question }) => search(question))

export default {
  name: 'search_code',
  async measure(ground) {
    const server = await ground.ours(tree(ground.many(FILES, QUICK_FILES)))
    const built = await build(ground, server)
    const talker = await Talker.open(ground, server, WARM_QUESTIONS, FRESH)
    const waits: number[] = []
    for (let i = 0; i < ground.many(200, 5); i += 1) {
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
      ...(await sought(ground))
    ]
  }
} satisfies Row

/** Has the index built, and asks for the health all the while. */
async function build(ground: Ground, server: Server): Promise<Finding[]> {
  const connection = await Connection.open(server)
  ground.onClear(() => connection.close())
  const asker = await Talker.open(ground, server, [search('begin')])
  const health = request(server, 'GET', '/health')
  const idle = ownMemory(server.pid)
  const began = performance.now()
  const asked = asker.say()
  const waits: number[] = []
  let memory = 0
  while (!(waits.length % LOOK_EVERY === 1 && (await isReady(server, connection)))) {
    const sent = performance.now()
    if (sent - began > LONGEST_MS) throw new Error('the index was not built in time')
    await connection.send(health)
    waits.push(performance.now() - sent)
    if (waits.length % LOOK_EVERY === 1) memory = Math.max(memory, ownMemory(server.pid))
    await pause(BETWEEN_MS)
  }
  const took = performance.now() - began
  await asked
  return [
    {
      work: `index of ${ground.many(FILES, QUICK_FILES)} files built`,
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

async function isReady(server: Server, connection: Connection): Promise<boolean> {
  const { body } = await connection.send(request(server, 'GET', '/capabilities'))
  return JSON.parse(body.toString()).workspaces[0].index.state === 'ready'
}

/** In this project's own sources. */
async function sought(ground: Ground): Promise<Finding[]> {
  const root = path.join(ground.folder, 'project')
  copyProject(root)
  const server = await ground.ours(root)
  const connection = await Connection.open(server)
  ground.onClear(() => connection.close())
  const ask = async (query: string): Promise<string[]> => {
    const { body } = await connection.send(request(server, 'POST', '/calls', {}, JSON.stringify(search(query))))
    return JSON.parse(body.toString()).result.data.hits.map((hit: { path: string }) => hit.path)
  }
  await ask('begin')
  while (!(await isReady(server, connection))) await pause(BETWEEN_MS)
  const findings: Finding[] = []
  for (const [part, asked] of Object.entries(QUESTIONS)) {
    const ours = await relevance(asked, ask)
    const floor = await relevance(asked, question => byRipgrep(root, question))
    const work = `sought file among the first five, ${asked.length} questions, ${part.replace('_', ' ')}`
    const target = { bound: 'at least', plus: 85 } as const
    findings.push({ work, unit: '%', ours: 100 * ours.in_first_five, floor: 100 * floor.in_first_five, target })
  }
  return findings
}

function search(query: string): ToolCall {
  return { tool: 'search_code', params: { query, limit: 20 } }
}
