// Searching a large tree, against ripgrep itself with the very flags that the server gives it. Kept answers are refused.
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { rgPath } from '@vscode/ripgrep'
import { openWorkspace } from '../../src/host/files/paths.ts'
import { searchExcludes } from '../../src/host/files/policy/path-policy.ts'
import { ALWAYS, searchArguments, WITHOUT_GIT } from '../../src/host/search/ripgrep-arguments.ts'
import { Excludes } from '../../src/host/search/ripgrep-exclude.ts'
import { IN_FLIGHT, talkers } from '../comparison.ts'
import { type Asking, latencies, Talker, type ToolCall, throughput } from '../load-client.ts'
import { inTurns } from '../measure.ts'
import { latencyFindings, rateFinding } from '../measurement.ts'
import { durations, type Ran } from '../spawner.ts'
import { PART, RARE_LITERAL, RARE_NAME, tree } from '../tree.ts'
import type { Row } from './benchmark.ts'

const FILES = 80_000
const QUICK_FILES = 2_000
const FRESH = { headers: { 'cache-control': 'no-cache' } }
const WARMING_MS = 20_000
const WARMING_PAUSE_MS = 250

const GREP: ToolCall = { tool: 'grep', params: { pattern: RARE_LITERAL, literal: true } }
const GREP_PART: ToolCall = { tool: 'grep', params: { ...GREP.params, path: PART } }
const FIND: ToolCall = { tool: 'search_files', params: { pattern: RARE_NAME } }

export default {
  name: 'search',
  async measure(ground) {
    const root = tree(ground.many(FILES, QUICK_FILES))
    const ours = await ground.ours(root)
    const spawner = ground.spawner()
    const ripgrep = (cwd: string, args: readonly string[], expected: string) => async () =>
      checked(await spawner.run({ file: rgPath, args, cwd, env: { PATH: process.env.PATH ?? '' } }), expected)
    const excludes = excludesFor(root, ground.folder)
    const flags = grepFlags(excludes)
    const plain = ['--hidden', '--fixed-strings', `--regexp=${RARE_LITERAL}`, '--', './']
    const list = [...ALWAYS, '--files', '--null', '--hidden', ...excludes, '--', './']
    const rounds = ground.many(5, 1)

    const grep = await Talker.open(ground, ours, [GREP], FRESH)
    const grepped = await inTurns(rounds, {
      ours: () => latencies(grep, 2),
      floor: () => durations(2, ripgrep(root, flags, RARE_LITERAL)),
      plain: () => durations(2, ripgrep(root, plain, RARE_LITERAL))
    })
    const find = await Talker.open(ground, ours, [FIND], FRESH)
    await warm(find, ground.many(WARMING_MS, 2 * WARMING_PAUSE_MS))
    const finds = ground.many(20, 2)
    const foundNames = await inTurns(rounds, {
      ours: () => latencies(find, finds),
      floor: () => durations(2, ripgrep(root, list, RARE_NAME))
    })
    const many = {
      ours: await talkers(() => Talker.open(ground, ours, [GREP_PART], FRESH)),
      floor: Array.from({ length: IN_FLIGHT }, () => ({ say: ripgrep(path.join(root, PART), flags, RARE_LITERAL) }))
    }
    const duration_ms = ground.many(1_000, 50)
    const load = await inTurns(ground.many(3, 1), {
      ours: () => throughput(many.ours, duration_ms),
      floor: () => throughput(many.floor, duration_ms)
    })

    const [grepMedian] = latencyFindings('rare literal in 80,000 files', grepped, {
      p50: { bound: 'at most', times: 1.1, plus: 3 }
    })
    const [plainMedian] = latencyFindings('the same, against rg without our flags', {
      ...grepped,
      floor: grepped.plain
    })
    return [
      grepMedian!,
      plainMedian!,
      rateFinding(`rare literal in 2,000 files, ${IN_FLIGHT} in flight`, load),
      ...latencyFindings('find a file by name in 80,000, warm', foundNames, { p50: { bound: 'at most', plus: 20 } })
    ]
  }
} satisfies Row

/** What the server keeps ripgrep from opening. */
function excludesFor(root: string, stateDir: string): readonly string[] {
  const excludes = searchExcludes(openWorkspace('default', root), { stateDir, sensitive: [] })
  return [WITHOUT_GIT, ...new Excludes(excludes).args]
}

const grepFlags = (excludes: readonly string[]) =>
  searchArguments(
    {
      pattern: RARE_LITERAL,
      path: '.',
      kind: 'directory',
      mode: 'content',
      literal: true,
      case: 'sensitive',
      multiline: false,
      ignored: false,
      context: 0,
      include: [],
      exclude: [],
      signal: new AbortController().signal
    },
    undefined,
    excludes
  )

/** Until the kept list answers, which shows in that it takes less than half the time, or so long. */
async function warm(talker: Asking, longest_ms: number) {
  const [first] = await latencies(talker, 1)
  const began = performance.now()
  while (performance.now() - began < longest_ms) {
    await pause(WARMING_PAUSE_MS)
    const [now] = await latencies(talker, 1)
    if (now! < first! / 2) return
  }
}

function checked(ran: Ran, expected: string): Ran {
  if (ran.code !== 0 || !ran.stdout.includes(expected)) throw new Error(`ripgrep ended with ${ran.code}`)
  return ran
}
