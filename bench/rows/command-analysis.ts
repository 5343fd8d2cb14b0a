// Analysis of a command line before approval: a short one, and one of 10 KB.
import { analyzeCommandLine } from '../../src/shell/analyze-command-line.ts'
import { loadParsers } from '../../src/shell/tree-sitter.ts'
import { interleave, medianOverRounds } from '../measure.ts'
import type { Measurement } from '../measurement.ts'
import type { Benchmark } from './benchmark.ts'

const SHORT = 'git status --short && ls -l src | head -n 20'
const STEP = 'cat src/some/file.txt | grep -n needle'
const LONG = Array.from({ length: Math.ceil(10_240 / (STEP.length + 4)) }, () => STEP).join(' && ')
const JUDGE_ENVIRONMENT = { paths: ['/home/somebody/.local/state/toolgate'], pids: [1] }
const US_PER_MS = 1_000

export default {
  name: 'judging',
  async measure(ground) {
    await loadParsers()
    const sides = { short: [SHORT, ground.scale(500, 5)], long: [LONG, ground.scale(20, 1)] } as const
    const took = ([text, count]: readonly [string, number]) => {
      const began = performance.now()
      for (let i = 0; i < count; i++) analyzeCommandLine(text, JUDGE_ENVIRONMENT)
      return [((performance.now() - began) / count) * US_PER_MS]
    }
    const { short, long } = await interleave(ground.scale(9, 1), {
      short: async () => took(sides.short),
      long: async () => took(sides.long)
    })
    return [
      { work: 'judge a command line of two parts', unit: 'µs', ours: medianOverRounds(short, 0.5) },
      { work: 'judge a command line of 10 KB', unit: 'µs', ours: medianOverRounds(long, 0.5) }
    ] satisfies Measurement[]
  }
} satisfies Benchmark
