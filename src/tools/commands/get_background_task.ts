import { type Static, Type } from 'typebox'
import type { BackgroundTask } from '../../protocol/jobs.ts'
import { formatQuarantineNotes, quarantineFields, toQuarantineReport } from '../../protocol/quarantine-report.ts'
import { stripControlSequences } from '../../text/control-sequences.ts'
import { toShownOutput } from '../../text/shown-output.ts'
import { statusText } from '../../text/status-text.ts'
import type { RunContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'

const MAX_WAIT_MS = 30_000
/** Time limit for the exit to be reported after the end of the output. */
const END_TIMEOUT_MS = 2_000
const DEFAULT_BYTES = 16_384

const Input = Type.Object(
  {
    task_id: Type.String({ description: 'Task id from shell_background or list_background_tasks.' }),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Byte offset: next_offset of the last result.'
      })
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65_536,
        description: `Maximum bytes to return. Default: ${DEFAULT_BYTES}.`
      })
    ),
    wait_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_MS,
        description: 'Time to wait for more output or the end of the task.'
      })
    ),
    stream: Type.Optional(
      Type.Enum(['output', 'stdout', 'stderr'], {
        description: 'Stream. Default: `output` (stdout and stderr combined).'
      })
    )
  },
  { additionalProperties: false }
)

const Output = Type.Object({
  task_id: Type.String({ description: 'Task id.' }),
  kind: Type.Enum(['job', 'call'], { description: '`job`: background command. `call`: background call.' }),
  status: Type.String({
    description: 'Status: running, exited, stopped, interrupted or lost; for a background call the status of the call.'
  }),
  output: Type.String({
    description: 'Output of the task from `offset`. Output of a terminal is returned without control sequences.'
  }),
  offset: Type.Integer({ description: 'Byte offset at which `output` starts.' }),
  next_offset: Type.Integer({ description: '`offset` for the next request.' }),
  ended: Type.Boolean({ description: 'True if the task has ended and there is no more output.' }),
  dropped: Type.Optional(
    Type.Object(
      {
        from: Type.Integer({ description: 'Byte offset at which the dropped output starts.' }),
        bytes: Type.Integer({ description: 'Size of the dropped output in bytes.' })
      },
      { description: 'Output that was dropped because it exceeded the limit.' }
    )
  ),
  exit_code: Type.Optional(
    Type.Union([Type.Integer(), Type.Null()], { description: 'Exit code; null if a signal ended the command.' })
  ),
  signal: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'Signal that ended the command.' })),
  reason: Type.Optional(Type.String({ description: 'Reason why the task was ended.' })),
  ...quarantineFields,
  result: Type.Optional(
    Type.Object(
      {
        title: Type.String({ description: 'Result of the call in one line.' }),
        content: Type.String({ description: 'Result of the call as text.' }),
        data: Type.Unknown({ description: 'Structured result of the call.' })
      },
      { description: 'Result of a background call that succeeded.' }
    )
  )
})
type Output = Static<typeof Output>

export default defineTool({
  name: 'get_background_task',
  category: 'commands',
  description: 'Returns the status of a background task and its output from a byte offset.',
  input: Input,
  output: Output,
  timeout_ms: MAX_WAIT_MS + 5_000,
  effect: 'read',
  traits: { idempotent: true },
  request: () => ({}),
  async run({ task_id, offset = 0, limit = DEFAULT_BYTES, wait_ms = 0, stream = 'output' }, { jobs, signal }) {
    const { kind, pty } = jobs.get(task_id)
    if (kind === 'call') await jobs.wait(task_id, { ms: wait_ms, signal })
    const query = { stream, offset, limit, wait_ms: kind === 'call' ? 0 : wait_ms, signal }
    const { text, ended, ...page } = await jobs.output(task_id, query)
    // Output ends a moment before the exit is known.
    const task = ended ? await jobs.wait(task_id, { ms: END_TIMEOUT_MS, signal }) : jobs.get(task_id)
    const plain = pty ? stripControlSequences(text, ended) : { text, held_bytes: 0 }
    return {
      task_id,
      kind,
      status: task.status,
      output: plain.text,
      ...page,
      next_offset: page.next_offset - plain.held_bytes,
      ended: ended && task.ended_at !== undefined,
      ...endFields(task),
      ...toQuarantineReport(task),
      ...(await resultFields(jobs, task))
    }
  },
  present(answer, { offset = 0 }) {
    const { task_id, output, next_offset, ended, dropped, result, status } = answer
    const more = ended ? '' : ` Continue with offset ${next_offset}.`
    // The result includes the output, except for a caller that continues at an offset.
    const includesOutput = result !== undefined && offset === 0
    return {
      title: `${task_id} ${status}`,
      content: [
        ...(dropped ? [`[${dropped.bytes} bytes of output, from byte ${dropped.from}, were dropped]`] : []),
        ...(output === '' || includesOutput ? [] : [toShownOutput(output).replace(/\n$/, '')]),
        ...(result ? [result.content] : []),
        `[${ending(answer)}.${more}]`,
        ...formatQuarantineNotes(answer).map(note => `[${note}]`)
      ].join('\n'),
      metadata: { status }
    }
  }
})

const endFields = ({ exit_code, signal, reason }: BackgroundTask) => ({
  ...(exit_code !== undefined && { exit_code }),
  ...(signal !== undefined && { signal }),
  ...(reason !== undefined && { reason })
})

async function resultFields(jobs: RunContext['jobs'], { task_id, ended_at }: BackgroundTask) {
  const result = ended_at === undefined ? undefined : await jobs.result(task_id)
  return result && { result: { title: result.title, content: result.content, data: result.data } }
}

function ending({ kind, status, exit_code, signal, reason }: Output) {
  if (typeof exit_code === 'number' && status === 'exited') return `Exit code ${exit_code}`
  const how = `The ${kind === 'job' ? 'command' : 'call'} ${statusText(status)}${signal ? ` (${signal})` : ''}`
  return reason === undefined ? how : `${how}: ${reason.replace(/\.$/, '')}`
}
