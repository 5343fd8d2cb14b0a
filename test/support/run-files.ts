// Runs several test files sequentially in this process, each as a subtest named after the file: their imports are loaded and
// compiled once. Started by scripts/test; `node test/x.test.ts` runs a single file without it.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { takeMissed } from './needs.ts'
import './property.ts'
import './sync-children.ts'
import { enterFile } from './tap-of-file.ts'
import { LIMIT_MS } from './wait.ts'

/** A file that takes longer is stuck: none takes longer than a quarter of it. */
const FILE_LIMIT_MS = 4 * LIMIT_MS

const TAP_OF_FILE = new URL('./tap-of-file.ts', import.meta.url).href

// Test files import `t` from tap as usual; here that is the subtest of the file.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'tap' && context.parentURL !== TAP_OF_FILE && context.parentURL !== import.meta.url
      ? { url: TAP_OF_FILE, shortCircuit: true }
      : next(specifier, context)
})

// Not passed as arguments: tap derives folder names from those.
const files = JSON.parse(process.env.TEST_FILES ?? '[]') as string[]
delete process.env.TEST_FILES
const environment = { ...process.env }
const umask = process.umask()

// Files have limits, the process has none.
t.setTimeout(0)
for (const file of files)
  await t.test(file, { timeout: FILE_LIMIT_MS }, async t => {
    enterFile(t)
    const before = processorMs()
    // Registered first, so that it runs after the teardowns of the file.
    t.teardown(() => {
      restoreProcess()
      t.comment(`processor ms: ${processorMs() - before}`)
      const missing = takeMissed()
      if (missing.length > 0) t.comment(`missing: ${missing.join(', ')}`)
    })
    await import(pathToFileURL(path.resolve(file)).href)
  })

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
