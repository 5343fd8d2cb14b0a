// Tests of toolsets whose clients may approve by the id of a call alone.
// tier: full
import t from 'tap'
import { runSteps } from '../../scenario-fixture.ts'
import { type Json, startApp, type TestApp } from '../../start-app.ts'
import { REPOSITORY_STEPS } from './repository-steps.ts'

/** The calls for which the document requires extra confirmation. */
const DANGEROUS: readonly [tool: string, params: object][] = [
  ['delete_file', { path: 'a.txt' }],
  ['git_push', { remote: 'origin', branch: 'main' }],
  ['shell_exec', { command: 'rm -f b.txt' }]
]

const ASKS = { settings: { toolsets: { 'emacs-agent': { strict: 'ask' as const } } } }
const FILES = { 'a.txt': 'one\n', 'b.txt': 'one\n' }

const send = (app: TestApp, tool: string, params: object): Promise<Json> =>
  app.post('/calls?toolset=emacs-agent', { tool, params })
const approve = (app: TestApp, { tool_call_id }: Json, more: object = {}) =>
  app.request('POST', '/approve?wait_ms=120000&toolset=emacs-agent', { tool_call_id, ...more })

t.test('by default an id alone approves nothing', async t => {
  const app = await startApp(t, FILES)
  runSteps(app.root, REPOSITORY_STEPS)
  for (const [tool, params] of DANGEROUS) {
    const waiting = await send(app, tool, params)
    t.match(waiting, { status: 'awaiting_approval', level: 'strict' }, tool)
    t.match(await approve(app, waiting), { status: 400, body: { status: 'error', error: { code: 'INVALID_PARAMS' } } })
  }
  t.equal(app.read('a.txt'), 'one\n')
})

t.test('where the administrator accepts it, an id alone approves what was shown last', async t => {
  const app = await startApp(t, FILES, ASKS)
  runSteps(app.root, REPOSITORY_STEPS)
  for (const [tool, params] of DANGEROUS) {
    const waiting = await send(app, tool, params)
    t.match(waiting, { status: 'awaiting_approval', level: 'strict' }, tool)
    t.match(await approve(app, waiting), { status: 200, body: { status: 'success' } }, tool)
    const { approved_by } = await app.get(`/calls/${waiting.tool_call_id}`)
    t.match(approved_by, { source: 'user', digest: waiting.digest })
  }
  t.throws(() => app.read('a.txt'), { code: 'ENOENT' })
  t.throws(() => app.read('b.txt'), { code: 'ENOENT' })
})

t.test('a file that changes meanwhile, another digest and calls outside the toolset are refused as before', async t => {
  const app = await startApp(t, FILES, ASKS)
  const waiting = await send(app, 'write_file', { path: 'a.txt', content: 'two\n' })
  t.match(await approve(app, waiting, { digest: '0'.repeat(64) }), { status: 409 })
  app.write('a.txt', 'changed\n')
  t.match(await approve(app, waiting), { status: 409, body: { error: { code: 'PREVIEW_CHANGED' } } })
  t.equal(app.read('a.txt'), 'changed\n')
  const native = await app.call('delete_file', { path: 'b.txt' })
  const other = await app.post('/calls?toolset=workspace', { tool: 'delete_file', params: { path: 'b.txt' } })
  for (const tool_call_id of [native.tool_call_id, other.stepId])
    t.match(await app.request('POST', '/approve', { tool_call_id }), { status: 400 })
  t.equal(app.read('b.txt'), 'one\n')
})
