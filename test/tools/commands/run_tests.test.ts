// tier: full
import { chmodSync, existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import type { Settings } from '../../../src/config/settings.ts'
import { RUNNERS, type TestRunner, type TestSelection } from '../../../src/tools/commands/lib/test-runners.ts'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { GO, SUREFIRE, VITEST } from '../../text/test-reports/samples.ts'

const GOOD = `import test from 'node:test'\ntest('good', () => {})\n`
const BAD = `import assert from 'node:assert'
import test from 'node:test'
test('good', () => {})
test('bad', () => assert.equal(1, 2))
test('off', { skip: true }, () => {})
`

async function start(t: Test, files: Record<string, string>, settings: Partial<Settings> = {}) {
  const app = await startApp(t, files, { settings })
  for (const [name, text] of Object.entries(files))
    if (text.startsWith('#!')) chmodSync(path.join(app.root, name), 0o755)
  const run = async (params: object) => {
    const asked = await app.call('run_tests', params)
    if (asked.status !== 'awaiting_approval') return asked
    return app.post('/approve?wait_ms=120000', {
      tool_call_id: asked.tool_call_id,
      digest: asked.approval.digest,
      confirm: true
    })
  }
  return { ...app, run }
}

/** A program that prints the output of another. */
const printing = (text: string, exit_code: number) =>
  `#!/bin/sh\ncat <<'END'\n${text.trimEnd()}\nEND\nexit ${exit_code}\n`

t.test("node's runner, detected from the script", async t => {
  const { run, call, events } = await start(t, {
    'package.json': '{"type":"module","scripts":{"test":"node --test --no-warnings"}}',
    'sub/a.test.js': BAD
  })
  const asked = await call('run_tests', {})
  const text = 'node --test --test-reporter=tap --no-warnings\ncwd: .'
  t.match(asked.approval, { level: 'ask', preview: { title: 'Run tests with node', text } })
  const stream = await events()
  const { result } = await run({})
  const { duration_ms, failures, ...data } = result.data
  t.type(duration_ms, 'number')
  t.strictSame(data, {
    runner: 'node',
    command: 'node --test --test-reporter=tap --no-warnings',
    cwd: '.',
    passed: 1,
    failed: 1,
    skipped: 1,
    total: 3,
    exit_code: 1,
    signal: null,
    timed_out: false,
    parsed: true,
    isolation: 'none',
    truncated: false
  })
  t.match(failures, [{ name: 'bad', file: 'sub/a.test.js', line: 4, expected: '2', actual: '1', message: /1 == 2/ }])
  t.match(result, { title: 'node: 1 failed, 1 passed, 1 skipped', content: /\nbad \(sub\/a\.test\.js:4\)\n/ })
  const told = await stream.type('tool.result')
  t.ok(
    told.some(({ event, message }) => event === 'tool.progress' && message === '1 passed, 1 failed'),
    'how far it is, is told as it goes'
  )
})

t.test('runs one file, or some names', async t => {
  const { run } = await start(t, { 'package.json': '{"type":"module"}', 'a.test.js': BAD, 'b.test.js': GOOD })
  const counts = async (params: object) => {
    const { passed, failed, total, command } = (await run({ runner: 'node', ...params })).result.data
    return [passed, failed, total, command.replace('node --test --test-reporter=tap', '').trim()]
  }
  t.strictSame(await counts({}), [2, 1, 4, ''])
  t.strictSame(await counts({ path: 'b.test.js' }), [1, 0, 1, 'b.test.js'])
  // A file without selected tests counts as one that passed.
  t.strictSame(await counts({ filter: 'bad' }), [1, 1, 2, '--test-name-pattern=bad'])
})

t.test('reports impossible runs before approval', async t => {
  const { call, write } = await start(t, { 'a.txt': '', 'sub/package.json': '{"scripts":{"test":"make check"}}' })
  const fault = async (params: object) => (await call('run_tests', params)).error ?? {}
  const unknown =
    /^\/params\/runner: cannot be detected from the files in the workspace: specify a runner \(npm, .*\) or another path\.$/
  t.match(await fault({}), { code: 'INVALID_PARAMS', message: unknown })
  t.match(await fault({ path: 'gone' }), { code: 'FILE_NOT_FOUND' })
  t.match(await fault({ path: 'sub', filter: 'x' }), { code: 'INVALID_PARAMS', message: /accepts no filter/ })
  t.match(await fault({ runner: 'node', filter: '--eval=1' }), {
    code: 'INVALID_PARAMS',
    message: /begins with a dash/
  })
  t.match(await fault({ runner: 'vitest' }), {
    code: 'EXECUTION_ERROR',
    message: 'vitest is not installed in the workspace.'
  })
  t.match(await fault({ runner: 'ctest' }), { message: /no build found/ })
  write('sub/package.json', 'no JSON')
  t.match(await fault({ path: 'sub' }), { message: /cannot be detected/ })
})

t.test('runs an unknown script', async t => {
  const { run, write } = await start(t, { 'package.json': '{"scripts":{"test":"echo 3 things were fine"}}' })
  const silent = (await run({})).result
  t.match(silent.data, {
    runner: 'npm',
    command: 'npm test',
    parsed: false,
    total: 0,
    exit_code: 0,
    output: /3 things/
  })
  // npm may print its own lines on stderr, in no fixed order with those of the script.
  t.match(silent.content, /^npm: Exit code 0\n/)
  t.match(silent.content, /^3 things were fine$/m)
  t.match(silent.content, /\n\[Exit code 0\]$/)
  write('package.json', '{"scripts":{"test":"echo \\"  12 passing (3ms)\\"; echo \\"  1 failing\\"; exit 1"}}')
  t.match((await run({})).result.data, { parsed: true, passed: 12, failed: 1, exit_code: 1, output: /12 passing/ })
  write('package.json', '{"scripts":{"test":"echo \\"  12 passing (3ms)\\"; exit 1"}}')
  const odd = (await run({})).result.data
  t.match(odd, { failed: 0, note: 'The report lists no failures, but the exit code is 1.' })
})

t.test('finds runners of the project in a parent folder', async t => {
  const bin = 'node_modules/.bin/vitest'
  const { run, root, write } = await start(t, {
    [bin]: '#!/bin/sh\n',
    'packages/a/package.json': '{"devDependencies":{"vitest":"4"}}',
    'packages/a/sum.test.ts': ''
  })
  write(bin, printing(VITEST.replaceAll('/ws/', `${root}/`), 1))
  const { data } = (await run({ path: 'packages/a/sum.test.ts', filter: 'sum' })).result
  t.match(data, {
    command:
      '../../node_modules/.bin/vitest run --reporter=json --outputFile=/dev/stdout --testNamePattern=sum sum.test.ts',
    cwd: 'packages/a',
    passed: 1,
    failed: 2,
    skipped: 2,
    failures: [{ name: 'sum is off', file: 'sum.test.ts', line: 7 }, { file: 'broken.test.ts' }]
  })
})

t.test('vitest from version 5 on, which would leave its report in the project', async t => {
  const bin = 'node_modules/.bin/vitest'
  const vitest = `#!/bin/sh
file=.vitest/json/output.json
for word; do case $word in --outputFile=*) file=\${word#*=} ;; esac; done
mkdir -p "$(dirname "$file")"
printf %s "$(cat <<'END'
${JSON.stringify(JSON.parse(VITEST))}
END
)" > "$file"
echo "JSON report written to $file"
exit 1
`
  const { run, root, write } = await start(t, {
    [bin]: vitest,
    'package.json': '{"scripts":{"test":"vitest run"},"devDependencies":{"vitest":"5"}}'
  })
  t.match((await run({})).result.data, { runner: 'vitest', parsed: true, passed: 1, failed: 2, skipped: 2 })
  t.notOk(existsSync(path.join(root, '.vitest')), 'nothing is left')
  write('package.json', '{"scripts":{"test":"vitest run --outputFile=own.json"}}')
  t.match((await run({ path: '.' })).result.data, { runner: 'npm' }, 'a report that the project wants elsewhere')
})

t.test('reads a report of megabytes whole', async t => {
  const bin = 'node_modules/.bin/vitest'
  const assertionResults = Array.from({ length: 5_000 }, (_, i) => ({
    ancestorTitles: ['größe'],
    fullName: `größe ${i}${i % 1_000 === 7 ? '' : 'x'.repeat(1_000)}`,
    status: i % 1_000 === 7 ? 'failed' : 'passed',
    title: String(i),
    failureMessages: i % 1_000 === 7 ? ['expected 1 to be 2'] : []
  }))
  const report = JSON.stringify({
    testResults: [{ name: 'a.test.ts', status: 'failed', message: '', assertionResults }]
  })
  const { run } = await start(t, {
    [bin]: `#!/bin/sh\ncat report.json\n`,
    'report.json': report,
    'package.json': '{"devDependencies":{"vitest":"4"}}'
  })
  const { data } = (await run({})).result
  t.ok(report.length > 5_000_000)
  t.match(data, { parsed: true, passed: 4_995, failed: 5, total: 5_000, truncated: false })
  t.equal(data.failures.length, 5)
})

t.test('Maven: only reports of this run count', async t => {
  const reports = 'core/target/surefire-reports'
  const { run, root } = await start(t, {
    'pom.xml': '<project/>',
    'target/surefire-reports/TEST-old.xml': '<testsuite><testcase name="old"/></testsuite>',
    mvnw: `#!/bin/sh\nmkdir -p ${reports}\ncat > ${reports}/TEST-a.xml <<'END'\n${SUREFIRE}\nEND\nexit 1\n`
  })
  utimesSync(path.join(root, 'target/surefire-reports/TEST-old.xml'), 1, 1)
  const { data } = (await run({})).result
  t.match(data, { runner: 'maven', command: './mvnw -B -ntp test', passed: 1, failed: 2, skipped: 1, parsed: true })
})

t.test('Maven: reports failed downloads', async t => {
  const said = 'Could not transfer artifact: Unknown host repo.maven.apache.org'
  const { run } = await start(
    t,
    { 'pom.xml': '<project/>', mvnw: `#!/bin/sh\nprintf '[\\033[1;31mERROR\\033[m] ${said}\\n'\nexit 1\n` },
    { sandbox: defaultSettings().sandbox }
  )
  const { content, data } = (await run({})).result
  t.match(data, { parsed: false, output: `[ERROR] ${said}\n` })
  if (data.isolation === 'workspace')
    t.match(
      content,
      /without network access\. The sandbox may have denied network access: request `isolation` with a lower level\]/
    )
})

