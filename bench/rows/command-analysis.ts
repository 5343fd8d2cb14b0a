// Reading a command line to judge it, before anybody is asked: a short one, and one of 10 KB.
import { judgeCommand, parsersReady } from '../../src/shell/analyze-command-line.ts'
import { inTurns, overRounds } from '../measure.ts'
import type { Finding } from '../measurement.ts'
import type { Row } from './benchmark.ts'

const SHORT = 'git status --short && ls -l src | head -n 20'
const STEP = 'cat src/some/file.txt | grep -n needle'
const LONG = Array.from({ length: Math.ceil(10_240 / (STEP.length + 4)) }, () => STEP).join(' && ')
const SURROUNDINGS = { forbidden: ['/home/somebody/.local/state/toolgate'], pids: [1] }
const US_A_MS = 1_000

export default {
  name: 'judging',
  async measure(ground) {
    await parsersReady()
    const sides = { short: [SHORT, ground.many(500, 5)], long: [LONG, ground.many(20, 1)] } as const
    const took = ([text, count]: readonly [string, number]) => {
      const began = performance.now()
      for (let i = 0; i < count; i++) judgeCommand(text, SURROUNDINGS)
      return [((performance.now() - began) / count) * US_A_MS]
    }
    const { short, long } = await inTurns(ground.many(9, 1), {
      short: async () => took(sides.short),
      long: async () => took(sides.long)
    })
    return [
      { work: 'judge a command line of two parts', unit: 'µs', ours: overRounds(short, 0.5) },
      { work: 'judge a command line of 10 KB', unit: 'µs', ours: overRounds(long, 0.5) }
    ] satisfies Finding[]
  }
} satisfies Row
