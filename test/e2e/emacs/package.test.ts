// Tests of the Emacs client as a package: it compiles without a warning, is documented, and follows the rules of package
// archives.
import { globSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { CLIENT, runBatch } from './batch.ts'

const files = readdirSync(CLIENT).filter(name => name.endsWith('.el'))
const LINT = globSync('/usr/share/emacs/site-lisp/elpa-src/package-lint-[0-9]*')[0]

/** The check mistakes every verb in the third person for an imperative. */
const NO_GUESSES = '(setq checkdoc-verb-check-experimental-flag nil)'

/** Each in its own Emacs: a shared one would know the definitions of other files. */
t.test('compiles without a warning', needs('emacs'), async t => {
  const folder = makeTestFolder(t)
  const into = `(setq byte-compile-error-on-warn t byte-compile-dest-file-function
    (lambda (file) (expand-file-name (concat (file-name-nondirectory file) "c") "${folder}")))`
  const left = [...files]
  const failed: string[] = []
  async function compile() {
    for (let file = left.pop(); file; file = left.pop()) {
      const { code, output } = await runBatch(t, ['--eval', into, '-f', 'batch-byte-compile', file])
      if (code !== 0) failed.push(output)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, compile))
  t.same(failed, [])
  t.equal(readdirSync(folder).length, files.length)
})

t.test('passes checkdoc', needs('emacs'), async t => {
  const check = files.flatMap(file => ['--eval', `(checkdoc-file "${file}")`])
  const { code, output } = await runBatch(t, ['-l', 'checkdoc', '--eval', NO_GUESSES, ...check])
  t.equal(output, '')
  t.equal(code, 0)
})

t.test('passes package-lint', needs('emacs', 'emacs-package-lint'), async t => {
  const { code, output } = await runBatch(t, [
    ...['-L', LINT ?? '', '-l', 'package-lint'],
    ...['--eval', '(setq package-lint-batch-fail-on-warnings nil package-lint-main-file "toolgate.el")'],
    ...['-f', 'package-lint-batch-and-exit', ...files]
  ])
  t.equal(output, '')
  t.equal(code, 0)
})
