// A sandbox that cannot be set up is told as that, never as the work of the command.
import { mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { Sandbox } from '../../../../src/host/sandbox/sandbox.ts'
import { startApp } from '../../../start-app.ts'
import { needs } from '../../../support/needs.ts'
import { startSandboxFixture } from '../fixture.ts'

t.test('what bubblewrap says of a failure of its own is no output of the command', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  const mounts = [{ from: world.at('gone'), to: '/run/gone' }]
  await t.rejects(world.run('echo ran', { mounts }), { code: 'SANDBOX_UNAVAILABLE', message: /It says: bwrap: .*gone/ })
  t.match(await world.run('echo "bwrap: of my own" >&2; exit 1'), { exit_code: 1, stderr: 'bwrap: of my own\n' })
  t.match(await world.run('kill -9 $$'), { exit_code: 137 })
})

t.test('nor is it the answer of a program that was handed a text', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  const asked = { argv: ['cat'], cwd: '.', stdin: 'text', level: 'read-only' as const, timeout_ms: 30_000 }
  const mounts = [{ from: world.at('gone'), to: '/run/gone' }]
  const broken: Sandbox = {
    default: world.sandbox.default,
    states: () => world.sandbox.states(),
    confine: (program, ...how) => world.sandbox.confine({ ...program, mounts }, ...how)
  }
  const failed = world.processes(broken).filter(asked)
  await t.rejects(failed, { code: 'SANDBOX_UNAVAILABLE', message: /It says: bwrap: .*gone/ })
  t.match(await world.processes().filter(asked), { exit_code: 0, text: 'text' })
})

t.test('what a killed server has yet to ask is gone at the next start, whatever its number was', async t => {
  const folder = realpathSync(t.testdir({ state: { sandbox: { 'hidden-file': '' } } }))
  const own = path.join(folder, 'state/sandbox')
  for (const pid of [1, process.pid]) writeFileSync(path.join(own, `status-${pid}-1`), '{ "exit-code": 0 }')
  mkdirSync(path.join(own, 'running'))
  await startApp(t, {}, { folder })
  t.same(readdirSync(own), ['hidden-file', 'running'])
})
