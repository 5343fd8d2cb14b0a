// The Emacs client: compiles without a warning, reads as packages should, and does what it says, also with the real server.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { place } from '../cli/toolgate.ts'

const CLIENT = fileURLToPath(new URL('../../clients/emacs', import.meta.url))
const files = readdirSync(CLIENT).filter(name => name.endsWith('.el'))
const LINT = globSync('/usr/share/emacs/site-lisp/elpa-src/package-lint-[0-9]*')[0]

/** The project has none yet. */
const NO_ADDRESS = /toolgate\.el:1:0: error: Package should have a Homepage or URL header/

/** It takes every verb in the third person for one that ought to be an imperative. */
const NO_GUESSES = '(setq checkdoc-verb-check-experimental-flag nil)'

const without = (what: string, here: boolean) =>
  here || process.env.CI ? {} : { skip: `${what} is not installed: apt-get install emacs-nox elpa-package-lint` }
const emacs = without('Emacs', spawnSync('emacs', ['--version']).status === 0)
const lint = without('package-lint', LINT !== undefined)

async function run(t: Test, argv: readonly string[], { env = process.env, cwd = CLIENT } = {}) {
  const child = spawn('emacs', ['-Q', '--batch', '-L', CLIENT, ...argv], { cwd, env, timeout: 90_000 })
  t.teardown(() => child.kill('SIGKILL'))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, said: `${out}${err}` }
}

/** Each in an Emacs of its own: in a shared one it would know by then what other files define. */
t.test('compiles without a warning', emacs, async t => {
  const folder = t.testdir()
  const into = `(setq byte-compile-error-on-warn t byte-compile-dest-file-function
    (lambda (file) (expand-file-name (concat (file-name-nondirectory file) "c") "${folder}")))`
  const left = [...files]
  const failed: string[] = []
  async function compile() {
    for (let file = left.pop(); file; file = left.pop()) {
      const { code, said } = await run(t, ['--eval', into, '-f', 'batch-byte-compile', file])
      if (code !== 0) failed.push(said)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, compile))
  t.same(failed, [])
  t.equal(readdirSync(folder).length, files.length)
})

t.test('documents itself as Emacs wants it', emacs, async t => {
  const check = files.flatMap(file => ['--eval', `(checkdoc-file "${file}")`])
  const { code, said } = await run(t, ['-l', 'checkdoc', '--eval', NO_GUESSES, ...check])
  t.equal(said, '')
  t.equal(code, 0)
})

t.test('is a package', { ...emacs, ...lint }, async t => {
  const { said } = await run(t, [
    ...['-L', LINT ?? '', '-l', 'package-lint'],
    ...['--eval', '(setq package-lint-batch-fail-on-warnings nil package-lint-main-file "toolgate.el")'],
    ...['-f', 'package-lint-batch-and-exit', ...files]
  ])
  const errors = said.split('\n').filter(line => / error: /.test(line) && !NO_ADDRESS.test(line))
  t.same(errors, [])
  t.match(said, /Entering directory/)
})

t.test('does what it says', emacs, async t => {
  const tests = readdirSync(path.join(CLIENT, 'test')).filter(name => name.endsWith('-test.el'))
  const load = tests.flatMap(name => ['-l', name.replace(/\.el$/, '')])
  const { code, said } = await run(t, ['-L', 'test', ...load, '-f', 'ert-run-tests-batch-and-exit'])
  t.same(failures(said), [])
  t.match(said, /Ran \d+ tests, \d+ results as expected, 0 unexpected/)
  t.equal(code, 0)
})

t.test('works with the server', emacs, async t => {
  const { project, home, folder } = place(t, { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\nc\n' })
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TOOLGATE_ADMIN_CONFIG: path.join(folder, 'none')
  }
  t.teardown(() => rmSync(path.join(home, '.emacs.d'), { recursive: true, force: true }))
  const live = ['-L', path.join(CLIENT, 'test'), '-l', 'live', '-f', 'ert-run-tests-batch-and-exit']
  const { code, said } = await run(t, live, { cwd: project, env })
  t.same(failures(said), [])
  t.match(said, /Ran 1 tests, 1 results as expected/)
  t.equal(code, 0)
})

/** What ERT says of each test that did not do what it should. */
const failures = (said: string) =>
  [...said.matchAll(/^Test \S+ condition:$[\s\S]*?^ +FAILED .*$/gm)].map(([text]) => text)
