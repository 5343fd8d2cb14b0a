import { type Static, Type } from 'typebox'
import { invalidParam } from '../../errors.ts'
import { JobPort, TerminalSize } from '../../protocol/jobs.ts'
import type { ReadContext } from '../../tool/contexts.ts'
import type { Preview } from '../../tool/plan.ts'
import { defineTool } from '../../tool/tool.ts'
import {
  checkCommand,
  commandFolder,
  commandParams,
  commandPreview,
  commandRequest,
  commandTitle,
  commandToStart,
  IsolationOutput
} from './lib/command-line.ts'

const START_TIMEOUT_MS = 15_000
const MAX_PORTS = 8
/** Lower ones need rights that no command has. */
const MIN_PORT = 1_024

const Input = Type.Object(
  {
    ...commandParams,
    interactive: Type.Optional(Type.Boolean({ description: 'Keep standard input open for send_input.' })),
    pty: Type.Optional(
      Type.Object(Type.Partial(TerminalSize).properties, {
        additionalProperties: false,
        description: 'Give the command a terminal of this size. Default: 80 × 24.'
      })
    ),
    ports: Type.Optional(
      Type.Array(Type.Integer({ minimum: MIN_PORT, maximum: 65_535 }), {
        minItems: 1,
        maxItems: MAX_PORTS,
        uniqueItems: true,
        description: 'TCP ports of HTTP servers to make reachable; the result has their URLs. Needs approval.'
      })
    )
  },
  { additionalProperties: false }
)

export default defineTool({
  name: 'shell_background',
  category: 'commands',
  description:
    'Starts a command in the background, such as a development server. Read its output with get_background_task; stop it with stop_background_task.',
  input: Input,
  output: Type.Object({
    task_id: Type.String({ description: 'Task id.' }),
    status: Type.String({ description: 'Status of the task.' }),
    isolation: IsolationOutput,
    ports: Type.Optional(Type.Array(JobPort, { description: 'URLs at which the ports are reachable.' })),
    own_ports: Type.Optional(
      Type.Boolean({ description: 'Note that the ports of the command are reachable only inside the sandbox.' })
    )
  }),
  timeout_ms: START_TIMEOUT_MS,
  effect: 'execute',
  traits: { capturesOutput: true },
  request(input) {
    const also = [...(input.interactive ? ['open input'] : []), ...(input.pty ? ['a terminal'] : [])]
    const command = commandRequest(input, also)
    return {
      command: {
        ...command,
        ...(input.ports && { isolation: { ...command.isolation, ports: input.ports } }),
        longRunning: true
      }
    }
  },
  plan(input, ctx) {
    checkCommand(input, ctx)
    if (input.pty && input.separate_streams)
      throw invalidParam('separate_streams', 'must not be combined with `pty`: a terminal has only one output stream.')
    return { state: undefined, preview: () => previewStart(input, ctx) }
  },
  async run(input, ctx) {
    const { command, cwd = '.', description, interactive = false, separate_streams = false } = input
    const pty = terminalSize(input)
    const { host, jobs } = ctx
    jobs.assertCapacity()
    const started = await host.processes.start({
      ...commandToStart(input, ctx),
      cwd: commandFolder(input, ctx),
      isolation: ctx.command.isolation,
      interactive,
      pty,
      mergeStreams: !separate_streams
    })
    try {
      const { task_id, status, ports } = await jobs.adopt(started, {
        command,
        cwd,
        interactive: interactive || pty !== undefined,
        ...(description !== undefined && { description }),
        ...(pty && { pty }),
        ...(input.ports && { ports: input.ports })
      })
      return {
        task_id,
        status,
        isolation: started.isolation,
        ...(ports && { ports }),
        ...(!ports && hasPrivatePorts(ctx) && { own_ports: true })
      }
    } finally {
      started.release()
    }
  },
  present({ task_id, status, ports = [], own_ports }, input) {
    return {
      title: commandTitle(input),
      content: [
        `Started in the background as ${task_id}, ${status}. Read its output with get_background_task.`,
        ...ports.map(({ port, url }) => `Port ${port} is reachable at ${url} with a token of this server.`),
        ...(ports.length > 0 ? [`To open it in a browser, a person runs: toolgate open ${task_id}`] : []),
        ...(own_ports ? [PRIVATE_PORTS_NOTE] : [])
      ].join('\n'),
      metadata: { task_id }
    }
  }
})

const DEFAULT_SIZE = { cols: 80, rows: 24 }
const terminalSize = ({ pty }: Static<typeof Input>) => pty && { ...DEFAULT_SIZE, ...pty }

function previewStart(input: Static<typeof Input>, ctx: ReadContext): Preview {
  const pty = terminalSize(input)
  const shown = commandPreview(input, [
    ...(input.ports ? [`ports: ${input.ports.join(', ')}`] : []),
    'The command continues in the background.',
    ...(pty ? [`Runs in a terminal of ${pty.cols} columns and ${pty.rows} rows.`] : []),
    ...(input.interactive || pty ? ['Standard input stays open; each later input needs approval.'] : [])
  ])
  return { ...shown, notes: [...(shown.notes ?? []), ...portNotes(input, ctx)] }
}

/** A server is started to be reached. A read-only command is none. */
const hasPrivatePorts = ({
  command: {
    isolation: { level },
    isReadOnly
  }
}: ReadContext) => (level === 'workspace' || level === 'read-only') && !isReadOnly
const PRIVATE_PORTS_NOTE =
  'Ports that the command opens are reachable only in the sandbox. To make one reachable from outside, list it in `ports`.'

function portNotes({ ports }: Static<typeof Input>, ctx: ReadContext): string[] {
  if (ports) return [FORWARDED_PORTS_NOTE]
  return hasPrivatePorts(ctx) ? [PRIVATE_PORTS_NOTE] : []
}
const FORWARDED_PORTS_NOTE =
  "The command's ports become reachable through this server, with a token of the server. Pages that you open run scripts in your browser, which has network access even if the command has none."
