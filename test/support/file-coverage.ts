// Measures which functions of src each test file calls, in the main thread of its process: for scripts/test/select-quick.ts, which
// names a folder for it in FILE_COVERAGE_DIR.
import { writeFileSync } from 'node:fs'
import { type Profiler, Session } from 'node:inspector'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/** The functions of src that a test file has called, and those that it has loaded. */
export interface FileCoverage {
  file: string
  processorMs: number
  /** By source file: start, end, and whether it was called. */
  functions: Record<string, [start: number, end: number, isCalled: boolean][]>
}

const { FILE_COVERAGE_DIR } = process.env
const SOURCE = `${pathToFileURL(path.resolve(import.meta.dirname, '../../src')).href}/`
const session = new Session()

if (FILE_COVERAGE_DIR !== undefined) {
  session.connect()
  session.post('Profiler.enable')
  // Counted, since a function that is only marked is reported once per process.
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
}

/** Writes the functions called since the last call of this, if they are measured. */
export function writeFileCoverage(file: string, processorMs: number) {
  if (FILE_COVERAGE_DIR === undefined) return
  // Called back before it returns.
  session.post('Profiler.takePreciseCoverage', (error, { result }: Profiler.TakePreciseCoverageReturnType) => {
    if (error) throw error
    const functions = result
      .filter(({ url }) => url.startsWith(SOURCE))
      .map(({ url, functions }) => [
        url.slice(SOURCE.length),
        functions.map(({ ranges: [range] }) => [range!.startOffset, range!.endOffset, range!.count > 0])
      ])
    const name = `${file.replaceAll('/', '+')}.json`
    const coverage = { file, processorMs, functions: Object.fromEntries(functions) } satisfies FileCoverage
    writeFileSync(path.join(FILE_COVERAGE_DIR, name), JSON.stringify(coverage))
  })
}