t.test('go', async t => {
  const { run, folder } = await start(t, { 'go.mod': 'module demo\n', 'pkg/x_test.go': '' })
  const before = process.env.PATH
  t.teardown(() => Object.assign(process.env, { PATH: before }))
  const bin = path.join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(path.join(bin, 'go'), printing(GO, 1), { mode: 0o755 })
  process.env.PATH = `${bin}:${before}`
  const { data } = (await run({ path: 'pkg/x_test.go', filter: 'Table' })).result
  t.match(data, { command: 'go test -json -run=Table ./pkg', passed: 2, failed: 2, skipped: 1, exit_code: 1 })
})

t.test('pytest', needs('pytest'), async t => {
  const test = 'def test_a():\n    assert 1 == 2\n'
  const { run, call } = await start(t, { 'pytest.ini': '[pytest]\n', 'test_a.py': test })
  t.match(await call('run_tests', {}), { approval: { level: 'ask' } }, 'its own output leads nowhere')
  const { data } = (await run({})).result
  t.match(data, { runner: 'pytest', failed: 1, total: 1, exit_code: 1, failures: [{ file: 'test_a.py', line: 2 }] })
})

t.test('cargo', needs('cargo'), async t => {
  const manifest = '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n'
  const lib = '#[test]\nfn off() {\n    assert_eq!(1, 2);\n}\n#[test]\nfn fine() {}\n'
  const { run } = await start(t, { 'Cargo.toml': manifest, 'src/lib.rs': lib })
  t.match(await run({ path: 'src' }), { status: 'error', error: { message: /can run a whole package/ } })
  const { data } = (await run({})).result
  t.match(data, { runner: 'cargo', passed: 1, failed: 1, exit_code: 101, failures: [{ file: 'src/lib.rs', line: 3 }] })
})

