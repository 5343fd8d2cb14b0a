// Changing one spot in a file of 1,000 lines, so that it is on the disk when the answer comes. Measured twice: beside a
// floor that does the same, and beside what a client without the tool would do, reading the file and writing it whole.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Ground } from '../environment.ts'
import { type Asking, latencies, Talker } from '../load-client.ts'
import { inTurns } from '../measure.ts'
import { type Finding, latencyFindings } from '../measurement.ts'
import { lines } from '../sample-text.ts'
import type { Row } from './benchmark.ts'
import { measureChange } from './change.ts'

const ONE = 'the only line that says one'
const TWO = 'the only line that says two'
const WITH = (line: string) => `${lines(500, 1)}${line}\n${lines(499, 2)}`

const edits = (path: string) => [
  { tool: 'edit_file', params: { path, old: ONE, new: TWO } },
  { tool: 'edit_file', params: { path, old: TWO, new: ONE } }
]

export default {
  name: 'edit',
  measure: async ground => [
    ...(await measureChange(ground, {
      work: 'edit one spot in 1,000 lines',
      route: '/edit',
      content: WITH(ONE),
      calls: edits
    })),
    ...(await besideReadAndWrite(ground))
  ]
} satisfies Row

async function besideReadAndWrite(ground: Ground): Promise<Finding[]> {
  const root = path.join(ground.folder, 'beside')
  mkdirSync(root)
  for (const name of ['edited.txt', 'written.txt']) writeFileSync(path.join(root, name), WITH(ONE))
  const server = await ground.ours(root)
  const read = { tool: 'read_file', params: { path: 'written.txt' } }
  const write = (line: string) => ({ tool: 'write_file', params: { path: 'written.txt', content: WITH(line) } })
  const editor = await Talker.open(ground, server, edits('edited.txt'))
  const writer = await Talker.open(ground, server, [read, write(TWO), read, write(ONE)])
  const pair: Asking = {
    async say() {
      await writer.say()
      await writer.say()
    }
  }
  const samples = ground.many(150, 4)
  const measured = await inTurns(ground.many(7, 2), {
    ours: () => latencies(editor, samples),
    floor: () => latencies(pair, samples)
  })
  const twice = { p50: { bound: 'at most', times: 2 } } as const
  return latencyFindings('edit one spot in 1,000 lines, beside our own read and write', measured, twice)
}
