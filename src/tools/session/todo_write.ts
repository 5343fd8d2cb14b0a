import { Type } from 'typebox'
import { defineTool } from '../../tool/tool.ts'

const Todo = Type.Object(
  {
    id: Type.Optional(Type.String({ maxLength: 100, description: 'Any id of the item.' })),
    content: Type.String({ minLength: 1, maxLength: 2_000, description: 'Text of the item.' }),
    status: Type.Enum(['pending', 'in_progress', 'completed', 'cancelled'], { description: 'Status.' }),
    priority: Type.Optional(Type.Enum(['high', 'medium', 'low'], { description: 'Priority.' }))
  },
  { additionalProperties: false }
)

export default defineTool({
  name: 'todo_write',
  category: 'session',
  description: "Replaces the session's to-do list.",
  input: Type.Object(
    { todos: Type.Array(Todo, { maxItems: 500, description: 'All items, in order.' }) },
    { additionalProperties: false }
  ),
  output: Type.Object({ todos: Type.Array(Todo, { description: 'Current to-do list.' }) }),
  timeout_ms: 5_000,
  effect: 'create',
  traits: { idempotent: true },
  request: () => ({}),
  async run({ todos }, { session }) {
    await session.write('todos', todos)
    return { todos }
  },
  present({ todos }) {
    const open = todos.filter(({ status }) => status === 'pending' || status === 'in_progress').length
    return {
      title: `${open} to do`,
      content: `The to-do list has ${todos.length} ${todos.length === 1 ? 'item' : 'items'}, ${open} of them open.`
    }
  }
})
