// run: waiting (Emacs waits for the answers of servers)
// The Emacs client does what its own tests say, alone and with the real server.
import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { SESSION_MODES } from '../../../src/protocol/session-mode.ts'
import { createProject } from '../../cli/toolgate.ts'
import { needs } from '../../support/needs.ts'
import { CLIENT, runBatch } from './batch.ts'

t.jobs = 2

/** Number of processes: each has the time limit of one program. */
const GROUPS = 3
const tests = readdirSync(path.join(CLIENT, 'test')).filter(name => name.endsWith('-test.el'))
for (const group of Array.from({ length: GROUPS }, (_, n) => tests.filter((_, at) => at % GROUPS === n)))
  t.test(`passes its unit tests: ${group.join(', ')}`, needs('emacs'), async t => {
    const load = group.flatMap(name => ['-l', name.replace(/\.el$/, '')])
    const { code, output } = await runBatch(t, ['-L', 'test', ...load, '-f', 'ert-run-tests-batch-and-exit'])
    t.same(failures(output), [])
    t.match(output, /Ran \d+ tests, \d+ results as expected, 0 unexpected/)
    t.equal(code, 0)
  })

t.test('works with the server', needs('emacs'), async t => {
  const { project, home, folder } = createProject(t, { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\nc\n' })
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: tmpdir(),
    TOOLGATE_ADMIN_CONFIG: path.join(folder, 'none')
  }
  t.teardown(() => rmSync(path.join(home, '.emacs.d'), { recursive: true, force: true }))
  const live = ['-L', path.join(CLIENT, 'test'), '-l', 'live', '-f', 'ert-run-tests-batch-and-exit']
  const { code, output } = await runBatch(t, live, { cwd: project, env })
  t.same(failures(output), [])
  t.match(output, /Ran 1 tests, 1 results as expected/)
  t.equal(code, 0)
})

t.test('knows the modes of sessions that the server has', needs('emacs'), async t => {
  const print = '(princ (mapconcat (function car) toolgate-modes " "))'
  t.equal((await runBatch(t, ['-l', 'toolgate-modes', '--eval', print])).output, SESSION_MODES.join(' '))
})

/** Returns ERT's report of each failed test. */
function failures(output: string) {
  return [...output.matchAll(/^Test \S+ condition:$[\s\S]*?^ +FAILED .*$/gm)].map(([text]) => text)
}
