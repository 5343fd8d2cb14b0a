// Says which tests failed and how, and how many passed and failed, from what tap printed: the last line is
// `N passed, N failed`. What tap prints of a failure stands far above the end by then.
import { readFileSync } from 'node:fs'

/** How much is told of a failure, and of how many. */
const LINES = 40
const FAILURES = 20

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('Usage: node scripts/count-tests.ts <file with the output of tap>')
const output = readFileSync(file, 'utf8')

for (const failure of failuresIn(output.split('\n')).slice(0, FAILURES)) console.log(`${failure}\n`)

// Each run of tap ends with one such line; those of single files are indented.
const SUMMARY = /^# \{ total: \d+(?:, \w+: \d+)* \}$/gm
const runs = output.match(SUMMARY) ?? []
const sum = (name: string) =>
  runs.reduce((total, run) => total + Number(new RegExp(`\\b${name}: (\\d+)`).exec(run)?.[1] ?? 0), 0)
const [passed, failed] = [sum('pass'), sum('fail')]

console.log(`${passed} passed, ${failed} failed`)
if (failed > 0 || passed === 0) process.exitCode = 1

/** Each with the tests around it and what is told of it. A test that fails by another one inside it is left out. */
function failuresIn(lines: readonly string[]): string[] {
  const around: string[] = []
  const failures: string[] = []
  let deepest = 0
  lines.forEach((line, at) => {
    const depth = (line.length - line.trimStart().length) / 4
    const [, opened] = /^ *# Subtest: (.*)$/.exec(line) ?? []
    if (opened !== undefined) around.splice(depth, Infinity, opened)
    const [, name] = /^ *not ok \d+ - (.*)$/.exec(line) ?? []
    if (name === undefined) return
    const byOneInside = deepest > depth
    deepest = depth
    if (!byOneInside)
      failures.push([[...around.slice(0, depth), name].join(' > '), ...detailsAt(lines, at + 1)].join('\n'))
  })
  return failures
}

/** The block of YAML that starts at that line, if one does. */
function detailsAt(lines: readonly string[], start: number): string[] {
  if (lines[start]?.trim() !== '---') return []
  const end = lines.findIndex((line, at) => at > start && line.trim() === '...')
  return lines
    .slice(start + 1, end)
    .filter(line => line.trim() !== '')
    .slice(0, LINES)
}
