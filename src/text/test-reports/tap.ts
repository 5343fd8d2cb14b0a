// Parses the Test Anything Protocol, as written by node's runner, tap and many others, with subtests and YAML details. Counts the
// innermost results: a test with subtests counts only if it failed by itself.
import { parse } from 'yaml'
import { addFailure, emptyReport, splitReportLines, type TestReport } from './report.ts'

const VERSION = /^TAP version 1[34]$/m
const PLAN = /^1\.\.\d+/m
const RESULT = /^(not ok|ok)\b(?: +\d+)?(?: +-)?(.*)$/
const DIRECTIVE = /(?:^|[^\\])#\s*(SKIP|TODO)\b/i
/** Maximum length of one failure's details. */
const DETAILS_LINES = 1_000
const DETAILS_LENGTH = 65_536

interface Level {
  indent: number
  results: number
  failed: number
}

export function tapReport(text: string): TestReport | undefined {
  if (!VERSION.test(text) && !(PLAN.test(text) && /^(?:not )?ok\b/m.test(text))) return undefined
  const lines = splitReportLines(text)
  const reader = new Reader()
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const bare = line.trimStart()
    const indent = line.length - bare.length
    const result = RESULT.exec(bare)
    if (result) at = reader.result(indent, result[1] === 'ok', result[2]!, lines, at)
    else reader.other(indent, bare)
  }
  return reader.report
}

class Reader {
  readonly report = emptyReport()
  readonly #levels: Level[] = []
  /** Titles of the enclosing tests, by indentation. */
  readonly #titles = new Map<number, string>()

  /** Returns the last line that belongs to the result. */
  result(indent: number, ok: boolean, rest: string, lines: readonly string[], at: number): number {
    const buffered = rest.endsWith(' {')
    const title = testTitle(rest)
    if (buffered) {
      this.#titles.set(indent, title)
      return at
    }
    const [details, last] = detailsAfter(lines, at, indent)
    const inner = this.#popDeeper(indent)
    const own = DIRECTIVE.test(rest) ? 'skipped' : ok ? 'passed' : 'failed'
    const counts = inner.results === 0 || (own === 'failed' && inner.failed === 0)
    if (counts && own === 'failed')
      addFailure(this.report, { name: this.#fullName(indent, title), ...describeFailure(details, title) })
    else if (counts && own === 'skipped') this.report.skipped++
    else if (counts) this.report.passed++
    this.#addResults(indent, inner.results + (counts ? 1 : 0), inner.failed + (counts && own === 'failed' ? 1 : 0))
    for (const known of this.#titles.keys()) if (known >= indent) this.#titles.delete(known)
    return last
  }

  other(indent: number, bare: string) {
    const title = /^# Subtest(?:: (.*))?$/.exec(bare)
    if (title) this.#titles.set(indent, title[1] ?? '')
    else if (bare.startsWith('Bail out!')) addFailure(this.report, { name: 'Bail out!', message: bare.slice(9) })
  }

  #fullName(indent: number, title: string) {
    const around = [...this.#titles].filter(([known]) => known < indent).sort(([a], [b]) => a - b)
    return [...around.map(([, name]) => name), title].filter(name => name !== '').join(' > ') || 'unnamed'
  }

  /** Returns the deeper results since the last one at this depth. */
  #popDeeper(indent: number): { results: number; failed: number } {
    const inner = { results: 0, failed: 0 }
    for (let top = this.#levels.at(-1); top && top.indent > indent; top = this.#levels.at(-1)) {
      inner.results += top.results
      inner.failed += top.failed
      this.#levels.pop()
    }
    return inner
  }

  #addResults(indent: number, results: number, failed: number) {
    const top = this.#levels.at(-1)
    if (top?.indent !== indent) this.#levels.push({ indent, results, failed })
    else {
      top.results += results
      top.failed += failed
    }
  }
}

const testTitle = (rest: string) =>
  rest
    .replace(/ \{$/, '')
    .replace(/(^|[^\\])# ?(?:time=|SKIP|TODO).*$/i, '$1')
    .replace(/\\([#\\])/g, '$1')
    .trim()

/** Returns the YAML details after a result, indented by two more columns, and their last line. */
function detailsAfter(lines: readonly string[], at: number, indent: number): [details: string, last: number] {
  const margin = ' '.repeat(indent + 2)
  if (lines[at + 1] !== `${margin}---`) return ['', at]
  const following = lines.slice(at + 2, at + 2 + DETAILS_LINES)
  const length = following.indexOf(`${margin}...`)
  if (length < 0) return ['', at]
  const details = following.slice(0, length).map(line => line.slice(indent + 2))
  return [details.join('\n'), at + 2 + length]
}

function describeFailure(details: string, title: string) {
  const diagnostic = parseDetails(details)
  const [file, line] = detailsLocation(diagnostic)
  const message = [diagnostic.error, diagnostic.message, diagnostic.diff].find(
    text => typeof text === 'string' && text !== ''
  )
  return {
    file,
    line,
    message: typeof message === 'string' ? message : title,
    expected: toText(diagnostic.expected ?? diagnostic.wanted),
    actual: toText(diagnostic.actual ?? diagnostic.found)
  }
}

function parseDetails(details: string): Record<string, unknown> {
  if (details === '' || details.length > DETAILS_LENGTH) return {}
  try {
    const diagnostic: unknown = parse(details, { maxAliasCount: 0, logLevel: 'silent' })
    return typeof diagnostic === 'object' && diagnostic !== null ? (diagnostic as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function detailsLocation({
  location,
  at
}: Record<string, unknown>): [file: string | undefined, line: number | undefined] {
  if (typeof location === 'string') {
    const [, file, line] = /^(.+?):(\d{1,9})(?::\d+)?$/.exec(location) ?? []
    return [file, line === undefined ? undefined : Number(line)]
  }
  if (typeof at !== 'object' || at === null) return [undefined, undefined]
  const { fileName, file = fileName, lineNumber, line = lineNumber } = at as Record<string, unknown>
  return [typeof file === 'string' ? file : undefined, Number.isSafeInteger(line) ? (line as number) : undefined]
}

function toText(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  return JSON.stringify(value)
}
