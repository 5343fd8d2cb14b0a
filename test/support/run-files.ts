// Runs test files sequentially in this process, each as a subtest named after the file: their imports are loaded and compiled
// once. Started by scripts/test, which sends the name of each file; `node test/x.test.ts` runs a single file without it.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { writeFileCoverage } from './file-coverage.ts'
import { takeMissed } from './needs.ts'
import './property.ts'
import { NEXT_FILE, type RunnerMessage } from './runner-messages.ts'
import './sync-children.ts'
import { enterFile } from './tap-of-file.ts'
import { LIMIT_MS, setLimitFactor } from './wait.ts'

/** Starting programs from a larger process takes noticeably longer. */
const MAX_RESIDENT_BYTES = 600 * 2 ** 20
/** A file that takes longer than this many limits of a wait is stuck. */
const FILE_LIMITS = 4

const TAP_OF_FILE = new URL('./tap-of-file.ts', import.meta.url).href

// Test files import `t` from tap as usual; here that is the subtest of the file.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'tap' && context.parentURL !== TAP_OF_FILE && context.parentURL !== import.meta.url
      ? { url: TAP_OF_FILE, shortCircuit: true }
      : next(specifier, context)
})

let environment = { ...process.env }
const umask = process.umask()
let answered: (file: string | undefined) => void

process.on('message', (message: RunnerMessage) => {
  if (message.type === 'limit-factor') useLimitFactor(message.factor)
  else answered(message.type === 'file' ? message.file : undefined)
})
// The runner has ended.
const exitWithRunner = () => process.exit(1)
process.once('disconnect', exitWithRunner)

// Files have limits, the process has none: on a busy machine even the imports below take longer than the default of tap.
t.setTimeout(0)
if (process.env.TEST_WARM === '1') await import('./warm-up.ts').then(({ warmUp }) => warmUp())

for (let file = await nextFile(); file !== undefined; file = await nextFile()) await runFile(file)
process.off('disconnect', exitWithRunner)
process.disconnect!()
// Fires only if something keeps the process from ending, such as a server that a failed test did not close.
setTimeout(exitDespiteHandles, LIMIT_MS).unref()

function exitDespiteHandles() {
  console.error(`The test files have ended, and this is still open: ${process.getActiveResourcesInfo().join(', ')}.`)
  process.exit(1)
}

/** Asks the runner for the next file; undefined if there is none, or another process should run it. */
async function nextFile(): Promise<string | undefined> {
  if (process.memoryUsage.rss() > MAX_RESIDENT_BYTES) return undefined
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  answered = resolve
  // Tap lets the process end while nothing else is open.
  process.channel!.ref()
  process.send!(NEXT_FILE)
  return promise
}

async function runFile(file: string) {
  await t.test(file, { timeout: FILE_LIMITS * LIMIT_MS }, async t => {
    enterFile(t)
    const before = processorMs()
    // Registered first, so that it runs after the teardowns of the file.
    t.teardown(() => {
      restoreProcess()
      const ms = processorMs() - before
      t.comment(`processor ms: ${ms}`)
      writeFileCoverage(file, ms)
      const missing = takeMissed()
      if (missing.length > 0) t.comment(`missing: ${missing.join(', ')}`)
    })
    await import(pathToFileURL(path.resolve(file)).href)
  })
}

/** Returns the processor time of this process and of its ended children. */
function processorMs(): number {
  if (process.platform !== 'linux') return Math.round((process.cpuUsage().user + process.cpuUsage().system) / 1_000)
  const fields = readFileSync('/proc/self/stat', 'latin1').split(') ')[1]!.split(' ')
  // utime, stime, cutime and cstime, in hundredths of a second; see proc_pid_stat(5).
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0)
}

/** Restores process state that a file changed, so that the next one starts like the first. */
function restoreProcess() {
  process.umask(umask)
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
}

/** Stretches the limits of this process and of its children from now on. */
function useLimitFactor(factor: number) {
  setLimitFactor(factor)
  environment = { ...environment, TEST_LIMIT_FACTOR: String(factor) }
  process.env.TEST_LIMIT_FACTOR = String(factor)
}
