// tier: quick
import t from 'tap'
import todoRead from '../../../src/tools/session/todo_read.ts'
import todoWrite from '../../../src/tools/session/todo_write.ts'
import { createToolFixture, requestOf, runTool } from '../fixture.ts'

t.test('reads what was written', async t => {
  const kept = new Map<string, unknown>()
  const { ctx: world } = createToolFixture(t)
  const write = async (key: string, value: unknown) => void kept.set(key, JSON.parse(JSON.stringify(value)))
  const ctx = { ...world, session: { ...world.session, read: (key: string) => kept.get(key), write } }
  t.same(await runTool(todoRead, {}, ctx), { todos: [] })
  t.equal(todoRead.present({ todos: [] }, {}).content, 'The to-do list is empty.')
  const todos = [
    { id: '1', content: 'build', status: 'completed' as const, priority: 'high' as const },
    { content: 'test', status: 'in_progress' as const },
    { content: 'ship', status: 'pending' as const },
    { content: 'rest', status: 'cancelled' as const }
  ]
  t.same(await runTool(todoWrite, { todos }, ctx), { todos })
  t.same(todoWrite.present({ todos }, { todos }), {
    title: '2 to do',
    content: 'The to-do list has 4 items, 2 of them open.'
  })
  t.same(await runTool(todoRead, {}, ctx), { todos })
  t.equal(todoRead.present({ todos }, {}).content, '[x] build (high)\n[~] test\n[ ] ship\n[-] rest')
  kept.set('todos', 'something else')
  t.same(await runTool(todoRead, {}, ctx), { todos: [] })
  t.same([todoRead.effect, todoWrite.effect, await requestOf(todoWrite, { todos }, ctx)], ['read', 'create', {}])
})
