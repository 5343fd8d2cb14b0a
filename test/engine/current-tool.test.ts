// Tests of a pending call whose tool changes, disappears or returns.
// tier: full
import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { Type } from 'typebox'
import { defineTool, type Tool } from '../../src/tool/tool.ts'
import { startApp, toApproval } from '../start-app.ts'
import { removeFolder } from '../support/remove-folder.ts'

const ran: string[] = []
const deploy = (version: string, more: Partial<Tool> = {}): Tool => ({
  ...(defineTool({
    name: 'deploy',
    version,
    category: 'custom',
    description: 'Deploys.',
    input: Type.Object({ to: Type.String() }),
    output: Type.Object({ by: Type.String() }),
    timeout_ms: 120_000,
    effect: 'execute',
    request: () => ({}),
    run: () => {
      ran.push(version)
      return { by: version }
    },
    present: ({ by }) => ({ title: 'deployed', content: by })
  }) as unknown as Tool),
  ...more
})

t.beforeEach(() => {
  ran.length = 0
})

t.test('a new version of the tool requires a new approval', async t => {
  const { app, call, request, events } = await startApp(t)
  const stream = await events('?types=tools.changed')
  app.catalog.setTools('theirs', [deploy('1')])
  const waiting = await call('deploy', { to: 'staging' })
  t.equal(waiting.status, 'awaiting_approval')

  app.catalog.setTools('theirs', [deploy('2')])
  const { tool_call_id, approval } = waiting
  const stale = await request('POST', '/approve', { tool_call_id, digest: approval.digest })
  t.match(stale, { status: 409, body: { code: 'PREVIEW_CHANGED' } })
  t.same(ran, [])
  const { digest } = stale.body.details.approval
  await request('POST', '/approve', { tool_call_id, digest })
  t.match((await request('GET', `/calls/${tool_call_id}?wait_ms=120000`)).body, {
    status: 'success',
    result: { data: { by: '2' } }
  })
  t.match(await stream.type('tools.changed'), [{}, { source: 'theirs', added: ['deploy'] }])
  t.match(await stream.type('tools.changed'), [{ source: 'theirs', changed: ['deploy'] }])
})

t.test('a removed tool leaves its calls pending, also over a restart, until it returns', async t => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-test-')))
  t.teardown(() => removeFolder(folder))
  const first = await startApp(t, {}, { folder, tools: [deploy('1')] })
  const waiting = await first.call('deploy', { to: 'staging' })
  const { tool_call_id } = waiting
  const other = await first.call('deploy', { to: 'production' })
  await first.close()

  const { app, request, get } = await startApp(t, {}, { folder })
  t.match(await request('POST', '/approve', toApproval(waiting)), { status: 404, body: { code: 'UNKNOWN_TOOL' } })
  t.equal((await get(`/calls/${tool_call_id}`)).status, 'awaiting_approval')
  const rejected = await request('POST', '/reject', { tool_call_id: other.tool_call_id })
  t.match(rejected, { status: 200, body: { status: 'rejected' } })
  app.catalog.setTools('theirs', [deploy('1')])
  await request('POST', '/approve', toApproval(waiting))
  t.equal((await get(`/calls/${tool_call_id}?wait_ms=120000`)).status, 'success')
  t.same(ran, ['1'])
})

t.test('params that the tool no longer accepts cannot be approved, but modified ones can', async t => {
  const { app, call, request, get } = await startApp(t, {}, { tools: [] })
  app.catalog.setTools('theirs', [deploy('1')])
  const waiting = await call('deploy', { to: 'staging' })
  const { tool_call_id } = waiting
  app.catalog.setTools('theirs', [deploy('2', { input: Type.Object({ target: Type.String() }) })])
  const refused = await request('POST', '/approve', toApproval(waiting))
  t.match(refused, { status: 400, body: { code: 'INVALID_PARAMS' } })
  t.equal((await get(`/calls/${tool_call_id}`)).status, 'awaiting_approval')
  await request('POST', '/approve', { ...toApproval(waiting), modified_params: { target: 'staging' } })
  t.equal((await get(`/calls/${tool_call_id}?wait_ms=120000`)).status, 'success')
  t.same(ran, ['2'])
})
