// Parses the output of `go test -json`, one event per line.
import { addFailure, emptyReport, type TestReport } from './report.ts'

interface Event {
  Action?: unknown
  Package?: unknown
  ImportPath?: unknown
  Test?: unknown
  Output?: unknown
}

export function goReport(text: string): TestReport | undefined {
  const outputs = new Map<string, string>()
  const ends: { pack: string; test: string | undefined; action: string }[] = []
  for (const event of parseEvents(text)) {
    const { Action: action, Test, Output, ImportPath } = event
    const test = typeof Test === 'string' ? Test : undefined
    const pack = typeof event.Package === 'string' ? event.Package : typeof ImportPath === 'string' ? ImportPath : ''
    // The parts of a package have names like `demo [demo.test]` in build events.
    const key = testKey(pack.split(' ')[0]!, test)
    if ((action === 'output' || action === 'build-output') && typeof Output === 'string')
      outputs.set(key, (outputs.get(key) ?? '') + Output)
    else if (action === 'pass' || action === 'fail' || action === 'skip') ends.push({ pack, test, action })
  }
  if (ends.length === 0) return undefined
  return countResults(ends, outputs)
}

function countResults(
  ends: { pack: string; test: string | undefined; action: string }[],
  outputs: Map<string, string>
) {
  const report: TestReport = emptyReport()
  const parents = new Set(
    ends.flatMap(({ pack, test }) => (test?.includes('/') ? [testKey(pack, parentTest(test))] : []))
  )
  const failed = new Set<string>()
  for (const { pack, test, action } of ends) {
    const key = testKey(pack, test)
    if (test === undefined || (parents.has(key) && !(action === 'fail' && !failed.has(key)))) continue
    if (action === 'fail') {
      for (let at: string | undefined = test; at !== undefined; at = parentTest(at)) failed.add(testKey(pack, at))
      failed.add(testKey(pack, undefined))
      addFailure(report, { name: `${pack}.${test}`, ...describeFailure(outputs.get(key) ?? '') })
    } else if (action === 'skip') report.skipped++
    else report.passed++
  }
  // A package that failed to build, or failed outside of any test.
  for (const { pack, test, action } of ends) {
    const key = testKey(pack, test)
    if (test === undefined && action === 'fail' && !failed.has(key))
      addFailure(report, { name: pack, ...describeFailure(outputs.get(key) ?? '') })
  }
  return report
}

function* parseEvents(text: string): Generator<Event> {
  for (const line of text.split('\n')) {
    if (!line.startsWith('{')) continue
    try {
      const event: unknown = JSON.parse(line)
      if (typeof event === 'object' && event !== null) yield event
    } catch {
      // Output of a test.
    }
  }
}

function describeFailure(output: string) {
  const lines = output.split('\n').filter(line => !/^\s*(?:===|---) /.test(line))
  const [, file, line] = /^\s*([^\s:]+\.go):(\d{1,9}):/m.exec(output) ?? []
  return { file, line: line === undefined ? undefined : Number(line), message: lines.join('\n') }
}

const testKey = (pack: string, test: string | undefined) => `${pack}\n${test ?? ''}`
const parentTest = (test: string) => (test.includes('/') ? test.slice(0, test.lastIndexOf('/')) : undefined)
