// tier: quick
import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import type { TestReport } from '../../../src/text/test-reports/report.ts'
import { REPORT_PARSERS } from '../../../src/text/test-reports/report-parsers.ts'
import { runs } from '../../support/property.ts'
import { CARGO_BEFORE_1_73, ENTITY_BOMB, GO, JEST, SUREFIRE, TEST_OUTPUTS, VITEST } from './samples.ts'

const recorded = (name: string) => readFileSync(path.join(import.meta.dirname, 'recorded', name), 'utf8')
const { tap, junit, jest, go, cargo, ctest, any } = REPORT_PARSERS

/** Returns the counts, and the name and position of each failure. */
const told = (report: TestReport | undefined) =>
  report && [
    [report.passed, report.failed, report.skipped],
    ...report.failures.map(({ name, file, line }) => [
      name,
      ...(file === undefined ? [] : [file]),
      ...(line ? [line] : [])
    ])
  ]

t.test("node's own runner", async t => {
  const report = tap(recorded('node.tap'))!
  t.strictSame(told(report), [
    [2, 3, 2],
    ['breaks', '/ws/a.test.js', 3],
    ['suite > inner bad # hash', '/ws/a.test.js', 4],
    ['broken.test.js', '/ws/broken.test.js', 1]
  ])
  t.strictSame(report.failures[0], {
    name: 'breaks',
    file: '/ws/a.test.js',
    line: 3,
    expected: '3',
    actual: '2',
    message: 'Expected values to be strictly equal:\n\n2 !== 3'
  })
})

t.test('tap, with subtests in subtests', async t => {
  const report = tap(recorded('tap.tap'))!
  t.strictSame(told(report), [
    [2, 2, 2],
    ['a.test.mjs > two', 'a.test.mjs', 3],
    ['a.test.mjs > inner > should be equivalent', 'a.test.mjs', 4]
  ])
  t.equal(report.failures[0]!.message, '--- expected\n+++ actual\n@@ -1,1 +1,1 @@\n-2\n+1')
})

t.test('TAP of other makers', async t => {
  t.strictSame(told(tap('1..3\nok 1 - a\nok 2\nnot ok 3 - c # TODO some day\n')), [[2, 0, 1]])
  const buffered = 'TAP version 14\nok 1 - outer {\n    ok 1 - in\n    not ok 2 - bad\n    1..2\n}\n1..1\n'
  t.strictSame(told(tap(buffered)), [[1, 1, 0], ['outer > bad']])
  const timeout = 'TAP version 14\n# Subtest: outer\n    ok 1 - in\n    1..2\nnot ok 1 - outer\n1..1\n'
  t.strictSame(told(tap(timeout)), [[1, 1, 0], ['outer']], 'a test that failed although nothing in it did')
  t.strictSame(told(tap('TAP version 13\nok 1 - a\nBail out! no disk\n')), [[1, 1, 0], ['Bail out!']])
  for (const no_tap of ['', 'ok then\n', 'it went\nok\n', 'TAP\n1...2']) t.equal(tap(no_tap), undefined)
})

t.test('pytest', async t => {
  const report = junit(recorded('pytest.txt'))!
  t.strictSame(told(report), [
    [1, 3, 2],
    ['test_a.test_bad', 'test_a.py', 5],
    ['test_a.TestIn.test_err', 'test_a.py', 7],
    ['test_a.test_setup', 'test_a.py', 13]
  ])
  t.equal(report.failures[1]!.message, 'ValueError: a < b & c')
})

t.test('surefire', async t => {
  const report = junit(SUREFIRE)!
  t.strictSame(told(report), [
    [1, 2, 1],
    ['demo.AppTest.bad', 'demo/AppTest.java', 14],
    ['demo.AppTest.explodes', 'demo/AppTest.java', 20]
  ])
  t.equal(report.failures[0]!.message, 'expected: <3> but was: <2>')
  t.match(report.failures[1]!.message, /^java\.lang\.NullPointerException\n/)
})

t.test('does not expand entities defined by a document', async t => {
  t.strictSame(junit(ENTITY_BOMB), {
    passed: 1,
    failed: 1,
    skipped: 0,
    failures: [{ name: '&b;&f;A', message: '&f;' }]
  })
})

