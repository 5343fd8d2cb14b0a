// Undoes a patch over 100 files durably.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { BenchEnvironment, BenchServer } from '../environment.ts'
import { LoadClient, measureLatencies, type ToolCall } from '../load-client.ts'
import { interleave } from '../measure.ts'
import { latencyMeasurements } from '../measurement.ts'
import { generateLines } from '../sample-text.ts'
import type { Benchmark } from './benchmark.ts'

const FILES = 100
const NAMES = Array.from({ length: FILES }, (_, i) => `${i}.txt`)
const BEFORE = 'the only line that says one'
const AFTER = 'the only line that says two'
const CONTENT = `${generateLines(50, 1)}${BEFORE}\n${generateLines(49, 2)}`
const patchSection = (name: string) => `*** Update File: ${name}\n@@\n-${BEFORE}\n+${AFTER}\n`
const PATCH: ToolCall = {
  tool: 'apply_patch',
  params: { patch: `*** Begin Patch\n${NAMES.map(patchSection).join('')}*** End Patch\n` }
}
const REWRITE: ToolCall = { tool: 'rewrite', params: { paths: NAMES, content: CONTENT } }

export default {
  name: 'undo',
  async measure(ground) {
    for (const name of NAMES) ground.write(name, CONTENT)
    const ours = await ground.startToolgate()
    const patch = await LoadClient.open(ground, ours, [PATCH])
    const rewrite = await LoadClient.open(ground, await ground.startFloor('fastify'), [REWRITE], { target: '/rewrite' })
    const samples = ground.scale(5, 1)
    const patches: number[] = []
    const measured = await interleave(ground.scale(5, 1), {
      ours: async () => {
        const undos: number[] = []
        for (let i = 0; i < samples; i++) {
          const began = performance.now()
          const { body } = await patch.say()
          patches.push(performance.now() - began)
          undos.push(...(await measureLatencies(await undoCall(ground, ours, body), 1)))
        }
        return undos
      },
      floor: () => measureLatencies(rewrite, samples)
    })
    for (const name of NAMES)
      if (readFileSync(path.join(ground.root, name), 'utf8') !== CONTENT) throw new Error(`${name} is not as it was`)
    const [undone] = latencyMeasurements('undo a patch over 100 files', measured)
    const [patched] = latencyMeasurements('apply it', { ours: [patches], floor: measured.floor })
    return [undone!, patched!]
  }
} satisfies Benchmark

/** Returns a client that is about to undo the call of this response. */
function undoCall(ground: BenchEnvironment, server: BenchServer, answer: Buffer): Promise<LoadClient> {
  const { tool_call_id } = JSON.parse(answer.toString('utf8'))
  return LoadClient.open(ground, server, [{ tool: 'undo', params: { tool_call_id } }])
}
