// Reports of runners that could not be recorded, written from the documentation of their formats.

export const VITEST = `${JSON.stringify({
  numTotalTestSuites: 2,
  numPassedTests: 1,
  success: false,
  testResults: [
    {
      name: '/ws/sum.test.ts',
      status: 'failed',
      message: '',
      assertionResults: [
        { ancestorTitles: ['sum'], fullName: 'sum adds', status: 'passed', title: 'adds', failureMessages: [] },
        {
          ancestorTitles: ['sum'],
          fullName: 'sum is off',
          status: 'failed',
          title: 'is off',
          failureMessages: [
            'AssertionError: expected 2 to be 3\n    at /ws/sum.test.ts:7:21\n    at file:///ws/x.js:1:1'
          ],
          location: { line: 5, column: 3 }
        },
        { fullName: 'sum later', status: 'pending', title: 'later', failureMessages: [] },
        { fullName: 'sum some day', status: 'todo', title: 'some day', failureMessages: [] }
      ]
    },
    { name: '/ws/broken.test.ts', status: 'failed', message: 'Failed to parse', assertionResults: [] }
  ]
})}\n`

export const JEST = `{"testResults": "printed by a test"}\n${JSON.stringify({
  numFailedTestSuites: 1,
  testResults: [
    {
      name: '/ws/a.test.js',
      status: 'failed',
      message: '● a › b',
      assertionResults: [
        {
          fullName: 'a b',
          title: 'b',
          status: 'failed',
          location: null,
          failureMessages: [
            'Error: \u001b[2mexpect(\u001b[22mreceived).toBe(expected)\n\nExpected: \u001b[32m3\u001b[39m\nReceived: \u001b[31m2\u001b[39m\n    at Object.toBe (/ws/a.test.js:4:9)\n    at Promise.then.completed (/ws/node_modules/jest-circus/build/utils.js:298:28)\n    at new Promise (<anonymous>)\n    at processTicksAndRejections (node:internal/process/task_queues:95:5)\n    at run (/ws/node_modules/jest-circus/build/run.js:9:3)'
          ]
        }
      ]
    }
  ]
})}\n`

const goEvents = (...events: object[]) => `${events.map(event => JSON.stringify(event)).join('\n')}\n`

export const GO = goEvents(
  { Action: 'start', Package: 'demo' },
  { Action: 'run', Package: 'demo', Test: 'TestGood' },
  { Action: 'output', Package: 'demo', Test: 'TestGood', Output: '=== RUN   TestGood\n' },
  { Action: 'pass', Package: 'demo', Test: 'TestGood', Elapsed: 0 },
  { Action: 'output', Package: 'demo', Test: 'TestTable/bad', Output: '=== RUN   TestTable/bad\n' },
  { Action: 'output', Package: 'demo', Test: 'TestTable/bad', Output: '    sum_test.go:12: got 2, want 3\n' },
  { Action: 'output', Package: 'demo', Test: 'TestTable/bad', Output: '    --- FAIL: TestTable/bad (0.00s)\n' },
  { Action: 'pass', Package: 'demo', Test: 'TestTable/good', Elapsed: 0 },
  { Action: 'fail', Package: 'demo', Test: 'TestTable/bad', Elapsed: 0 },
  { Action: 'fail', Package: 'demo', Test: 'TestTable', Elapsed: 0 },
  { Action: 'skip', Package: 'demo', Test: 'TestLater', Elapsed: 0 },
  { Action: 'output', Package: 'demo', Output: 'FAIL\n' },
  { Action: 'fail', Package: 'demo', Elapsed: 0.01 },
  { ImportPath: 'demo/broken [demo/broken.test]', Action: 'build-output', Output: 'broken/x.go:3:1: syntax error\n' },
  { ImportPath: 'demo/broken [demo/broken.test]', Action: 'build-fail' },
  { Action: 'fail', Package: 'demo/broken', Elapsed: 0, FailedBuild: 'demo/broken [demo/broken.test]' }
)

export const SUREFIRE = `<?xml version="1.0" encoding="UTF-8"?>
<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="3.0" name="demo.AppTest" time="0.1" tests="3" errors="1" skipped="1" failures="1">
  <properties><property name="java.version" value="17"/></properties>
  <testcase name="good" classname="demo.AppTest" time="0.01"/>
  <testcase name="bad" classname="demo.AppTest" time="0.02">
    <failure message="expected: &lt;3&gt; but was: &lt;2&gt;" type="org.opentest4j.AssertionFailedError"><![CDATA[org.opentest4j.AssertionFailedError: expected: <3> but was: <2>
	at org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)
	at demo.AppTest.bad(AppTest.java:14)
]]></failure>
    <system-out><![CDATA[<!DOCTYPE html> & </testcase> is only printed]]></system-out>
  </testcase>
  <testcase name="explodes" classname="demo.AppTest" time="0"><error type="java.lang.NullPointerException"><![CDATA[java.lang.NullPointerException
	at demo.AppTest.explodes(AppTest.java:20)
]]></error></testcase>
  <testcase name="off" classname="demo.AppTest" time="0"><skipped/></testcase>
</testsuite>`

export const ENTITY_BOMB = `<?xml version="1.0"?>
<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>
<testsuite><testcase name="&b;&f;&#65;&#x42;&#99999999;"/><testcase name="&b;&f;&#65;"><failure message="&f;"/></testcase></testsuite>`

export const TEST_OUTPUTS: Record<string, [text: string, counts: [passed: number, failed: number, skipped: number]]> = {
  jest: ['Test Suites: 1 failed, 2 total\nTests:       1 failed, 2 skipped, 4 passed, 7 total\n', [4, 1, 2]],
  vitest: [
    ' Test Files  1 failed (1)\n      Tests  \u001b[31m1 failed\u001b[39m | 4 passed | 1 skipped (6)\n',
    [4, 1, 1]
  ],
  pytest: ['=== 2 failed, 1 passed, 1 skipped, 1 xfailed, 1 error in 0.57s ===\n', [1, 3, 2]],
  mocha: ['  a\n    ✓ b\n\n  12 passing (34ms)\n  1 pending\n  2 failing\n\n  1) a\n', [12, 2, 1]],
  node: [
    'ℹ tests 7\nℹ suites 1\nℹ pass 2\nℹ fail 3\nℹ cancelled 0\nℹ skipped 1\nℹ todo 1\nℹ duration_ms 87\n',
    [2, 3, 2]
  ],
  tap: ['# { total: 6, pass: 2, fail: 2, todo: 1, skip: 1 }\n# time=542.605ms\n', [2, 2, 2]]
}

export const CARGO_BEFORE_1_73 = `running 1 test
test off ... FAILED
failures:
---- off stdout ----
thread 'off' panicked at 'assertion failed: \`(left == right)\`
  left: \`1\`,
 right: \`2\`', src/lib.rs:3:5
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace


failures:
    off

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
`
