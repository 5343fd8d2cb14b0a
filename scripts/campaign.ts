// npm run campaign [-- NAME...]: runs long tests and measurements, all of them or those that are named, one after the other. Each
// prints its figures. They decide nothing on a change; run them before a release, or when a change may affect what they measure.
// npm run campaign -- NAME --OPTION...: passes options to one of them, such as faults --minutes 60.
import { execaSync } from 'execa'

const node = (...args: string[]) => ['node', ...args]

const CAMPAIGNS: Readonly<Record<string, readonly string[]>> = {
  // Every test, property tests with all their inputs, and the coverage of src.
  full: node('scripts/test/run.ts', '--tier', 'all', '--full', '--coverage'),
  // Which test files cover most of src in the least processor time, and what the quick tier covers.
  selection: node('scripts/test/select-quick.ts'),
  // Servers killed at random moments; with --hub, hubs and their PostgreSQL, too.
  soak: node('test/soak/soak.ts'),
  // A server comes back to its hub with many events: --events N.
  backlog: node('test/soak/backlog.ts'),
  // Descriptors, memory and processes of a server after many calls.
  hygiene: node('test/soak/hygiene.ts'),
  // Faults of what a server depends on: what callers see, and what is lost.
  faults: node('test/soak/faults.ts'),
  // The extension for VS Code in code-server, which is installed at first use.
  vscode: node('test/e2e/vscode/try-out.ts'),
  // Requests of every kind to every route; TEST_SEED gives others.
  fuzz: node('scripts/test/run.ts', '--full', 'test/routes/fuzz'),
  // The changes of the latest commits, made again by calls.
  replay: node('scripts/replay-history.ts', '.'),
  // Speed against floors taken in the same run.
  bench: node('bench/run.ts')
}

const given = process.argv.slice(2)
const firstOption = given.findIndex(word => word.startsWith('-'))
const names = firstOption === -1 ? given : given.slice(0, firstOption)
const options = given.slice(names.length)
const unknown = names.filter(name => !(name in CAMPAIGNS))
if (unknown.length > 0)
  throw new Error(`Unknown campaign ${unknown.join(', ')}: expected one of ${Object.keys(CAMPAIGNS).join(', ')}.`)
if (options.length > 0 && names.length !== 1) throw new Error('Options are for one campaign: name it before them.')

const failed = (names.length > 0 ? names : Object.keys(CAMPAIGNS)).filter(name => {
  const [file, ...args] = CAMPAIGNS[name]!
  const words = [...args, ...options]
  console.log(`\n--- ${name}: ${[file, ...words].join(' ')}`)
  return execaSync(file!, words, { stdio: 'inherit', reject: false }).failed
})
console.log(failed.length > 0 ? `\nFailed: ${failed.join(', ')}` : '\nAll passed.')
process.exitCode = failed.length > 0 ? 1 : 0
