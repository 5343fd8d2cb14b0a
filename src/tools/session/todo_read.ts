import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { pluralize } from '../../text/pluralize.ts'
import { defineTool } from '../../tool/tool.ts'

const Todos = Type.Array(
  Type.Object({
    id: Type.Optional(Type.String({ description: 'Id of the item.' })),
    content: Type.String({ description: 'Text of the to-do item.' }),
    status: Type.Enum(['pending', 'in_progress', 'completed', 'cancelled'], { description: 'Status.' }),
    priority: Type.Optional(Type.Enum(['high', 'medium', 'low'], { description: 'Priority.' }))
  }),
  { description: 'Items of the to-do list, in order.' }
)

const SIGNS = { pending: '[ ]', in_progress: '[~]', completed: '[x]', cancelled: '[-]' }

export default defineTool({
  name: 'todo_read',
  category: 'session',
  description: "Reads the session's to-do list.",
  input: Type.Object({}, { additionalProperties: false }),
  output: Type.Object({ todos: Todos }),
  timeout_ms: 5_000,
  effect: 'read',
  traits: { idempotent: true },
  request: () => ({}),
  run(_input, { session }) {
    const todos = session.read('todos')
    return { todos: Value.Check(Todos, todos) ? todos : [] }
  },
  present({ todos }) {
    const lines = todos.map(({ content, status, priority }) => {
      return `${SIGNS[status]} ${content}${priority ? ` (${priority})` : ''}`
    })
    return { title: pluralize(todos.length, 'item'), content: lines.join('\n') || 'The to-do list is empty.' }
  }
})
