// Parses the summary counts that runners print, for scripts with an unknown runner.
import { stripVTControlCharacters } from 'node:util'
import { cargoReport } from './cargo.ts'
import { ctestReport } from './ctest.ts'
import { jestReport } from './jest.ts'
import { splitReportLines, type TestReport } from './report.ts'
import { tapReport } from './tap.ts'

/** Words before or after a count, by kind. */
const KINDS = {
  passed: 'pass(?:ed|ing)?',
  failed: 'fail(?:ed|ing|ures?)?|errors?|cancelled',
  skipped: 'skip(?:ped)?|pending|ignored|todo|xfailed|deselected'
}

/** Formats of the summary lines. */
const SUMMARIES: { whole: RegExp; order: 'number first' | 'word first' }[] = [
  // jest: `Tests:  1 failed, 4 passed, 5 total`; vitest: `Tests  1 failed | 4 passed (5)`
  { whole: /^ *Tests:? +\d+ (?:failed|passed|skipped|todo|pending)\b.*$/gm, order: 'number first' },
  // pytest: `=== 2 failed, 1 passed in 0.57s ===`
  { whole: /^=* ?\d+ (?:failed|passed|skipped|errors?)\b.* in [\d.]+s.*$/gm, order: 'number first' },
  // mocha, on up to three lines
  { whole: /^ +\d+ passing \([^)]*\)(?:\n+ +\d+ (?:pending|failing))*/gm, order: 'number first' },
  // node: one line a count
  { whole: /^(?:ℹ|#) pass \d+\n(?:(?:ℹ|#) (?:fail|cancelled|skipped|todo) \d+\n?)+/gm, order: 'word first' },
  // tap: `# { total: 6, pass: 2, fail: 2, todo: 1, skip: 1 }`
  { whole: /^# \{ total: \d+,[^}\n]*\}/gm, order: 'word first' }
]

/** Parses the output of an unknown runner, as far as possible. */
export function anyReport(text: string): TestReport | undefined {
  const plain = stripVTControlCharacters(text)
  const short = splitReportLines(plain).join('\n')
  for (const parse of [tapReport, jestReport, cargoReport, ctestReport, summaryReport]) {
    const report = parse(parse === jestReport ? plain : short)
    if (report) return report
  }
  return undefined
}

function summaryReport(text: string): TestReport | undefined {
  for (const { whole, order } of SUMMARIES) {
    const [last] = [...text.matchAll(whole)].at(-1) ?? []
    if (last === undefined) continue
    const count = (kind: keyof typeof KINDS) => sum(last, KINDS[kind], order)
    return { passed: count('passed'), failed: count('failed'), skipped: count('skipped'), failures: [] }
  }
  return undefined
}

function sum(text: string, words: string, order: 'number first' | 'word first') {
  const pattern = order === 'number first' ? `(\\d{1,9}) (?:${words})\\b` : `\\b(?:${words}):? (\\d{1,9})`
  return [...text.matchAll(new RegExp(pattern, 'g'))].reduce((all, [, count]) => all + Number(count), 0)
}
