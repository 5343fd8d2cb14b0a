// tier: full
import t from 'tap'
import { servedIn, UNSANDBOXED } from '../../toolgate.ts'

t.test('mode: shown, set, cleared', async t => {
  const { toolgate } = await servedIn(t, UNSANDBOXED)
  t.same(await toolgate(['mode']), { code: 0, stdout: '', stderr: 'Other sessions: ask.\n' })
  t.match(await toolgate(['mode', 'plan']), { code: 2, stderr: /is required, because the session has no calls yet/ })
  t.same(await toolgate(['mode', 'plan', '--token', 'server:call', '--for', '2h']), {
    code: 0,
    stdout: 'default: plan\n',
    stderr: ''
  })
  const shown = await toolgate(['mode'])
  t.match(shown, {
    code: 0,
    stdout:
      /^SESSION +MODE +WORKSPACE +TOKEN +EXPIRES +SET BY *\ndefault +plan +default +server:call +(?:\d{4}-\d\d-\d\d )?\d\d:\d\d \(in 2 h\) +\S+\n$/
  })
  t.match(await toolgate(['status']), { stdout: /\n {2}jobs {5}0\n {2}modes {4}default plan\n/ })
  t.match(await toolgate(['mode', 'perhaps']), {
    code: 2,
    stderr: 'toolgate: Invalid mode: perhaps. Expected one of: plan, ask, accept-edits, auto.\n'
  })
  t.same(await toolgate(['mode', '--clear', '--token', 'server:call']), {
    code: 0,
    stdout: '',
    stderr: 'Other sessions: ask.\n'
  })
})
