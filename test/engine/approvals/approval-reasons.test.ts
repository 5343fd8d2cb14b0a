// Tests of approval reasons: they fit what the command does.
// tier: quick
import t from 'tap'
import { startApp } from '../../start-app.ts'

t.test('reasons', async t => {
  const { call } = await startApp(t, { 'sub/a.txt': '', 'sub/deep/b.txt': '' })
  const reason = async (command: string, more = {}) =>
    (await call('shell_exec', { command, ...more })).approval.reason as string
  t.equal(await reason('git ls-remote'), 'Contacts another repository, possibly over the network.')
  t.equal(await reason('npx tsc'), 'May download the program that it runs.')
  t.notMatch(await reason('cd sub && ls'), 'not a folder')
  t.notMatch(await reason('cd sub && make'), 'not a folder')
  t.notMatch(await reason('cd deep && make', { cwd: 'sub' }), 'not a folder')
  t.notMatch(await reason('cd sub && cd deep && make'), 'not a folder')
  t.notMatch(await reason('(cd sub/ && make)'), 'not a folder')
  t.equal(await reason('cd nowhere && ls'), '"nowhere" is not a folder.')
})
