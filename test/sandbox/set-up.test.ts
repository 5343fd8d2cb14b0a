// A sandbox that cannot be set up is told as that, never as the work of the command.
import t from 'tap'
import { keptWorld, linux } from './world.ts'

t.test('what bubblewrap says of a failure of its own is no output of the command', { skip: linux }, async t => {
  const world = await keptWorld(t)
  const mounts = [{ from: world.at('gone'), to: '/run/gone' }]
  await t.rejects(world.run('echo ran', { mounts }), { code: 'SANDBOX_UNAVAILABLE', message: /It says: bwrap: .*gone/ })
  t.match(await world.run('echo "bwrap: of my own" >&2; exit 1'), { exit_code: 1, stderr: 'bwrap: of my own\n' })
  t.match(await world.run('kill -9 $$'), { exit_code: 137 })
})
