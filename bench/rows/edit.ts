// Changes one line in a file of 1,000 lines durably. Measured twice: beside a floor that does the same, and beside a client
// without the tool, which reads the file and writes it whole.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { BenchEnvironment } from '../environment.ts'
import { LoadClient, measureLatencies, type Requester } from '../load-client.ts'
import { interleave } from '../measure.ts'
import { latencyMeasurements, type Measurement } from '../measurement.ts'
import { generateLines } from '../sample-text.ts'
import type { Benchmark } from './benchmark.ts'
import { measureChange } from './change.ts'

const ONE = 'the only line that says one'
const TWO = 'the only line that says two'
const contentWith = (line: string) => `${generateLines(500, 1)}${line}\n${generateLines(499, 2)}`

const editCalls = (path: string) => [
  { tool: 'edit_file', params: { path, old: ONE, new: TWO } },
  { tool: 'edit_file', params: { path, old: TWO, new: ONE } }
]

export default {
  name: 'edit',
  measure: async ground => [
    ...(await measureChange(ground, {
      work: 'edit one spot in 1,000 lines',
      route: '/edit',
      content: contentWith(ONE),
      calls: editCalls
    })),
    ...(await compareWithReadAndWrite(ground))
  ]
} satisfies Benchmark

async function compareWithReadAndWrite(ground: BenchEnvironment): Promise<Measurement[]> {
  const root = path.join(ground.folder, 'beside')
  mkdirSync(root)
  for (const name of ['edited.txt', 'written.txt']) writeFileSync(path.join(root, name), contentWith(ONE))
  const server = await ground.startToolgate(root)
  const read = { tool: 'read_file', params: { path: 'written.txt' } }
  const write = (line: string) => ({ tool: 'write_file', params: { path: 'written.txt', content: contentWith(line) } })
  const editor = await LoadClient.open(ground, server, editCalls('edited.txt'))
  const writer = await LoadClient.open(ground, server, [read, write(TWO), read, write(ONE)])
  const pair: Requester = {
    async say() {
      await writer.say()
      await writer.say()
    }
  }
  const samples = ground.scale(150, 4)
  const measured = await interleave(ground.scale(7, 2), {
    ours: () => measureLatencies(editor, samples),
    floor: () => measureLatencies(pair, samples)
  })
  const twice = { p50: { bound: 'at most', times: 2 } } as const
  return latencyMeasurements('edit one spot in 1,000 lines, beside our own read and write', measured, twice)
}
