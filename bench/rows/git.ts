// Git's own command line against our tools that run it, in a repository of 80,000 commits. Kept answers are refused.

import { latencies, Talker, type ToolCall } from '../load-client.ts'
import { inTurns } from '../measure.ts'
import { latencyFindings } from '../measurement.ts'
import { repository } from '../repository.ts'
import { durations, type Ran } from '../spawner.ts'
import type { Row } from './benchmark.ts'

const COMMITS = 80_000
const QUICK_COMMITS = 200
const FRESH = { headers: { 'cache-control': 'no-cache' } }
const BOUND = { p50: { bound: 'at most', times: 1.3, plus: 5 } } as const

const STATUS: ToolCall = { tool: 'git_status', params: {} }
const LOG: ToolCall = { tool: 'git_log', params: { limit: 50 } }

export default {
  name: 'git',
  async measure(ground) {
    const commits = ground.many(COMMITS, QUICK_COMMITS)
    const root = repository(commits)
    const ours = await ground.ours(root)
    const spawner = ground.spawner()
    const git = (args: readonly string[], expected: string) => async () =>
      checked(await spawner.run({ file: 'git', args, cwd: root, env: { PATH: process.env.PATH ?? '' } }), expected)
    const rounds = ground.many(10, 1)
    const each = ground.many(20, 2)
    const measured = async (call: ToolCall, args: readonly string[], expected: string) => {
      const talker = await Talker.open(ground, ours, [call], FRESH)
      return inTurns(rounds, {
        ours: () => latencies(talker, each),
        floor: () => durations(each, git(args, expected))
      })
    }
    const status = await measured(STATUS, ['status', '--porcelain=v2', '--branch'], 'branch.head main')
    const log = await measured(LOG, ['log', '-n', '50'], 'Change number')
    return [
      ...latencyFindings('git_status of 2,000 files', status, BOUND),
      ...latencyFindings(`git_log of 50 out of ${commits.toLocaleString('en')} commits`, log, BOUND)
    ]
  }
} satisfies Row

function checked(ran: Ran, expected: string): Ran {
  if (ran.code !== 0 || !ran.stdout.includes(expected)) throw new Error(`git ended with ${ran.code}`)
  return ran
}
