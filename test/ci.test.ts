// Tests of CI reruns: each test file that failed runs once more, alone, and is reported as flaky if it passes then.
// tier: full
import { fork } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execa, execaSync } from 'execa'
import t, { type Test } from 'tap'
import type { FileReport, RunReport } from '../scripts/test/run-report.ts'
import { NEXT_FILE, type RunnerMessage } from './support/runner-messages.ts'
import { makeTestFolder } from './support/test-folder.ts'
import { exitOf, waitUntil, within } from './support/wait.ts'

const file = (name: string, more: Partial<FileReport> = {}): FileReport => ({
  file: `test/${name}.test.ts`,
  passed: 2,
  failures: [],
  missing: [],
  ...more
})

/** Runs a CI script in a folder, and resolves with its exit code and output. */
async function script(cwd: string, name: string, ...args: string[]) {
  const argv = [path.resolve('scripts/ci', name), ...args]
  const options = { cwd, env: { TEST_FULL: '1' }, reject: false, stripFinalNewline: false } as const
  const { exitCode, stdout } = await within(`${name} to end`, execa(process.execPath, argv, options))
  return { code: exitCode, stdout }
}

t.test('prints the closing line', async t => {
  const closing = async (steps: string, ...reports: RunReport[]) => {
    const folder = makeTestFolder(t)
    const names = reports.map((report, i) => {
      writeFileSync(path.join(folder, `${i}.json`), JSON.stringify(report))
      return `${i}.json`
    })
    return script(folder, 'close.ts', steps, ...names)
  }
  const good = { files: [file('a'), file('b')], faults: [] }
  t.same(await closing('', good, good), { code: 0, stdout: '8 passed, 0 failed\n' })
  t.same(await closing('soak bench', good), {
    code: 1,
    stdout: 'FAILED  step soak\nFAILED  step bench\n4 passed, 2 failed\n'
  })
  t.same(
    await closing('', { files: [file('a', { failures: ['a > one'] })], faults: ['left behind: process 1: sleep 9'] }),
    {
      code: 1,
      stdout: 'FAILED  a > one\nFAILED  left behind: process 1: sleep 9\n2 passed, 2 failed\n'
    }
  )
  const flaky = (count: number) => Array.from({ length: count }, (_, i) => file(`f${i}`, { flaky: [`f${i} > one`] }))
  t.same(await closing('', { files: flaky(1), faults: [] }), {
    code: 0,
    stdout: '\nflaky:\n  test/f0.test.ts\n    f0 > one\n\n2 passed, 0 failed\n'
  })
  t.match(await closing('', { files: flaky(5), faults: [] }), { code: 0 })
  t.match(await closing('', { files: flaky(6), faults: [] }), { code: 1, stdout: /\n12 passed, 1 failed\n$/ })
  t.same(await closing('', { files: [], faults: [] }), { code: 1, stdout: '0 passed, 0 failed\n' })
  t.same(await script(makeTestFolder(t), 'close.ts', '', 'bare.json'), {
    code: 1,
    stdout: 'FAILED  bare.json: the run did not reach its end\n0 passed, 1 failed\n'
  })
})

t.test('reruns a failed file, which passes or fails', async t => {
  const folder = project(t, {
    'good.test.ts': `import t from 'tap'\nt.pass('one')\nt.pass('two')\nt.pass('three')\n`,
    'bad.test.ts': `import t from 'tap'\nt.fail('one')\n`
  })
  const files = [
    file('good', { failures: ['good > one'] }),
    file('bad', { failures: ['bad > one'] }),
    file('never-run')
  ]
  writeFileSync(path.join(folder, 'report.json'), JSON.stringify({ files, faults: [] }))
  t.match(await script(folder, 'rerun-failed.ts', 'report.json'), { code: 0 })
  t.same(JSON.parse(readFileSync(path.join(folder, 'report.json'), 'utf8')), {
    files: [
      file('good', { passed: 3, flaky: ['good > one'] }),
      file('bad', { failures: ['bad > one'] }),
      file('never-run')
    ],
    faults: []
  })
})

t.test('skips the rerun if more files failed than chance explains', async t => {
  const folder = makeTestFolder(t)
  const files = Array.from({ length: 6 }, (_, i) => file(`f${i}`, { failures: [`f${i} > one`] }))
  writeFileSync(path.join(folder, 'report.json'), JSON.stringify({ files, faults: [] }))
  const { stdout } = await script(folder, 'rerun-failed.ts', 'report.json')
  t.match(stdout, '6 test files failed: more than 5 are no chance, so none runs again.')
  t.same(JSON.parse(readFileSync(path.join(folder, 'report.json'), 'utf8')), { files, faults: [] })
})

