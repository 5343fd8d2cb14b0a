// A decision holds only while what the tool stands on is as it was.
import t from 'tap'
import { Type } from 'typebox'
import { defineTool } from '../../src/tool.ts'
import { startApp } from '../start-app.ts'

t.test('what a tool stands on is bound by a decision', async t => {
  let place = 'here'
  const tool = defineTool({
    name: 'act_where_it_is',
    category: 'custom',
    description: 'Acts on something that is no file.',
    input: Type.Object({}),
    output: Type.Object({ place: Type.String() }),
    timeout_ms: 10_000,
    effect: 'write',
    subject: () => ({}),
    stands_on: async () => place,
    preview: () => ({ title: place }),
    run: () => ({ place }),
    present: ({ place }) => ({ title: place, content: place })
  })
  const { call, request } = await startApp(t, {}, { tools: [tool] })
  const asked = await call('act_where_it_is', {})
  place = 'there'
  const approve = (digest: string) => request('POST', `/calls/${asked.tool_call_id}/approve?wait_ms=10000`, { digest })
  const refused = await approve(asked.approval.digest)
  t.match(refused, {
    status: 409,
    body: { code: 'PREVIEW_CHANGED', details: { approval: { preview: { title: 'there' } } } }
  })
  const done = await approve(refused.body.details.approval.digest)
  t.match(done, { status: 200, body: { status: 'success', result: { data: { place: 'there' } } } })
})
