// `strict`, the former name of the isolation level `read-only`, is accepted on input and never written.
import t from 'tap'
import { defaultsFromSchema } from '../../../src/config/merge.ts'
import { Config } from '../../../src/config/schema.ts'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'

const base = defaultsFromSchema(Config).sandbox

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