t.test('a file that ends the process fails alone: the files after it run in another process', async t => {
  const folder = project(t, {
    'ends.test.ts': `process.exit(3)\n`,
    'killed.test.ts': `process.kill(process.pid, 'SIGKILL')\n`,
    'good.test.ts': `import t from 'tap'\nt.pass('one')\n`
  })
  t.same(await runTests(folder), {
    code: 1,
    last: '1 passed, 2 failed',
    files: [
      file('ends', { passed: 0, failures: ['test/ends.test.ts > test unfinished'] }),
      file('good', { passed: 1 }),
      file('killed', {
        passed: 0,
        failures: ['test/killed.test.ts > the process ended with SIGKILL before the file had ended']
      })
    ],
    faults: []
  })
})

t.test('a run that is terminated reports what has run, and what has not', async t => {
  const hangs = `import { writeFileSync } from 'node:fs'
    import t from 'tap'
    t.test('waits', () => new Promise(() => setInterval(() => {}, 1_000)))
    writeFileSync(\`\${import.meta.filename}.begun\`, '')\n`
  const folder = project(t, {
    'good.test.ts': `import t from 'tap'\nt.pass('one')\n${'// The largest file runs first.\n'.repeat(20)}`,
    'hangs.test.ts': hangs,
    'hangs-too.test.ts': hangs,
    'late.test.ts': ''
  })
  const run = startTests(folder, [], {})
  const begun = ['hangs', 'hangs-too'].map(name => path.join(folder, `test/${name}.test.ts.begun`))
  await waitUntil('both files to run', () => begun.every(name => existsSync(name)))
  run.kill('SIGTERM')
  const { code, files, faults } = await resultOf(folder, run)
  t.equal(code, 1)
  const killed = (name: string) =>
    file(name, {
      passed: 0,
      failures: [`test/${name}.test.ts > the process ended with SIGKILL before the file had ended`]
    })
  t.same(files, [file('good', { passed: 1 }), killed('hangs-too'), killed('hangs')])
  t.same(faults, ['test/late.test.ts did not run: the run took too long and was ended'])
})

t.test('what a file leaves open ends its process after a limit, and fails it', async t => {
  const folder = project(t, { 'open.test.ts': `import t from 'tap'\nt.pass()\nsetInterval(() => {}, 1_000)\n` })
  // In the place of the runner, to set a limit that is soon over.
  const child = fork('test/support/run-files.ts', {
    cwd: folder,
    env: { ...process.env, TEST_LIMIT_FACTOR: '0.001', TEST_WARM: undefined },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc']
  })
  const messages: RunnerMessage[] = [{ type: 'file', file: 'test/open.test.ts' }, { type: 'end' }]
  child.on('message', message => message === NEXT_FILE && child.send(messages.shift()!))
  let stderr = ''
  child.stderr!.on('data', text => {
    stderr += text
  })
  t.same(await within('the process to end', exitOf(child)), { code: 1, signal: null })
  t.match(stderr, /^The test files have ended, and this is still open: .*Timeout.*\.\n$/)
})

t.test('the folder of a test is removed after its teardowns', async t => {
  const folder = project(t, {
    'order.test.ts': `
      import { existsSync } from 'node:fs'
      import t from 'tap'
      import { makeTestFolder } from './support/test-folder.ts'
      let folder
      t.test('with a folder', async t => {
        folder = makeTestFolder(t)
        t.teardown(async () => {
          await new Promise(resolve => setImmediate(resolve))
          if (!existsSync(folder)) throw new Error('it is gone')
        })
        t.pass()
      })
      t.test('after it', async t => t.notOk(existsSync(folder)))\n`
  })
  t.match(await runTests(folder), { code: 0, last: '2 passed, 0 failed' })
})

t.test('files share a process, but for those that ask for one of their own', async t => {
  const printsPid = `import t from 'tap'\nimport { writeFileSync } from 'node:fs'\nt.pass()\n`
  const write = (name: string) => `writeFileSync('${name}', String(process.pid))\n`
  const folder = project(t, {
    'a.test.ts': printsPid + write('a'),
    'b.test.ts': printsPid + write('b'),
    'c.test.ts': printsPid + write('c'),
    'd.test.ts': `// run: alone (it changes the process)\n${printsPid}${write('d')}`
  })
  t.match(await runTests(folder), { code: 0, last: '4 passed, 0 failed' })
  const pids = ['a', 'b', 'c', 'd'].map(name => readFileSync(path.join(folder, name), 'utf8'))
  t.ok(new Set(pids.slice(0, 3)).size < 3, 'two processes run three files')
  t.notOk(pids.slice(0, 3).includes(pids[3]!))
})

