// Tests of preconditions: a decision is valid only while they are unchanged.
// tier: quick
import t from 'tap'
import { Type } from 'typebox'
import { ToolError } from '../../src/errors.ts'
import { defineTool } from '../../src/tool/tool.ts'
import { startApp } from '../start-app.ts'

/** Number of runs: the first, and one for each time that a call is planned again. */
const MAX_RUNS = 4

t.test('a decision is bound to the preconditions of the tool', async t => {
  let place = 'here'
  const tool = defineTool({
    name: 'act_where_it_is',
    category: 'custom',
    description: 'Acts on something that is no file.',
    input: Type.Object({}),
    output: Type.Object({ place: Type.String() }),
    timeout_ms: 120_000,
    effect: 'write',
    request: () => ({}),
    plan: async () => ({ state: undefined, binds: place, preview: () => ({ title: place }) }),
    run: () => ({ place }),
    present: ({ place }) => ({ title: place, content: place })
  })
  const { call, request } = await startApp(t, {}, { tools: [tool] })
  const asked = await call('act_where_it_is', {})
  place = 'there'
  const approve = (digest: string) => request('POST', `/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest })
  const refused = await approve(asked.approval.digest)
  t.match(refused, {
    status: 409,
    body: { code: 'PREVIEW_CHANGED', details: { approval: { preview: { title: 'there' } } } }
  })
  const done = await approve(refused.body.details.approval.digest)
  t.match(done, { status: 200, body: { status: 'success', result: { data: { place: 'there' } } } })
})

t.test('a digest matches the shown preview, also if it changes during the check', async t => {
  let changes = 3
  let written = 0
  const tool = defineTool({
    name: 'write_where_it_is',
    category: 'custom',
    description: 'Writes what it has found.',
    input: Type.Object({}),
    output: Type.Object({}),
    timeout_ms: 120_000,
    effect: 'write',
    request: () => ({ paths: [{ path: 'a.txt', access: 'write' as const }] }),
    async plan(_, { host }) {
      const title = `${(await host.files.snapshot('a.txt'))?.bytes}`
      if (changes-- > 0) write('a.txt', `${++written}`)
      return { state: undefined, preview: () => ({ title }) }
    },
    run: () => ({}),
    present: () => ({ title: 'done', content: 'done' })
  })
  const { call, get, write } = await startApp(t, { 'a.txt': 'first' }, { tools: [tool] })
  const { tool_call_id, approval } = await call('write_where_it_is', {})
  t.equal(approval.preview.title, '3')
  t.strictSame(await get(`/calls/${tool_call_id}/digest`), { tool_call_id, digest: approval.digest })

  changes = Number.POSITIVE_INFINITY
  t.match(await call('write_where_it_is', {}), {
    status: 'error',
    error: { code: 'CONFLICT', message: /^The files of the call keep changing, so no valid preview can be shown\./ }
  })
})

t.test('a call that is allowed is planned again if a file has changed, and a command is asked about', async t => {
  const runs: Record<string, number> = {}
  const defineLoser = (name: string, command?: { program: { argv: string[]; cwd: string } }) =>
    defineTool({
      name,
      category: 'custom',
      description: 'Finds a changed file each time that it runs.',
      input: Type.Object({}),
      output: Type.Object({}),
      timeout_ms: 120_000,
      effect: command ? 'execute' : 'write',
      request: () => ({ paths: [{ path: 'a.txt', access: 'write' as const }] }),
      plan: () => ({ state: undefined, ...(command && { command }), preview: () => ({ title: name }) }),
      run: () => {
        runs[name] = (runs[name] ?? 0) + 1
        throw new ToolError('STALE_FILE', 'a.txt has changed.')
      },
      present: () => ({ title: 'done', content: 'done' })
    })
  const tools = [
    defineLoser('edits'),
    defineLoser('executes', { program: { argv: [process.execPath, '-v'], cwd: '.' } })
  ]
  const tiers = { administrator: [], user: [{ effect: 'allow' as const, match: { tool: '*' } }], workspace: [] }
  const { call } = await startApp(t, { 'a.txt': 'first' }, { tools, settings: { tiers } })
  t.match(await call('edits', {}), { status: 'error', error: { code: 'STALE_FILE' } })
  t.match(await call('executes', {}), { status: 'awaiting_approval' })
  t.strictSame(runs, { edits: MAX_RUNS, executes: 1 })
})
