import { Type } from 'typebox'
import type { Level } from '../../host/sandbox/sandbox.ts'
import { TerminalSize } from '../../tool/tasks.ts'
import { defineTool } from '../../tool.ts'
import {
  checkCommand,
  commandFolder,
  commandParams,
  commandPreview,
  commandSubject,
  commandTitle,
  commandToStart,
  Isolation
} from './command-line.ts'

const START_MS = 15_000

const Input = Type.Object(
  {
    ...commandParams,
    interactive: Type.Optional(
      Type.Boolean({ description: 'Keep its standard input open for send_input. Without, it is empty.' })
    ),
    pty: Type.Optional(
      Type.Object(TerminalSize.properties, {
        additionalProperties: false,
        description: 'Give it a terminal of this size, for programs that want one. It can be written to.'
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
    isolation: Isolation
  }),
  timeout_ms: START_MS,
  effect: 'execute',
  captures_output: true,
  subject: input => ({
    ...commandSubject(input, [...(input.interactive ? ['open input'] : []), ...(input.pty ? ['a terminal'] : [])]),
    lasts: true
  }),
  check: checkCommand,
  preview: (input, { isolation }) => {
    const shown = commandPreview(input, [
      'It runs on in the background.',
      ...(input.pty ? [`It gets a terminal of ${input.pty.cols} columns and ${input.pty.rows} rows.`] : []),
      ...(input.interactive || input.pty
        ? ['Its input stays open: what is written there later is asked about then.']
        : [])
    ])
    return { ...shown, notes: [...(shown.notes ?? []), ...portNotes(isolation.level)] }
  },
  async run(input, ctx) {
    const { command, cwd = '.', description, interactive = false, pty } = input
    const { host, isolation, jobs } = ctx
    jobs.mustHaveRoom()
    const started = await host.processes.start({
      ...commandToStart(input, ctx),
      cwd: commandFolder(input, ctx),
      isolation,
      interactive,
      pty
    })
    try {
      const { task_id, status } = await jobs.adopt(started, {
        command,
        cwd,
        interactive: interactive || pty !== undefined,
        ...(description !== undefined && { description }),
        ...(pty && { pty })
      })
      return { task_id, status, isolation: started.isolation }
    } finally {
      started.leave()
    }
  },
  present({ task_id, status, isolation }, input) {
    return {
      title: commandTitle(input),
      content: [
        `Started in the background as ${task_id}, ${status}. Read what it prints with get_background_task.`,
        ...portNotes(isolation)
      ].join('\n'),
      metadata: { task_id }
    }
  }
})

/** Whoever starts a server means to reach it. */
const portNotes = (level: Level): string[] =>
  level === 'workspace' || level === 'strict'
    ? ['Nothing outside its sandbox reaches the ports that it opens: ask with isolation none for a server.']
    : []
