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
    task_id: Type.String({ description: 'As shell_background or list_background_tasks gave it.' }),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Where to read its output, in bytes: the next_offset of the last answer.'
      })
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 65_536, description: `Most bytes to read; ${DEFAULT_BYTES} by default.` })
    ),
    wait_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_MS,
        description: 'How long to wait for more output, or for its end, where there is nothing at the offset yet.'
      })
    ),
    stream: Type.Optional(
      Type.Enum(['output', 'stdout', 'stderr'], {
        description: '`output`, the default, is both. `stderr` is empty unless `separate_streams` was given.'
      })
    )
  },
  { additionalProperties: false }
)

const Output = Type.Object({
  task_id: Type.String({ description: 'The task.' }),
  kind: Type.Enum(['job', 'call'], { description: '`job`: a command in the background. `call`: a call.' }),
  status: Type.String({ description: 'running, exited, stopped, interrupted or lost; of a call its status.' }),
  output: Type.String({ description: 'What it printed, from `offset` on; of a terminal without control sequences.' }),
  offset: Type.Integer({ description: 'Where `output` begins, in bytes of the stream.' }),
  next_offset: Type.Integer({ description: 'Where to read on.' }),
  ended: Type.Boolean({ description: 'It has ended, and nothing follows.' }),
  dropped: Type.Optional(
    Type.Object(
      {
        from: Type.Integer({ description: 'Where it began.' }),
        bytes: Type.Integer({ description: 'Its size.' })
      },
      { description: 'Output that was over the limit and not kept.' }
    )
  ),
  exit_code: Type.Optional(Type.Union([Type.Integer(), Type.Null()], { description: 'Null when a signal ended it.' })),
  signal: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'The signal that ended it.' })),
  reason: Type.Optional(Type.String({ description: 'Why it ended, where it did not by itself.' })),
  ...quarantineFields,
  result: Type.Optional(
    Type.Object(
      {
        title: Type.String({ description: 'What came of it, in a line.' }),
        content: Type.String({ description: 'The same as text.' }),
        data: Type.Unknown({ description: "The tool's answer." })
      },
      { description: 'Of a call that has ended well: its result.' }
    )
  )
})
type Output = Static<typeof Output>

export default defineTool({
  name: 'get_background_task',
  category: 'commands',
  description:
    'Tell how a background task stands and what it has printed, by byte offset. With wait_ms, waits for more output or ' +
    'its end.',
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
    const more = ended ? '' : ` Read on at offset ${next_offset}.`
    // The result includes the output, except for a caller that continues at an offset.
    const includesOutput = result !== undefined && offset === 0
    return {
      title: `${task_id} ${status}`,
      content: [
        ...(dropped ? [`[${dropped.bytes} bytes from byte ${dropped.from} on were not kept]`] : []),
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
