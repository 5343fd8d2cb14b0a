// Taking back a patch over 100 files, so that all of them are on the disk as they were when the answer comes.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Ground, Server } from '../environment.ts'
import { latencies, Talker, type ToolCall } from '../load-client.ts'
import { inTurns } from '../measure.ts'
import { latencyFindings } from '../measurement.ts'
import { lines } from '../sample-text.ts'
import type { Row } from './benchmark.ts'

const FILES = 100
const NAMES = Array.from({ length: FILES }, (_, i) => `${i}.txt`)
const BEFORE = 'the only line that says one'
const AFTER = 'the only line that says two'
const CONTENT = `${lines(50, 1)}${BEFORE}\n${lines(49, 2)}`
const section = (name: string) => `*** Update File: ${name}\n@@\n-${BEFORE}\n+${AFTER}\n`
const PATCH: ToolCall = {
  tool: 'apply_patch',
  params: { patch: `*** Begin Patch\n${NAMES.map(section).join('')}*** End Patch\n` }
}
const REWRITE: ToolCall = { tool: 'rewrite', params: { paths: NAMES, content: CONTENT } }

export default {
  name: 'undo',
  async measure(ground) {
    for (const name of NAMES) ground.write(name, CONTENT)
    const ours = await ground.ours()
    const patch = await Talker.open(ground, ours, [PATCH])
    const rewrite = await Talker.open(ground, await ground.floor('fastify'), [REWRITE], { target: '/rewrite' })
    const samples = ground.many(5, 1)
    const patches: number[] = []
    const measured = await inTurns(ground.many(5, 1), {
      ours: async () => {
        const undos: number[] = []
        for (let i = 0; i < samples; i++) {
          const began = performance.now()
          const { body } = await patch.say()
          patches.push(performance.now() - began)
          undos.push(...(await latencies(await undoing(ground, ours, body), 1)))
        }
        return undos
      },
      floor: () => latencies(rewrite, samples)
    })
    for (const name of NAMES)
      if (readFileSync(path.join(ground.root, name), 'utf8') !== CONTENT) throw new Error(`${name} is not as it was`)
    const [undone] = latencyFindings('undo a patch over 100 files', measured)
    const [patched] = latencyFindings('apply it', { ours: [patches], floor: measured.floor })
    return [undone!, patched!]
  }
} satisfies Row

/** Whoever is about to take back the call of this answer. */
function undoing(ground: Ground, server: Server, answer: Buffer): Promise<Talker> {
  const { tool_call_id } = JSON.parse(answer.toString('utf8'))
  return Talker.open(ground, server, [{ tool: 'undo', params: { tool_call_id } }])
}
