// Reports the share of lines of src in functions that the tests call, from V8's coverage of every test process of a run. Commands
// of src/cli run as separate programs, from the build, and are not measured.
//
// node scripts/test/coverage.ts FOLDER reports the coverage collected by runs with TEST_COVERAGE=FOLDER.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Report } from 'c8'
import { transformSync } from 'esbuild'
import { globbySync } from 'globby'

/** Parts of the source and the minimum share of their lines, in percent, over all tests together. */
const FLOORS = [
  { part: 'src', name: 'src without src/cli', floor: 97 },
  { part: 'src/tools', name: 'src/tools', floor: 98 }
]
/** Number of least covered files listed. */
const LEAST_COVERED = 10

interface Lines {
  total: number
  covered: number
}

/** Prints the coverage of each part and its least covered files; returns whether every floor is reached. */
export async function reportCoverage(folder: string): Promise<boolean> {
  const lines = await linesPerFile(folder)
  const least = [...lines].filter(([, { total }]) => total > 0).sort(([, a], [, b]) => percent(a) - percent(b))
  console.log('\nLeast covered files:')
  for (const [file, of] of least.slice(0, LEAST_COVERED))
    console.log(`${percent(of).toFixed(1).padStart(6)} %  ${file}`)

  return FLOORS.map(({ part, name, floor }) => {
    const all = { total: 0, covered: 0 }
    for (const [file, { total, covered }] of lines)
      if (file.startsWith(`${part}/`)) {
        all.total += total
        all.covered += covered
      }
    console.log(`Coverage of ${name}: ${percent(all).toFixed(2)} % of ${all.total} lines; ${floor} % are required`)
    return percent(all) >= floor
  }).every(Boolean)
}

async function linesPerFile(folder: string): Promise<Map<string, Lines>> {
  const reportsDirectory = path.join(folder, 'report')
  const include = ['src/**/*.ts', '!src/cli/**', '!src/main.ts']
  await new Report({ tempDirectory: folder, include, reporter: ['json-summary'], reportsDirectory }).run()
  const summary = JSON.parse(readFileSync(path.join(reportsDirectory, 'coverage-summary.json'), 'utf8')) as Record<
    string,
    { lines: Lines }
  >
  return new Map(globbySync(include).map(file => [file, summary[path.resolve(file)]?.lines ?? linesOf(file)]))
}

/** A file that no test loads is not covered at all; a file with types only is never loaded and has no lines. */
function linesOf(file: string): Lines {
  const { code } = transformSync(readFileSync(file, 'utf8'), { loader: 'ts' })
  return { total: code.split('\n').filter(Boolean).length, covered: 0 }
}

const percent = ({ total, covered }: Lines) => (total === 0 ? 100 : (covered / total) * 100)

if (import.meta.main) process.exitCode = (await reportCoverage(process.argv[2] ?? '')) ? 0 : 1
