// Tests of tools that start programs: only what was evaluated, shown and approved runs, even if the workspace has changed.
// tier: quick
import t from 'tap'
import { Type } from 'typebox'
import { defineTool } from '../../src/tool/tool.ts'
import { startApp } from '../start-app.ts'

t.test('previews and runs a tool with the program found last', async t => {
  let looked = 0
  const tool = defineTool({
    name: 'look_and_run',
    category: 'custom',
    description: 'Finds its program anew whenever it is asked to.',
    input: Type.Object({}),
    output: Type.Object({ name: Type.String(), cwd: Type.String() }),
    timeout_ms: 120_000,
    effect: 'execute',
    request: () => ({}),
    plan() {
      const state = { name: String(++looked), program: { argv: ['mkdir', 'x'], cwd: '.' } }
      return { state, command: { program: state.program }, preview: () => ({ title: state.name }) }
    },
    run: (_input, _ctx, { name, program }) => ({ name, cwd: program.cwd }),
    present: ({ name }) => ({ title: name, content: name })
  })
  const { call, post } = await startApp(t, {}, { tools: [tool] })
  const asked = await call('look_and_run', {})
  t.match(asked, { status: 'awaiting_approval', approval: { preview: { title: String(looked) } } })
  const shown = looked
  const { digest } = asked.approval
  const { result } = await post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest })
  t.ok(looked > shown, 'it is looked for once more before it starts')
  t.strictSame(result.data, { name: String(looked), cwd: '.' })
})