t.test('jest and vitest', async t => {
  t.strictSame(told(jest(VITEST)), [
    [1, 2, 2],
    ['sum is off', '/ws/sum.test.ts', 7],
    ['/ws/broken.test.ts', '/ws/broken.test.ts']
  ])
  const report = jest(JEST)!
  t.strictSame(told(report), [
    [0, 1, 0],
    ['a b', '/ws/a.test.js', 4]
  ])
  t.match(report.failures[0], { expected: '3', actual: '2', message: /^Error: expect\(received\)/ })
  t.match(
    report.failures[0]!.message,
    /\n +at Object\.toBe \(\/ws\/a\.test\.js:4:9\)$/,
    'frames of the runner are left out'
  )
  t.strictSame(told(jest(`noise\n${JSON.stringify(JSON.parse(VITEST), null, 2)}\nmore`))?.[0], [1, 2, 2])
})

t.test('go', async t => {
  const report = go(`go: downloading\n${GO}`)!
  t.strictSame(told(report), [
    [2, 2, 1],
    ['demo.TestTable/bad', 'sum_test.go', 12],
    ['demo/broken', 'broken/x.go', 3]
  ])
  t.equal(report.failures[0]!.message, 'sum_test.go:12: got 2, want 3')
})

t.test('cargo', async t => {
  const report = cargo(recorded('cargo.txt'))!
  t.strictSame(told(report), [
    [2, 3, 1],
    ['tests::errs'],
    ['tests::no_panic', 'src/lib.rs', 11],
    ['tests::bad', 'src/lib.rs', 9]
  ])
  t.match(report.failures[2], { expected: '3', actual: '2', message: /^told\n/ })
  t.notMatch(report.failures[2]!.message, /backtrace/)
  t.equal(cargo('error: could not compile'), undefined)
  t.strictSame(cargo(CARGO_BEFORE_1_73)!.failures, [
    {
      name: 'off',
      file: 'src/lib.rs',
      line: 3,
      expected: '2',
      actual: '1',
      message: CARGO_BEFORE_1_73.split('\n').slice(4, 7).join('\n')
    }
  ])
})

t.test('ctest', async t => {
  const report = ctest(recorded('ctest.txt'))!
  t.strictSame(told(report), [[1, 3, 2], ['bad'], ['slow'], ['gone']])
  t.equal(report.failures[0]!.message, 'Failed\nbroke here')
})

t.test('detects the output of any script', async t => {
  for (const [runner, [text, counts]] of Object.entries(TEST_OUTPUTS))
    t.strictSame(told(any(`> demo@1.0.0 test\n\n${text}`)), [counts], runner)
  t.strictSame(told(any(recorded('node.tap')))?.[0], [2, 3, 2])
  t.strictSame(told(any(VITEST))?.[0], [1, 2, 2])
  t.equal(any('all fine\n3 passed by the house\n'), undefined)
})

t.test('no text makes a parser throw or count missing tests', async t => {
  const known = ['node.tap', 'tap.tap', 'pytest.txt', 'cargo.txt', 'ctest.txt'].map(recorded)
  const texts = [
    ...known,
    SUREFIRE,
    ENTITY_BOMB,
    VITEST,
    JEST,
    GO,
    ...Object.values(TEST_OUTPUTS).map(([text]) => text)
  ]
  const lines = texts.flatMap(text => text.split('\n'))
  const shuffled = fc.array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...lines) }, fc.string()), {
    maxLength: 60
  })
  const cut = fc.tuple(fc.constantFrom(...texts), fc.nat(), fc.nat()).map(([text, a, b]) => {
    const [from, to] = [a % (text.length + 1), b % (text.length + 1)]
    return text.slice(0, Math.min(from, to)) + text.slice(Math.max(from, to))
  })
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    shuffled.map(parts => parts.join('\n')),
    cut
  )
  const sound = fc.property(anything, text => {
    for (const parse of Object.values(REPORT_PARSERS)) {
      const report = parse(text)
      if (!report) continue
      const { passed, failed, skipped, failures } = report
      if (![passed, failed, skipped].every(count => Number.isSafeInteger(count) && count >= 0)) return false
      if (failures.length > failed || failures.some(({ line = 1 }) => !Number.isSafeInteger(line))) return false
      if (failures.some(({ name, message }) => typeof name !== 'string' || typeof message !== 'string')) return false
    }
    return true
  })
  t.doesNotThrow(() => fc.assert(sound, runs(1_000)))
})
