// What language servers know, asked through calls. The floor is the same server of TypeScript asked directly, by a client
// that does nothing but send and read.
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from '../../test/e2e/language-servers/client.ts'
import type { Ground, Server } from '../environment.ts'
import { latencies, Talker, type ToolCall } from '../load-client.ts'
import { inTurns, timed } from '../measure.ts'
import { latencyFindings } from '../measurement.ts'
import type { Row } from './benchmark.ts'

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
