// Tests of sandbox setup failures: reported as such, never as the command's own failure.
// tier: full
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { Sandbox } from '../../../../src/host/sandbox/sandbox.ts'
import { startApp } from '../../../start-app.ts'
import { needs } from '../../../support/needs.ts'
import { makeTestFolder } from '../../../support/test-folder.ts'
import { startSandboxFixture } from '../fixture.ts'

t.test("bubblewrap's own errors are not output of the command", needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  const mounts = [{ from: world.at('gone'), to: '/run/gone' }]
  await t.rejects(world.run('echo ran', { mounts }), { code: 'SANDBOX_UNAVAILABLE', message: /Message: bwrap: .*gone/ })
  t.match(await world.run('echo "bwrap: of my own" >&2; exit 1'), { exit_code: 1, stderr: 'bwrap: of my own\n' })
  t.match(await world.run('kill -9 $$'), { exit_code: 137 })
})

t.test('nor are they the output of a program with a text as input', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  const asked = { argv: ['cat'], cwd: '.', stdin: 'text', level: 'read-only' as const, timeout_ms: 120_000 }
  const mounts = [{ from: world.at('gone'), to: '/run/gone' }]
  const broken: Sandbox = {
    default: world.sandbox.default,
    states: () => world.sandbox.states(),
    confine: (program, ...how) => world.sandbox.confine({ ...program, mounts }, ...how)
  }
  const failed = world.processes(broken).filter(asked)
  await t.rejects(failed, { code: 'SANDBOX_UNAVAILABLE', message: /Message: bwrap: .*gone/ })
  t.match(await world.processes().filter(asked), { exit_code: 0, text: 'text' })
})

t.test('removes unread status files of a killed server at the next start, with any pid', async t => {
  const folder = makeTestFolder(t, { state: { sandbox: { 'hidden-file': '' } } })
  const own = path.join(folder, 'state/sandbox')
  for (const pid of [1, process.pid]) writeFileSync(path.join(own, `status-${pid}-1`), '{ "exit-code": 0 }')
  mkdirSync(path.join(own, 'running'))
  await startApp(t, {}, { folder })
  t.same(readdirSync(own), ['hidden-file', 'running'])
})
