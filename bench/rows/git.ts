// Git's command line against our tools that run it, in a repository of 80,000 commits. Cached results are refused.

import { LoadClient, measureLatencies, type ToolCall } from '../load-client.ts'
import { interleave } from '../measure.ts'
import { latencyMeasurements } from '../measurement.ts'
import { prepareRepository } from '../repository.ts'
import { measureDurations, type RunResult } from '../spawner.ts'
import type { Benchmark } from './benchmark.ts'

const COMMITS = 80_000
const QUICK_COMMITS = 200
const FRESH = { headers: { 'cache-control': 'no-cache' } }
const LATENCY_TARGETS = { p50: { bound: 'at most', times: 1.3, plus: 5 } } as const

const STATUS: ToolCall = { tool: 'git_status', params: {} }
const LOG: ToolCall = { tool: 'git_log', params: { limit: 50 } }

export default {
  name: 'git',
  async measure(ground) {
    const commits = ground.scale(COMMITS, QUICK_COMMITS)
    const root = prepareRepository(commits)
    const ours = await ground.startToolgate(root)
    const spawner = ground.spawner()
    const git = (args: readonly string[], expected: string) => async () =>
      assertOutput(await spawner.run({ file: 'git', args, cwd: root, env: { PATH: process.env.PATH ?? '' } }), expected)
    const rounds = ground.scale(10, 1)
    const each = ground.scale(20, 2)
    const measured = async (call: ToolCall, args: readonly string[], expected: string) => {
      const talker = await LoadClient.open(ground, ours, [call], FRESH)
      return interleave(rounds, {
        ours: () => measureLatencies(talker, each),
        floor: () => measureDurations(each, git(args, expected))
      })
    }
    const status = await measured(STATUS, ['status', '--porcelain=v2', '--branch'], 'branch.head main')
    const log = await measured(LOG, ['log', '-n', '50'], 'Change number')
    return [
      ...latencyMeasurements('git_status of 2,000 files', status, LATENCY_TARGETS),
      ...latencyMeasurements(`git_log of 50 out of ${commits.toLocaleString('en')} commits`, log, LATENCY_TARGETS)
    ]
  }
} satisfies Benchmark

function assertOutput(ran: RunResult, expected: string): RunResult {
  if (ran.code !== 0 || !ran.stdout.includes(expected)) throw new Error(`git ended with ${ran.code}`)
  return ran
}
