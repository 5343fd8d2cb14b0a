// Tests of the Emacs client as a package: it compiles without a warning, is documented, and follows the rules of package
// archives.
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { run } from '../../support/wait.ts'
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

t.test('installs from the released archive, with autoloads for every documented command', needs('emacs'), async t => {
  const folder = makeTestFolder(t, { home: {} })
  const { stdout } = await run(process.execPath, ['scripts/package-emacs.ts', folder])
  const archive = stdout.trim()
  const env = { PATH: process.env.PATH!, HOME: path.join(folder, 'home'), LANG: 'C.UTF-8' }
  /** Evaluates a form in a new Emacs with the packages of this home folder, and returns all that it prints. */
  const emacs = async (form: string) => {
    const script = `(progn (require 'package) (setq package-user-dir "${folder}/elpa") (package-initialize) ${form})`
    const { stdout, stderr } = await run('emacs', ['-Q', '--batch', '--eval', script], { cwd: folder, env })
    return stdout + stderr
  }
  t.notMatch(await emacs(`(package-install-file "${archive}")`), /warning|error/i)
  const { stdout: packed } = await run('tar', ['-tf', archive])
  const expected = [...files, 'LICENSE', 'toolgate-pkg.el'].map(name => `toolgate-0.1.0/${name}`)
  t.same(packed.trim().split('\n').sort(), ['toolgate-0.1.0/', ...expected].sort())

  const table = readFileSync('docs/emacs.md', 'utf8').split('| `toolgate-mode`')[1]!.split('\n\n')[0]!
  const commands = ['toolgate-mode', ...(table.match(/toolgate-[a-z-]+/g) ?? []), 'toolgate-gptel-enable']
  t.ok(commands.length > 15)
  const missing = await emacs(`(prin1 (list (featurep 'toolgate) (seq-remove #'commandp '(${commands.join(' ')}))))`)
  t.equal(missing, '(nil nil)', 'no file is loaded, and every command is known')

  const facts = `(package-desc-version desc) (package-desc-reqs desc) (package-desc-summary desc) (alist-get :url (package-desc-extras desc))`
  const described = await emacs(`(let ((desc (cadr (assq 'toolgate package-alist)))) (prin1 (list ${facts})))`)
  const url = 'https://github.com/toolgate/toolgate'
  t.equal(described, `((0 1 0) ((emacs (28 1))) "Approve or reject the tool calls of agents" "${url}")`)
  const loaded = `(list toolgate-mode (file-name-directory (locate-library "toolgate")))`
  t.match(await emacs(`(toolgate-mode 1) (prin1 ${loaded})`), `(t "${folder}/elpa/toolgate-0.1.0/")`)
})
