// Measures which functions of src a test process calls; loaded first, with --import. NODE_V8_COVERAGE would count how often each
// block runs, which is slower and disables the compile cache, and every child of the process would inherit it.
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { threadId } from 'node:worker_threads'

interface ScriptCoverage {
  url: string
}

const { COVERAGE_DIR } = process.env
if (COVERAGE_DIR !== undefined) measure(COVERAGE_DIR)

function measure(folder: string) {
  const source = pathToFileURL(path.resolve(import.meta.dirname, '../../src')).href
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: false })
  process.on('exit', () => {
    // Called back before it returns.
    session.post('Profiler.takePreciseCoverage', (error, { result }: { result: ScriptCoverage[] }) => {
      if (error) throw error
      const ours = result.filter(({ url }) => url.startsWith(`${source}/`))
      writeFileSync(
        path.join(folder, `coverage-${process.pid}-${threadId}-${Date.now()}.json`),
        JSON.stringify({ result: ours })
      )
    })
  })
}
