// `strict`, the former name of the isolation level `read-only`, is accepted on input and never written.
// tier: full
import { existsSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'

const base = defaultSettings().sandbox

t.test('a call may request it', needs('sandbox'), async t => {
  const { call } = await startApp(t, { 'a.txt': 'a\n' }, { settings: { sandbox: base } })
  const settled = await call('shell_exec', { command: 'cat a.txt', isolation: 'strict' })
  t.match(settled, { status: 'success', result: { data: { isolation: 'read-only', output: 'a\n' } } })
})

t.test('the configuration may set it as the default level', needs('sandbox'), async t => {
  const { call, get } = await startApp(t, { 'a.txt': 'a\n' }, { settings: { sandbox: { ...base, level: 'strict' } } })
  const settled = await call('shell_exec', { command: 'cat a.txt' })
  t.match(settled, { status: 'success', result: { data: { isolation: 'read-only' } } })
  t.match(await get('/capabilities'), { isolation: { default: 'read-only' } })
})

t.test('a saved rule may contain it', async t => {
  const { post } = await startApp(t)
  const match = { tool: 'shell_exec', command: 'make', isolation: 'strict' }
  t.match(await post('/rules', { effect: 'allow', match, scope: 'workspace' }), { match })
})

t.test('a hook may be sandboxed by it', needs('sandbox'), async t => {
  const hook = {
    name: 'touch',
    when: 'before' as const,
    command: ['/bin/sh', '-c', 'touch "$PWD/written" || echo \'{"decision": "refuse", "reason": "read-only"}\''],
    isolation: 'strict' as const,
    timeout_ms: 120_000
  }
  const hooks = [{ mcp_servers: {}, command_tools: {}, hooks: [hook], trusted: true }]
  const { call, root } = await startApp(
    t,
    { 'a.txt': 'a\n' },
    { settings: { sandbox: base }, brought: { current: () => hooks, onChange: () => () => {} } }
  )
  t.match(await call('read_file', { path: 'a.txt' }), { status: 'rejected', reason: /read-only/ })
  t.notOk(existsSync(path.join(root, 'written')))
})