t.test('an error that comes after its file has ended is a failure of that file', async t => {
  // Stands in for the process of tests: reports such an error after each file, as tap does.
  const reporter = `
    let count = 0
    const ask = () => process.send('next file')
    process.on('message', ({ type, file }) => {
      if (type === 'end') {
        console.log('1..' + count)
        process.exitCode = 1
        return process.disconnect()
      }
      if (type !== 'file') return
      console.log('# Subtest: ' + file + '\\n    ok 1 - one\\n    1..1\\nok ' + ++count + ' - ' + file)
      console.log('not ok ' + ++count + ' - too late\\n  ---\\n  test: ' + file + '\\n  ...')
      ask()
    })
    ask()`
  const folder = makeTestFolder(t, {
    'package.json': '{ "type": "module" }',
    scripts: { 'build.ts': '' },
    test: { 'a.test.ts': '', 'b.test.ts': '', 'c.test.ts': '', support: { 'run-files.ts': reporter } }
  })
  const failed = (name: string) => file(name, { passed: 1, failures: ['too late'] })
  t.same(await runTests(folder), {
    code: 1,
    last: '3 passed, 3 failed',
    files: ['a', 'b', 'c'].map(failed),
    faults: []
  })
})

t.test('after a change runs the quick tier, and what lies near the change', async t => {
  const passing = (tier: string) => `// tier: ${tier}\nimport t from 'tap'\nt.pass()\n`
  const folder = project(t, {
    'quick.test.ts': passing('quick'),
    near: { 'x.test.ts': passing('full') },
    far: { 'y.test.ts': passing('full') }
  })
  const git = (...args: string[]) =>
    execaSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@b', ...args])
  mkdirSync(path.join(folder, 'src/near'), { recursive: true })
  for (const name of ['src/near/x.ts', 'package-lock.json']) writeFileSync(path.join(folder, name), '')
  writeFileSync(path.join(folder, '.gitignore'), '*\n!/src/\n!/src/**\n!/package-lock.json\n')
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'all')
  const changed = async () => {
    const { files } = await runTests(folder, ['--changed'])
    return files.map(({ file }) => file)
  }
  t.same(await changed(), ['test/quick.test.ts'])
  writeFileSync(path.join(folder, 'src/near/x.ts'), '1')
  t.same(await changed(), ['test/near/x.test.ts', 'test/quick.test.ts'])
  writeFileSync(path.join(folder, 'package-lock.json'), '1')
  t.same(await changed(), ['test/far/y.test.ts', 'test/near/x.test.ts', 'test/quick.test.ts'])
})

t.test('a new file beside the tests is left behind, the contents of an ignored folder are not', async t => {
  const folder = project(t, {
    'writes.test.ts': `
      import { mkdirSync, writeFileSync } from 'node:fs'
      import t from 'tap'
      mkdirSync('cache/of', { recursive: true })
      writeFileSync('cache/of/toolgate-cached', '')
      writeFileSync('toolgate-ignored', '')
      writeFileSync('test/toolgate-new', '')
      t.pass()\n`
  })
  writeFileSync(path.join(folder, '.gitignore'), 'cache/\ntoolgate-ignored\n')
  mkdirSync(path.join(folder, 'cache'))
  writeFileSync(path.join(folder, 'cache/toolgate-old'), '')
  execaSync('git', ['init', '-q', folder])
  // The outermost run is the one that looks.
  const { code, faults } = await runTests(folder, [], { TEST_RUN: undefined, CI: undefined })
  t.equal(code, 1)
  t.same(
    faults.filter(fault => fault.startsWith('left behind: repository ')),
    ['left behind: repository test/toolgate-new: ??', 'left behind: repository toolgate-ignored: !!']
  )
})

/** Runs the tests of a project, one process at a time. */
async function runTests(folder: string, args: string[] = [], environment: NodeJS.ProcessEnv = {}) {
  return resultOf(folder, startTests(folder, args, environment))
}

function startTests(folder: string, args: string[], environment: NodeJS.ProcessEnv) {
  const argv = [path.resolve('scripts/test/run.ts'), '--tier', 'all', '--jobs', '1', ...args]
  const env = { TEST_REPORT: path.join(folder, 'report.json'), ...environment }
  return execa(process.execPath, argv, { cwd: folder, env, reject: false })
}

async function resultOf(folder: string, run: ReturnType<typeof startTests>) {
  const ended = await within('the tests to end', run)
  const { files, faults } = JSON.parse(readFileSync(path.join(folder, 'report.json'), 'utf8')) as RunReport
  const last = ended.stdout.trim().split('\n').at(-1)
  return { code: ended.exitCode, last, files: files.toSorted((a, b) => a.file.localeCompare(b.file)), faults }
}

/** Creates a project with these test files, which uses the packages and helpers of this repository. */
function project(t: Test, tests: Record<string, string | Record<string, string>>): string {
  const folder = makeTestFolder(t, { test: tests, scripts: { 'build.ts': '' }, 'package.json': '{ "type": "module" }' })
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'))
  symlinkSync(path.resolve('test/support'), path.join(folder, 'test/support'))
  return folder
}
