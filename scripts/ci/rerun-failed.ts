// node scripts/ci/rerun-failed.ts REPORT: runs each test file that failed in a run once more, alone. The report of the run (see
// TEST_REPORT in scripts/test/run.ts) is rewritten: a file that passes now is flaky, with the names of what failed at first.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import type { FileReport, RunReport } from '../test/run-report.ts'
import { MAX_FLAKY_FILES } from './limits.ts'

/** No test file takes longer than a tenth of this on an idle machine. */
const TIMEOUT_MS = 300_000

const RUNNER = path.resolve(import.meta.dirname, '../test/run.ts')

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('Usage: node scripts/ci/rerun-failed.ts REPORT')
if (!existsSync(file)) {
  console.log(`${file} does not exist: the run did not reach its end, so no test runs again.`)
  process.exit(1)
}

const report = JSON.parse(readFileSync(file, 'utf8')) as RunReport
const failed = report.files.filter(({ failures }) => failures.length > 0)
if (failed.length > MAX_FLAKY_FILES)
  console.log(`${failed.length} test files failed: more than ${MAX_FLAKY_FILES} are no chance, so none runs again.`)
else for (const each of failed) rerun(each)
writeFileSync(file, JSON.stringify(report, null, 2))

function rerun(failed: FileReport) {
  console.log(`\nRunning ${failed.file} again, alone.`)
  const again = `${file}.again`
  const { failed: failsAgain } = execaSync(process.execPath, [RUNNER, failed.file], {
    env: { TEST_REPORT: again },
    stdio: 'inherit',
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    reject: false
  })
  if (failsAgain) return
  const { files } = JSON.parse(readFileSync(again, 'utf8')) as RunReport
  Object.assign(failed, files[0], { flaky: failed.failures })
}
