import { Type } from 'typebox'
import type { StopSignal } from '../../host/processes/command/command.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { statusText } from '../../text/status-text.ts'
import { defineTool } from '../../tool/tool.ts'

const SIGNALS = ['TERM', 'INT', 'KILL', 'HUP'] as const

export default defineTool({
  name: 'stop_background_task',
  category: 'commands',
  description: 'Terminates a background task, by force if needed; with `signal`, only sends this signal.',
  input: Type.Object(
    {
      task_id: Type.String({ description: 'Task id from shell_background or list_background_tasks.' }),
      signal: Type.Optional(Type.Enum([...SIGNALS], { description: 'Signal to send instead of terminating.' }))
    },
    { additionalProperties: false }
  ),
  output: Type.Object({
    task_id: Type.String({ description: 'Task id.' }),
    status: Type.String({ description: 'Status of the task.' }),
    exit_code: Type.Optional(
      Type.Union([Type.Integer(), Type.Null()], { description: 'Exit code; null if a signal ended the command.' })
    ),
    signal: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'Signal that ended the command.' }))
  }),
  timeout_ms: 40_000,
  effect: 'execute',
  traits: { skipsQueue: true },
  request: ({ task_id, signal }, { history }) => ({
    earlierCalls: { ids: [task_id], ownedBySession: history.isOwn(task_id) },
    reasons: { approval: signal ? 'Sends a signal to a running task.' : 'Terminates a running task.' }
  }),
  plan({ task_id, signal }, { jobs }) {
    const { command, tool, session_id, client } = jobs.get(task_id)
    return {
      state: undefined,
      preview: () => ({
        title: `Stop ${task_id}`,
        text: escapeInvisible([command ?? tool, ...(signal ? [`signal: ${signal}`] : [])].join('\n')),
        notes: [`Started by ${client} in session ${session_id}.`]
      })
    }
  },
  async run({ task_id, signal }, { jobs }) {
    const name: StopSignal | undefined = signal && `SIG${signal}`
    const { status, exit_code, signal: by } = await jobs.stop(task_id, name)
    return {
      task_id,
      status,
      ...(exit_code !== undefined && { exit_code }),
      ...(by !== undefined && { signal: by })
    }
  },
  present: ({ task_id, status }) => ({ title: `${task_id} ${status}`, content: `${task_id} ${statusText(status)}.` })
})
