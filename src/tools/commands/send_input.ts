import { Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import { InputText } from '../../protocol/jobs.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { statusText } from '../../text/status-text.ts'
import type { ReadContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'

export default defineTool({
  name: 'send_input',
  category: 'commands',
  description:
    'Writes to a background command that was started with interactive or pty. End lines with \\n, or with \\r for a terminal.',
  input: Type.Object(
    {
      task_id: Type.String({ description: 'Task id from shell_background.' }),
      text: InputText,
      end: Type.Optional(Type.Boolean({ description: 'Close standard input.' }))
    },
    { additionalProperties: false }
  ),
  output: Type.Object({
    task_id: Type.String({ description: 'Task id.' }),
    status: Type.String({ description: 'Status of the task.' }),
    next_offset: Type.Integer({ description: 'Byte offset at which the output after this input starts.' })
  }),
  timeout_ms: 10_000,
  effect: 'execute',
  traits: { skipsQueue: true },
  request: ({ task_id }) => ({
    earlierCalls: { ids: [task_id] },
    reasons: { approval: 'Sends input to a running command.' }
  }),
  plan({ task_id, text, end }, ctx) {
    const { command = '', cwd = '.', session_id, client } = requireInteractiveTask(task_id, ctx)
    return {
      state: undefined,
      command: { cwd, execution: { line: command, stdin: text } },
      preview: () => ({
        title: `Write to ${task_id}`,
        text: [`input: ${escapeInvisible(JSON.stringify(text))}`, ...(end ? ['end of input'] : [])].join('\n'),
        notes: [`Target: ${escapeInvisible(command)}`, `Started by ${client} in session ${session_id}.`]
      })
    }
  },
  async run({ task_id, text, end }, { jobs }) {
    const { output_bytes = 0 } = jobs.get(task_id)
    await jobs.input(task_id, { text, end })
    return { task_id, status: jobs.get(task_id).status, next_offset: output_bytes }
  },
  present: ({ task_id, status, next_offset }) => ({
    title: `${task_id} ${status}`,
    content: `Written. Read the response with get_background_task from offset ${next_offset}.`
  })
})

/** Returns the task if it accepts input. */
function requireInteractiveTask(task_id: string, { jobs }: ReadContext) {
  const task = jobs.get(task_id)
  if (task.status !== 'running')
    throw new ToolError('CONFLICT', `The command ${statusText(task.status)} and no longer reads input.`)
  if (task.interactive) return task
  throw new ToolError(
    'CONFLICT',
    'The command accepts no input. Start the command again with shell_background and `interactive` or `pty`.',
    { task_id }
  )
}
