import { Type } from 'typebox'
import { visible } from '../../text/escape-invisible.ts'
import { TASK_STATUSES, Task } from '../../tool/background-tasks.ts'
import { defineTool } from '../../tool/tool.ts'

const LONGEST_COMMAND = 1_000
const SHOWN_CHARACTERS = 80

export default defineTool({
  name: 'list_background_tasks',
  category: 'commands',
  description:
    "List the workspace's tasks, newest first: commands that run on in the background, calls that were sent there, and " +
    'those that have ended lately.',
  input: Type.Object(
    { status: Type.Optional(Type.Enum([...TASK_STATUSES], { description: 'Only tasks that stand so.' })) },
    { additionalProperties: false }
  ),
  output: Type.Object({ tasks: Type.Array(Task, { description: 'Newest first; long commands are cut.' }) }),
  timeout_ms: 5_000,
  effect: 'read',
  idempotent: true,
  subject: () => ({}),
  async run({ status }, { jobs }) {
    const tasks = (await jobs.list()).filter(task => status === undefined || task.status === status)
    return { tasks: tasks.map(shortened) }
  },
  present({ tasks }) {
    return { title: `${tasks.length} tasks`, content: tasks.map(line).join('\n') || 'There are none.' }
  }
})

const shortened = (task: Task): Task =>
  task.command === undefined || task.command.length <= LONGEST_COMMAND
    ? task
    : { ...task, command: `${task.command.slice(0, LONGEST_COMMAND)}…` }

function line({ task_id, status, tool, command, description, exit_code, output_bytes }: Task) {
  const what = description ?? command ?? tool
  const ended = typeof exit_code === 'number' ? ` ${exit_code}` : ''
  const printed = output_bytes === undefined ? '' : `, ${output_bytes} bytes of output`
  return `${task_id} ${status}${ended}: ${visible(what.trim().split('\n', 1)[0]!.slice(0, SHOWN_CHARACTERS))}${printed}`
}
