// Searches a large tree, against ripgrep itself with the server's exact flags. Cached results are refused.
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { rgPath } from '@vscode/ripgrep'
import { openWorkspace } from '../../src/host/files/paths.ts'
import { searchExcludeGlobs } from '../../src/host/files/policy/path-policy.ts'
import { BASE_ARGS, NO_REQUIRE_GIT, searchArguments } from '../../src/host/search/ripgrep-arguments.ts'
import { Excludes } from '../../src/host/search/ripgrep-exclude.ts'
import { IN_FLIGHT, openClients } from '../comparison.ts'
import { LoadClient, measureLatencies, measureThroughput, type Requester, type ToolCall } from '../load-client.ts'
import { interleave } from '../measure.ts'
import { latencyMeasurements, rateMeasurement } from '../measurement.ts'
import { measureDurations, type RunResult } from '../spawner.ts'
import { PART, prepareTree, RARE_LITERAL, RARE_NAME } from '../tree.ts'
import type { Benchmark } from './benchmark.ts'

const FILES = 80_000
const QUICK_FILES = 2_000
const FRESH = { headers: { 'cache-control': 'no-cache' } }
const WARM_UP_MS = 20_000
const WARM_UP_PAUSE_MS = 250

const GREP: ToolCall = { tool: 'grep', params: { pattern: RARE_LITERAL, literal: true } }
const GREP_PART: ToolCall = { tool: 'grep', params: { ...GREP.params, path: PART } }
const FIND: ToolCall = { tool: 'search_files', params: { pattern: RARE_NAME } }

export default {
  name: 'search',
  async measure(ground) {
    const root = prepareTree(ground.scale(FILES, QUICK_FILES))
    const ours = await ground.startToolgate(root)
    const spawner = ground.spawner()
    const ripgrep = (cwd: string, args: readonly string[], expected: string) => async () =>
      assertOutput(await spawner.run({ file: rgPath, args, cwd, env: { PATH: process.env.PATH ?? '' } }), expected)
    const excludes = excludesFor(root, ground.folder)
    const flags = grepFlags(excludes)
    const plain = ['--hidden', '--fixed-strings', `--regexp=${RARE_LITERAL}`, '--', './']
    const list = [...BASE_ARGS, '--files', '--null', '--hidden', ...excludes, '--', './']
    const rounds = ground.scale(5, 1)

    const grep = await LoadClient.open(ground, ours, [GREP], FRESH)
    const grepped = await interleave(rounds, {
      ours: () => measureLatencies(grep, 2),
      floor: () => measureDurations(2, ripgrep(root, flags, RARE_LITERAL)),
      plain: () => measureDurations(2, ripgrep(root, plain, RARE_LITERAL))
    })
    const find = await LoadClient.open(ground, ours, [FIND], FRESH)
    await warmUp(find, ground.scale(WARM_UP_MS, 2 * WARM_UP_PAUSE_MS))
    const finds = ground.scale(20, 2)
    const foundNames = await interleave(rounds, {
      ours: () => measureLatencies(find, finds),
      floor: () => measureDurations(2, ripgrep(root, list, RARE_NAME))
    })
    const many = {
      ours: await openClients(() => LoadClient.open(ground, ours, [GREP_PART], FRESH)),
      floor: Array.from({ length: IN_FLIGHT }, () => ({ say: ripgrep(path.join(root, PART), flags, RARE_LITERAL) }))
    }
    const duration_ms = ground.scale(1_000, 50)
    const load = await interleave(ground.scale(3, 1), {
      ours: () => measureThroughput(many.ours, duration_ms),
      floor: () => measureThroughput(many.floor, duration_ms)
    })

    const [grepMedian] = latencyMeasurements('rare literal in 80,000 files', grepped, {
      p50: { bound: 'at most', times: 1.1, plus: 3 }
    })
    const [plainMedian] = latencyMeasurements('the same, against rg without our flags', {
      ...grepped,
      floor: grepped.plain
    })
    return [
      grepMedian!,
      plainMedian!,
      rateMeasurement(`rare literal in 2,000 files, ${IN_FLIGHT} in flight`, load),
      ...latencyMeasurements('find a file by name in 80,000, warm', foundNames, { p50: { bound: 'at most', plus: 20 } })
    ]
  }
} satisfies Benchmark

/** Returns the paths that the server excludes from ripgrep. */
function excludesFor(root: string, stateDir: string): readonly string[] {
  const excludes = searchExcludeGlobs(openWorkspace('default', root), { stateDir, sensitive: [] })
  return [NO_REQUIRE_GIT, ...new Excludes(excludes).argsIn('.')]
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

/** Waits for the cached file list, which at least halves the time, or for this limit. */
async function warmUp(talker: Requester, longest_ms: number) {
  const [first] = await measureLatencies(talker, 1)
  const began = performance.now()
  while (performance.now() - began < longest_ms) {
    await pause(WARM_UP_PAUSE_MS)
    const [now] = await measureLatencies(talker, 1)
    if (now! < first! / 2) return
  }
}

function assertOutput(ran: RunResult, expected: string): RunResult {
  if (ran.code !== 0 || !ran.stdout.includes(expected)) throw new Error(`ripgrep ended with ${ran.code}`)
  return ran
}
