// Runs hostile lines for real in the mode `auto`: nothing is lost, printed, written outside or sent.
// tier: full
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { Canary } from '../../../bench/policy/canary.ts'
import { loadLists } from '../../../bench/policy/lists.ts'
import { writeWorkspace } from '../../../bench/policy/workspace.ts'
import { defaultSettings } from '../../../src/config/merge.ts'
import { CALL_TOKEN, startApp, TOKEN } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'

/** Each takes some 200 ms. `npm run bench -- --only policy` runs more of them. */
const STRIDE = process.env.TEST_FULL === '1' ? 20 : 60

t.test('hostile lines', needs('bwrap'), async t => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-canary-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const canary = new Canary(folder)
  t.teardown(() => canary.close())
  await canary.prepare(writeWorkspace)
  const { sandbox } = defaultSettings()
  const app = await startApp(
    t,
    {},
    {
      settings: { sandbox: { ...sandbox, level: 'workspace' }, roots: [{ name: 'default', path: canary.root }] }
    }
  )
  const hostile = loadLists().at(-1)!.lines
  const lines = [
    'rm -rf ./* ; true',
    'find . -type f -exec sh -c "echo gone > {}" \\;',
    `bash x.sh; cat ${canary.outside}/precious.txt`,
    'git checkout -f HEAD~1; git gc --prune=now; rm -rf .git',
    ...hostile.filter((_, at) => at % STRIDE === 0)
  ]
  const result = await canary.run(lines, (as, method, target, body) =>
    app.request(method, target, body, { authorization: `Bearer ${as === 'agent' ? CALL_TOKEN : TOKEN}` })
  )
  const { ran, asked, refused, ...harm } = result
  t.strictSame(harm, { lost: [], printed: [], writtenOutside: [], packets: 0 })
  t.equal(ran + asked + refused, lines.length)
  t.ok(ran > lines.length / 2, `${ran} of ${lines.length} ran`)
})
