// Parses jest's JSON report, which vitest writes too.
import { stripVTControlCharacters } from 'node:util'
import { isObject } from '../json-object.ts'
import { addFailure, emptyReport, type TestReport } from './report.ts'

interface Suite {
  name?: unknown
  status?: unknown
  message?: unknown
  assertionResults?: unknown
}

interface Assertion {
  fullName?: unknown
  title?: unknown
  status?: unknown
  failureMessages?: unknown
  location?: unknown
}

/** Returns the last such report in the text: tests may print their own JSON before it. */
export function jestReport(text: string): TestReport | undefined {
  for (const candidate of candidates(text)) {
    const suites = parseSuites(candidate)
    if (!suites) continue
    const report = emptyReport()
    for (const suite of suites) count(suite, report)
    return report
  }
  return undefined
}

function* candidates(text: string) {
  yield text
  const lines = text.split('\n').filter(line => line.startsWith('{') && line.includes('"testResults"'))
  // vitest appends its output path to the same line.
  yield* lines.reverse().map(line => line.slice(0, line.lastIndexOf('}') + 1))
  // Printed over several lines, with other text around it.
  const [start, end] = [text.search(/^\{\s*$/m), text.lastIndexOf('}')]
  if (start >= 0) yield text.slice(start, end + 1)
}

function parseSuites(text: string): Suite[] | undefined {
  try {
    const { testResults } = JSON.parse(text)
    return Array.isArray(testResults) ? testResults.filter(isObject) : undefined
  } catch {
    return undefined
  }
}

function count(suite: Suite, report: TestReport) {
  const file = nonEmptyText(suite.name)
  const tests = Array.isArray(suite.assertionResults) ? (suite.assertionResults.filter(isObject) as Assertion[]) : []
  for (const test of tests) {
    if (test.status === 'passed') report.passed++
    else if (test.status === 'failed') addFailure(report, { ...describeFailure(test, file), file })
    else report.skipped++
  }
  // The file itself could not be loaded.
  if (suite.status === 'failed' && !tests.some(({ status }) => status === 'failed'))
    addFailure(report, {
      name: file ?? 'unnamed',
      file,
      message: stripVTControlCharacters(nonEmptyText(suite.message) ?? '')
    })
}

function describeFailure({ fullName, title, failureMessages, location }: Assertion, file: string | undefined) {
  const messages = Array.isArray(failureMessages) ? failureMessages.filter(each => typeof each === 'string') : []
  const message = stripVTControlCharacters(messages.join('\n\n'))
  const reportedLine = isObject(location) && Number.isSafeInteger(location.line) ? (location.line as number) : undefined
  return {
    name: nonEmptyText(fullName)?.trim() || nonEmptyText(title) || 'unnamed',
    line: findLine(message, file) ?? reportedLine,
    message: message.replace(FOREIGN_FRAMES, ''),
    expected: /^\s*Expected(?: \w+)?:\s+(.+)$/m.exec(message)?.[1],
    actual: /^\s*Received(?: \w+)?:\s+(.+)$/m.exec(message)?.[1]
  }
}

/** Stack frames in the runner, packages and Node. */
const FOREIGN_FRAMES =
  /\n\s+at (?:[^\n]*[/\\]node_modules[/\\][^\n]*|[^\n]*\(?node:internal[^\n]*|new Promise \(<anonymous>\))(?=\n|$)/g

/** Returns the line of the first stack frame in the test's own file. */
function findLine(message: string, file: string | undefined): number | undefined {
  if (file === undefined) return undefined
  const at = message.indexOf(`${file}:`)
  const digits = at < 0 ? undefined : /^\d{1,9}/.exec(message.slice(at + file.length + 1))?.[0]
  return digits === undefined ? undefined : Number(digits)
}

const nonEmptyText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
