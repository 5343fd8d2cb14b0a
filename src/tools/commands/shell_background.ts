import { type Static, Type } from 'typebox'
import { invalidParam } from '../../errors.ts'
import { TerminalSize } from '../../tool/background-tasks.ts'
import { type Context, defineTool } from '../../tool/tool.ts'
import {
  checkCommand,
  commandFolder,
  commandParams,
  commandPreview,
  commandSubject,
  commandTitle,
  commandToStart,
  IsolationOutput
} from './lib/command-line.ts'

const START_TIMEOUT_MS = 15_000

const Input = Type.Object(
  {
    ...commandParams,
    interactive: Type.Optional(
      Type.Boolean({ description: 'Keep its standard input open for send_input. Without, it is empty.' })
    ),
    pty: Type.Optional(
      Type.Object(Type.Partial(TerminalSize).properties, {
        additionalProperties: false,
        description:
          'Give it a terminal, for programs that want one: `{"cols": 80, "rows": 24}`, which are the defaults. It can be ' +
          'written to.'
      })
    )
  },
  { additionalProperties: false }
)

export default defineTool({
  name: 'shell_background',
  category: 'commands',
  description:
    'Start a command line in the workspace and let it run on, such as a server or a watcher. Read what it prints with ' +
    'get_background_task; it ends by itself, by stop_background_task, or with the server.',
  input: Input,
  output: Type.Object({
    task_id: Type.String({ description: 'Names it to the task tools.' }),
    status: Type.String({ description: 'How it stands now.' }),
    isolation: IsolationOutput,
    own_ports: Type.Optional(
      Type.Boolean({ description: 'Ports that it may open are reached from within its sandbox alone.' })
    )
  }),
  timeout_ms: START_TIMEOUT_MS,
  effect: 'execute',
  capturesOutput: true,
  subject: input => ({
    ...commandSubject(input, [...(input.interactive ? ['open input'] : []), ...(input.pty ? ['a terminal'] : [])]),
    longRunning: true
  }),
  check(input, ctx) {
    checkCommand(input, ctx)
    if (input.pty && input.separate_streams)
      throw invalidParam('separate_streams', 'needs pipes: a terminal has one stream.')
  },
  preview: (input, ctx) => {
    const pty = terminalSize(input)
    const shown = commandPreview(input, [
      'It runs on in the background.',
      ...(pty ? [`It gets a terminal of ${pty.cols} columns and ${pty.rows} rows.`] : []),
      ...(input.interactive || pty ? ['Its input stays open: what is written there later is asked about then.'] : [])
    ])
    return { ...shown, notes: [...(shown.notes ?? []), ...(hasPrivatePorts(ctx) ? [PRIVATE_PORTS_NOTE] : [])] }
  },
  async run(input, ctx) {
    const { command, cwd = '.', description, interactive = false, separate_streams = false } = input
    const pty = terminalSize(input)
    const { host, isolation, jobs } = ctx
    jobs.assertCapacity()
    const started = await host.processes.start({
      ...commandToStart(input, ctx),
      cwd: commandFolder(input, ctx),
      isolation,
      interactive,
      pty,
      mergeStreams: !separate_streams
    })
    try {
      const { task_id, status } = await jobs.adopt(started, {
        command,
        cwd,
        interactive: interactive || pty !== undefined,
        ...(description !== undefined && { description }),
        ...(pty && { pty })
      })
      return { task_id, status, isolation: started.isolation, ...(hasPrivatePorts(ctx) && { own_ports: true }) }
    } finally {
      started.release()
    }
  },
  present({ task_id, status, own_ports }, input) {
    return {
      title: commandTitle(input),
      content: [
        `Started in the background as ${task_id}, ${status}. Read what it prints with get_background_task.`,
        ...(own_ports ? [PRIVATE_PORTS_NOTE] : [])
      ].join('\n'),
      metadata: { task_id }
    }
  }
})

const DEFAULT_SIZE = { cols: 80, rows: 24 }
const terminalSize = ({ pty }: Static<typeof Input>) => pty && { ...DEFAULT_SIZE, ...pty }

/** A server is started to be reached. A read-only command is none. */
const hasPrivatePorts = ({ isolation: { level }, isReadOnly }: Context) =>
  (level === 'workspace' || level === 'read-only') && !isReadOnly
const PRIVATE_PORTS_NOTE =
  'Nothing outside its sandbox reaches the ports that it opens: ask with isolation none for a server.'