t.test('ctest', needs('cmake'), async t => {
  const lists = 'cmake_minimum_required(VERSION 3.10)\nproject(demo NONE)\nenable_testing()\n'
  const tests = 'add_test(NAME good COMMAND true)\nadd_test(NAME bad COMMAND false)\n'
  const { run, root } = await start(t, { 'CMakeLists.txt': lists + tests })
  execaSync('cmake', ['-B', 'build', '.'], { cwd: root })
  const all = { runner: 'ctest', passed: 1, failed: 1, exit_code: 8, failures: [{ name: 'bad' }] }
  t.match((await run({})).result.data, all)
  t.match((await run({ filter: 'good' })).result.data, { passed: 1, failed: 0, exit_code: 0 })
})

t.test('tests run in the sandbox, and report its restrictions', needs('sandbox'), async t => {
  const curious = `import { readFileSync, writeFileSync } from 'node:fs'
import test from 'node:test'
test('stays', () => writeFileSync('made.txt', ''))
test('looks out', () => readFileSync('../secret.txt'))
`
  const { sandbox } = defaultSettings()
  const files = { 'package.json': '{"type":"module"}', 'a.test.js': curious }
  const { run, folder, root } = await start(t, files, { sandbox: { ...sandbox, level: 'auto' } })
  writeFileSync(path.join(folder, 'secret.txt'), '')
  const { data } = (await run({ runner: 'node' })).result
  t.match(data, { isolation: 'workspace', passed: 1, failed: 1, failures: [{ name: 'looks out', message: /ENOENT/ }] })
  t.ok(existsSync(path.join(root, 'made.txt')))
})

