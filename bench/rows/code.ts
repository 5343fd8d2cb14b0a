// Finding code by what it is about: how long an index takes to be built, and whether the server answers others meanwhile;
// how long a question takes then; and how often what is sought is among the first five, beside counting words.

import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { byRipgrep, copyProject, QUESTIONS, relevance } from '../../test/relevance/measure.ts'
import type { Finding } from '../finding.ts'
import type { Ground, Server } from '../ground.ts'
import { Connection, request } from '../http.ts'
import { percentile } from '../measure.ts'
import { ownMemory } from '../memory.ts'
import { Talker, type ToolCall } from '../talker.ts'
import { tree } from '../tree.ts'
import type { Row } from './row.ts'

const FILES = 10_000
const QUICK_FILES = 2_000
const LONGEST_MS = 120_000
const BETWEEN_MS = 5
const LOOK_EVERY = 10
const FRESH = { headers: { 'cache-control': 'no-cache' } }
const WARM_QUESTIONS = QUESTIONS.tuned.map(({ question }) => search(question))

export default {
  name: 'code',
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
    { work: `index of ${FILES} files built`, unit: 'ms', ours: took, target: { bound: 'at most', plus: 30_000 } },
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
// What language servers know, asked through calls. The floor is the same server of TypeScript asked directly, by a client
// that does nothing but send and read.
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from '../../test/lsp/client.ts'
import { latencyFindings } from '../finding.ts'
import type { Ground, Server } from '../ground.ts'
import { inTurns, timed } from '../measure.ts'
import { latencies, Talker, type ToolCall } from '../talker.ts'
import type { Row } from './row.ts'

const FILES = 200
const FILE = 'src/file_100.ts'
/** Where `made_100` is used in that file, counted from 0 and from 1. */
const AT = { line: 3, character: 20 }
const PLACE = { path: FILE, line: 4, col: 21 }
const QUESTIONS = { definition: 'textDocument/definition', hover: 'textDocument/hover' }
const WARM = { p50: { bound: 'at most', times: 1.2, plus: 3 } } as const
const COLD = { p50: { bound: 'at most', times: 1, plus: 200 } } as const

export default {
  name: 'code',
  async measure(ground) {
    const root = project(ground.root)
    const copy = project(ground.floorRoot)
    const ours = await ground.ours(root)
    const direct = await client(ground, copy)
    direct.open(FILE, 'typescript')
    const samples = ground.many(200, 5)
    const findings = []
    for (const [tool, method] of Object.entries(QUESTIONS)) {
      const talker = await Talker.open(ground, ours, [{ tool, params: PLACE }])
      const params = { textDocument: { uri: direct.uriOf(FILE) }, position: AT }
      const measured = await inTurns(ground.many(5, 1), {
        ours: () => latencies(talker, samples),
        floor: () => timed(samples, () => direct.request(method, params))
      })
      findings.push(...latencyFindings(`${tool}, warm`, measured, WARM))
    }
    await ours.stop()
    const { oursFirst, floorFirst } = await inTurns(ground.many(5, 1), {
      oursFirst: async () => [await firstDiagnostics(ground, root)],
      floorFirst: async () => [await firstDirectly(ground, copy)]
    })
    const first = latencyFindings(
      `first diagnostics of a project of ${FILES} files, its server's start included`,
      { ours: oursFirst, floor: floorFirst },
      COLD
    )
    return [...findings, first[0]!]
  }
} satisfies Row

/** Files that each use the one before. */
function project(root: string): string {
  mkdirSync(path.join(root, 'src'), { recursive: true })
  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2023', types: [] }
  writeFileSync(path.join(root, 'package.json'), '{ "type": "module" }\n')
  writeFileSync(path.join(root, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
  for (let i = 0; i < FILES; i++)
    writeFileSync(
      path.join(root, `src/file_${i}.ts`),
      [
        i === 0 ? '' : `import { made_${i - 1} } from './file_${i - 1}.js'`,
        '',
        `export interface Made${i} { name: string; count: number }`,
        `export const made_${i} = made_${i - 1}`.replace('made_-1', '0'),
        `export const wrong_${i}: string = ${i}`,
        ''
      ].join('\n')
    )
  return root
}

async function client(ground: Ground, folder: string): Promise<Client> {
  const tsc = realpathSync(path.resolve(import.meta.dirname, '../../node_modules/.bin/tsc'))
  const started = await Client.start({ argv: [process.execPath, tsc, '--lsp', '--stdio'], folder })
  ground.onClear(() => started.stop())
  return started
}

async function firstDiagnostics(ground: Ground, root: string): Promise<number> {
  const server: Server = await ground.ours(root)
  const list: ToolCall = { tool: 'list_directory', params: { path: '.' } }
  const ask: ToolCall = { tool: 'diagnostics', params: { path: FILE } }
  // Isolation is tried out once in a server's life, soon after its start.
  const talker = await Talker.open(ground, server, [list, { tool: 'run_code', params: TRYING }, ask])
  await talker.say()
  await talker.say()
  const [took] = await latencies(talker, 1)
  await server.stop()
  return took!
}

const TRYING = { language: 'bash', code: ':' }

async function firstDirectly(ground: Ground, folder: string): Promise<number> {
  const [took] = await timed(1, async () => {
    const direct = await client(ground, folder)
    direct.open(FILE, 'typescript')
    const found = await direct.pulled(FILE)
    if (found.length === 0) throw new Error('nothing is found where something is wrong')
  })
  return took!
}
