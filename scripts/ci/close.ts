// node scripts/ci/close.ts FAILED_STEPS REPORT...: prints flaky tests, failed tests and the closing line of CI, `N passed, N failed`,
// from the reports of all its test runs. Ends with 1 if anything failed, a report is missing, or too many files were flaky.
import { existsSync, readFileSync } from 'node:fs'
import type { RunReport } from '../test/run-report.ts'
import { MAX_FLAKY_FILES } from './limits.ts'

const [steps = '', ...names] = process.argv.slice(2)
const failures = steps
  .split(' ')
  .filter(Boolean)
  .map(step => `step ${step}`)
const flaky = new Map<string, readonly string[]>()
let passed = 0
for (const name of names) {
  if (!existsSync(name)) {
    failures.push(`${name}: the run did not reach its end`)
    continue
  }
  const { files, faults } = JSON.parse(readFileSync(name, 'utf8')) as RunReport
  for (const file of files) {
    passed += file.passed
    failures.push(...file.failures)
    if (file.flaky) flaky.set(file.file, file.flaky)
  }
  failures.push(...faults)
}
if (flaky.size > 0) console.log('\nflaky:')
for (const [file, tests] of flaky) console.log(`  ${file}\n${tests.map(test => `    ${test}\n`).join('')}`)
if (flaky.size > MAX_FLAKY_FILES)
  failures.push(`${flaky.size} flaky test files: at most ${MAX_FLAKY_FILES} are let through`)
for (const failure of failures) console.log(`FAILED  ${failure}`)
console.log(`${passed} passed, ${failures.length} failed`)
process.exitCode = failures.length > 0 || passed === 0 ? 1 : 0
