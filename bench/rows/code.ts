// Language server queries through calls. The floor is the same TypeScript server queried directly, by a client that only sends
// and reads.
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DirectLspClient } from '../../test/e2e/language-servers/client.ts'
import type { BenchEnvironment, BenchServer } from '../environment.ts'
import { LoadClient, measureLatencies, type ToolCall } from '../load-client.ts'
import { interleave, timeEach } from '../measure.ts'
import { latencyMeasurements } from '../measurement.ts'
import type { Benchmark } from './benchmark.ts'

const FILES = 200
const FILE = 'src/file_100.ts'
/** Position of a use of `made_100` in that file, counted from 0 and from 1. */
const AT = { line: 3, character: 20 }
const PLACE = { path: FILE, line: 4, col: 21 }
const QUESTIONS = { definition: 'textDocument/definition', hover: 'textDocument/hover' }
const WARM = { p50: { bound: 'at most', times: 1.2, plus: 3 } } as const
const COLD = { p50: { bound: 'at most', times: 1, plus: 200 } } as const

export default {
  name: 'code',
  async measure(ground) {
    const root = createProject(ground.root)
    const copy = createProject(ground.floorRoot)
    const ours = await ground.startToolgate(root)
    const direct = await startDirectClient(ground, copy)
    direct.open(FILE, 'typescript')
    const samples = ground.scale(200, 5)
    const findings = []
    for (const [tool, method] of Object.entries(QUESTIONS)) {
      const talker = await LoadClient.open(ground, ours, [{ tool, params: PLACE }])
      const params = { textDocument: { uri: direct.uriOf(FILE) }, position: AT }
      const measured = await interleave(ground.scale(5, 1), {
        ours: () => measureLatencies(talker, samples),
        floor: () => timeEach(samples, () => direct.request(method, params))
      })
      findings.push(...latencyMeasurements(`${tool}, warm`, measured, WARM))
    }
    await ours.stop()
    const { oursFirst, floorFirst } = await interleave(ground.scale(5, 1), {
      oursFirst: async () => [await firstDiagnostics(ground, root)],
      floorFirst: async () => [await firstDirectDiagnostics(ground, copy)]
    })
    const first = latencyMeasurements(
      `first diagnostics of a project of ${FILES} files, its server's start included`,
      { ours: oursFirst, floor: floorFirst },
      COLD
    )
    return [...findings, first[0]!]
  }
} satisfies Benchmark

/** Creates files that each use the one before. */
function createProject(root: string): string {
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

async function startDirectClient(ground: BenchEnvironment, folder: string): Promise<DirectLspClient> {
  const tsc = realpathSync(path.resolve(import.meta.dirname, '../../node_modules/.bin/tsc'))
  const started = await DirectLspClient.start({ argv: [process.execPath, tsc, '--lsp', '--stdio'], folder })
  ground.onCleanup(() => started.stop())
  return started
}

async function firstDiagnostics(ground: BenchEnvironment, root: string): Promise<number> {
  const server: BenchServer = await ground.startToolgate(root)
  const list: ToolCall = { tool: 'list_directory', params: { path: '.' } }
  const ask: ToolCall = { tool: 'diagnostics', params: { path: FILE } }
  // The sandbox self-test runs once per server, soon after its start.
  const talker = await LoadClient.open(ground, server, [list, { tool: 'run_code', params: RETRY_MS }, ask])
  await talker.say()
  await talker.say()
  const [took] = await measureLatencies(talker, 1)
  await server.stop()
  return took!
}

const RETRY_MS = { language: 'bash', code: ':' }

async function firstDirectDiagnostics(ground: BenchEnvironment, folder: string): Promise<number> {
  const [took] = await timeEach(1, async () => {
    const direct = await startDirectClient(ground, folder)
    direct.open(FILE, 'typescript')
    const found = await direct.pulled(FILE)
    if (found.length === 0) throw new Error('nothing is found where something is wrong')
  })
  return took!
}
