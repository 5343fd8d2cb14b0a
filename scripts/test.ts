// Runs all tests, or the test files that are named. With --coverage it tells how much of src they reach, and fails under the
// floor; that takes longer. Every file of src counts: one that no test loads counts whole as not covered,
// unless it holds types alone.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { globbySync } from 'globby'

const FLOOR = 90

interface Share {
  total: number
  covered: number
}

/** What tests can do with tap is built from its plugins into its package. npm brings it built from all there are. */
const CLASS = 'node_modules/@tapjs/test/test-built/dist/esm/index.js'
if (readFileSync(CLASS, 'utf8').includes('@tapjs/mock')) {
  const built = spawnSync('tap', ['build'], { stdio: 'inherit' })
  if (built.status !== 0) process.exit(built.status ?? 1)
}

const words = process.argv.slice(2)
const named = words.filter(word => word !== '--coverage')
const covers = named.length < words.length
const how = [covers ? '--coverage-report=json-summary' : '--disable-coverage', ...named]
// Left to itself, tap keeps one processor free: of two, half would be idle. And tests wait, for each other's processes and
// for time: of as many as processors, a quarter of the time would pass unused.
// Each file loads the server: what Node made of it for the first one serves the others. Coverage is told less exactly so.
const compiled = covers ? {} : { NODE_COMPILE_CACHE: path.resolve('node_modules/.cache/toolgate-tests') }
const tests = spawnSync('tap', ['run', `--jobs=${availableParallelism() + 1}`, ...how], {
  stdio: 'inherit',
  env: { ...process.env, ...compiled }
})
if (tests.status !== 0 || !covers) process.exit(tests.status ?? 1)

const summary = JSON.parse(readFileSync('.tap/report/coverage-summary.json', 'utf8')) as Record<
  string,
  { lines: Share }
>
const files = globbySync('src/**/*.ts').map(file => ({
  file,
  ...(summary[path.resolve(file)]?.lines ?? unloaded(file))
}))
const total = files.reduce((sum, { total }) => sum + total, 0)
const covered = files.reduce((sum, { covered }) => sum + covered, 0)
const percent = (covered / total) * 100

const worst = files.filter(file => file.total > 0).sort((a, b) => a.covered / a.total - b.covered / b.total)
for (const file of worst.slice(0, 12))
  console.log(`${((file.covered / file.total) * 100).toFixed(1).padStart(6)} %  ${file.file}`)
console.log(
  `${percent.toFixed(2).padStart(6)} %  of ${total} lines in ${files.length} files of src; the floor is ${FLOOR} %`
)
if (percent < FLOOR) process.exitCode = 1

function unloaded(file: string): Share {
  const code = readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line.trim() !== '' && !line.trim().startsWith('//'))
  const onlyTypes = !code.some(line => /^(?:export )?(?:async )?(?:const|let|class|function|default)/.test(line))
  return { total: onlyTypes ? 0 : code.length, covered: 0 }
}
