// Checks that no test depends on the speed of the machine. Limits of tests only end what hangs: they are LIMIT_MS of
// test/support/wait.ts, which grows on a slow machine, or longer. No test asserts how long something took.
// tier: quick
import { readFileSync } from 'node:fs'
import { globbySync } from 'globby'
import t from 'tap'

const MIN_LIMIT_MS = 120_000

/** Limits of test helpers, of Node and of Playwright, with the limit as the last group. */
const LIMITS: readonly RegExp[] = [
  // In the options of a test or a child process. Time limits of tools stand beside their command, or are given in seconds.
  /\btimeout: (\d[\d_]*)/,
  /\bAbortSignal\.timeout\((\d[\d_]*)\)/,
  /\.set(?:Default)?(?:Navigation)?Timeout\((\d[\d_]*)\)/,
  /\b(?:within|waitUntil|once|until|type)\((?:[^()]|\([^()]*\))*, (\d[\d_]*)\)/,
  /\bvim\.wait\((\d[\d_]*)/
]
const TOOL_PARAMS = /\b(?:command|code|description):/
/** The clock in a comparison: how long something took, or that it happened in time. */
const DURATION = /\bperformance\.now\(\) - \w+ *[<>]|\bDate\.now\(\) - \w+ *[<>]/
const PAUSE = /\bwaitForTimeout\(/

/** The definition of the limits, programs that measure, and data. */
const EXCLUDED = ['test/support/wait.ts', 'test/limits.test.ts', 'test/soak', 'test/scenarios', '**/node_modules']

const files = globbySync(['test/**/*.ts', ...EXCLUDED.map(pattern => `!${pattern}`)])

function findIssues(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.flatMap((line, i) => {
    const at = `${file}:${i + 1}`
    const limits = LIMITS.map(limit => limit.exec(line)?.[1]).filter(limit => limit !== undefined)
    const short = limits.map(limit => Number(limit.replaceAll('_', ''))).filter(ms => ms >= 100 && ms < MIN_LIMIT_MS)
    return [
      ...(short.length > 0 && !TOOL_PARAMS.test(line)
        ? [`${at}: a limit of ${short[0]} ms ends what is only slow: leave it out, or use LIMIT_MS`]
        : []),
      ...(DURATION.test(line) ? [`${at}: a duration is asserted: count, or compare the order of events`] : []),
      ...(PAUSE.test(line) ? [`${at}: a pause is no event: wait for one`] : [])
    ]
  })
}

t.test('no limit of a test is short, and nothing asserts a duration', async t => {
  t.ok(files.length > 300)
  t.strictSame(files.flatMap(findIssues), [])
})