t.test('ends at its time limit', async t => {
  const { run } = await start(t, { 'package.json': '{"scripts":{"test":"sleep 60"}}' })
  const { data } = (await run({ timeout_ms: 300 })).result
  t.match(data, { timed_out: true, parsed: false })
})

t.test('a program that changed after approval requires a new one', async t => {
  const { call, post, write, root } = await start(t, { 'package.json': '{"scripts":{"test":"node --test"}}' })
  const { tool_call_id, approval } = await call('run_tests', {})
  write('package.json', '{"scripts":{"test":"touch made.txt"}}')
  const again = await post('/approve?wait_ms=120000', { tool_call_id, digest: approval.digest })
  t.equal(again.code, 'PREVIEW_CHANGED')
  t.notOk(existsSync(path.join(root, 'made.txt')), 'it did not run')
})

t.test('rules on commands apply to its programs', async t => {
  const { run, post } = await start(t, {
    'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
    'a.test.js': GOOD
  })
  const rule = { effect: 'deny', match: { command: 'node --test', mode: 'prefix' }, scope: 'workspace' }
  t.match(await post('/rules', rule), { rule_id: String })
  t.match(await run({}), { status: 'rejected' })
})

t.test('starts each runner with its arguments', async t => {
  const hasFile = (file: string) => file === 'out/CTestTestfile.cmake'
  const words = (name: keyof typeof RUNNERS) => {
    const runner: TestRunner = RUNNERS[name]
    const said = (wanted: Partial<TestSelection>) => {
      const answer = runner.buildArgs({ extraArgs: [], hasFile, ...wanted })
      return typeof answer === 'string' ? 'refused' : answer.join(' ')
    }
    const file = { path: { name: 'a/b.x', isFolder: false } }
    const folder = { path: { name: 'a [1]', isFolder: true } }
    return [said({}), said(file), said(folder), said({ filter: 'F' })]
  }
  t.strictSame(words('npm'), ['test', 'test -- a/b.x', 'test -- a [1]', 'refused'])
  const node = '--test --test-reporter=tap'
  t.strictSame(words('node'), [
    node,
    `${node} a/b.x`,
    `${node} a \\[1\\]/**/*.{test,spec}.?(c|m)[jt]s`,
    `${node} --test-name-pattern=F`
  ])
  const tap = 'run --reporter=tap'
  t.strictSame(words('tap'), [tap, `${tap} a/b.x`, `${tap} a [1]`, `${tap} --grep=F`])
  const jest = '--json --testLocationInResults'
  t.strictSame(words('jest'), [
    jest,
    `${jest} --runTestsByPath a/b.x`,
    `${jest} a \\[1\\]/`,
    `${jest} --testNamePattern=F`
  ])
  const pytest = '--junitxml=/dev/stdout --override-ini=junit_family=xunit1 --color=no'
  t.strictSame(words('pytest'), [pytest, `${pytest} a/b.x`, `${pytest} a [1]`, `${pytest} -k F`])
  t.strictSame(words('cargo'), ['test --no-fail-fast', 'refused', 'refused', 'test --no-fail-fast -- F'])
  t.strictSame(words('go'), ['test -json ./...', 'test -json ./a', 'test -json ./a [1]/...', 'test -json -run=F ./...'])
  t.strictSame(words('maven'), ['-B -ntp test', 'refused', 'refused', '-B -ntp -Dtest=F test'])
  const ctest = '--test-dir out --output-on-failure'
  t.strictSame(words('ctest'), [ctest, 'refused', 'refused', `${ctest} --tests-regex F`])
})
