import { Type } from 'typebox'
import { BackgroundTask, TASK_STATUSES } from '../../protocol/jobs.ts'
import { formatTask } from '../../text/format-task.ts'
import { pluralize } from '../../text/pluralize.ts'
import { defineTool } from '../../tool/tool.ts'

const MAX_COMMAND_LENGTH = 1_000

export default defineTool({
  name: 'list_background_tasks',
  category: 'commands',
  description: 'Lists background tasks, newest first, including recently ended ones.',
  input: Type.Object(
    { status: Type.Optional(Type.Enum([...TASK_STATUSES], { description: 'Only tasks with this status.' })) },
    { additionalProperties: false }
  ),
  output: Type.Object({
    tasks: Type.Array(BackgroundTask, { description: 'Background tasks, newest first; long commands are shortened.' })
  }),
  timeout_ms: 5_000,
  effect: 'read',
  traits: { idempotent: true },
  request: () => ({}),
  async run({ status }, { jobs }) {
    const tasks = (await jobs.list()).filter(task => status === undefined || task.status === status)
    return { tasks: tasks.map(shortenCommand) }
  },
  present({ tasks }) {
    return {
      title: pluralize(tasks.length, 'task'),
      content: tasks.map(formatTask).join('\n') || 'No background tasks.'
    }
  }
})

const shortenCommand = (task: BackgroundTask): BackgroundTask =>
  task.command === undefined || task.command.length <= MAX_COMMAND_LENGTH
    ? task
    : { ...task, command: `${task.command.slice(0, MAX_COMMAND_LENGTH)}…` }
