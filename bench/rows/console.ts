// The web console in Chromium, measured by a process: see `bench/console.ts`.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Measurement } from '../measurement.ts'
import type { Benchmark } from './benchmark.ts'

const SCRIPT = path.resolve(import.meta.dirname, '../console.ts')

interface ConsoleResult {
  what: string
  value: number
  unit: Measurement['unit']
  under?: number
}

export default {
  name: 'console',
  async measure(ground) {
    const args = [SCRIPT, '--json', '--rounds', String(ground.scale(3, 1))]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    return (JSON.parse(stdout) as ConsoleResult[]).map(({ what, value, unit, under }) => ({
      work: what,
      unit,
      ours: value,
      ...(under !== undefined && { target: { bound: 'at most' as const, plus: under } })
    }))
  }
} satisfies Benchmark
