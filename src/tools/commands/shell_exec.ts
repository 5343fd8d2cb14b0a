import { type Static, Type } from 'typebox'
import { invalidParam, ToolError } from '../../errors.ts'
import { type Context, defineTool, type Progress } from '../../tool.ts'

const DEFAULT_TIMEOUT_MS = 120_000
const MAX_TIMEOUT_MS = 600_000
// For the command to be ended and what it left to be swept up, after its own time limit.
const CLEAN_UP_MS = 5_000
// For looking at all files before and after.
const TRACK_MS = 60_000

const Input = Type.Object(
  {
    command: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: 'Command line, run by bash (or sh where there is none).'
    }),
    cwd: Type.Optional(
      Type.String({ description: 'Folder to run it in, relative to the workspace root, which is the default.' })
    ),
    env: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }), Type.String(), {
        additionalProperties: false,
        description: 'Environment variables to set. Names that begin with TOOLGATE_ are left out.'
      })
    ),
    timeout_ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_TIMEOUT_MS,
        description: `Time after which it is ended; ${DEFAULT_TIMEOUT_MS} by default.`
      })
    ),
    stdin: Type.Optional(Type.String({ description: 'Standard input; empty by default.' })),
    description: Type.Optional(Type.String({ description: 'What it is for, in a few words for the approver.' })),
    track_changes: Type.Optional(
      Type.Boolean({
        description:
          'Tell what it changes in the workspace as changes of this call, so that undo takes them back. Ignored files ' +
          'and `.git` are left out. What others change meanwhile counts as its doing.'
      })
    )
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const Tracked = Type.Object(
  {
    files: Type.Integer({ description: 'Files whose content was kept before it ran.' }),
    bytes: Type.Integer({ description: 'Their size.' }),
    not_covered: Type.Optional(
      Type.Integer({
        description: 'Files that are too large, too much together, or may not be read: undo cannot bring these back.'
      })
    ),
    shared: Type.Optional(
      Type.Boolean({
        description: 'Another tracked command ran at the same time: whose change is whose cannot be told.'
      })
    )
  },
  { description: 'What its changes were held against, where they were tracked.' }
)
type Tracked = Static<typeof Tracked>

const Output = Type.Object({
  stdout: Type.String({ description: 'Standard output; its beginning and end where it is long.' }),
  stderr: Type.String({ description: 'Standard error, likewise.' }),
  output: Type.String({ description: 'Both, interleaved as they came, likewise.' }),
  exit_code: Type.Union([Type.Integer(), Type.Null()], { description: 'Null when a signal ended it.' }),
  signal: Type.Union([Type.String(), Type.Null()], { description: 'The signal that ended it.' }),
  timed_out: Type.Boolean({ description: 'It was ended because its time limit passed.' }),
  duration_ms: Type.Integer({ description: 'From its start to the end of its output.' }),
  survivors: Type.Array(Type.Integer(), {
    description: 'Processes that it left running in the background; they were ended with it.'
  }),
  truncated: Type.Boolean({ description: 'Part of the output is left out here; the whole can be read by offset.' }),
  isolation: Type.Enum(['none'], { description: 'What kept it from the rest of the machine.' }),
  changes_tracked: Type.Optional(Tracked)
})

export default defineTool({
  name: 'shell_exec',
  category: 'commands',
  description:
    'Run a command line in the workspace and wait for it. Background processes are ended when it ends. A command that ' +
    'fails is still a result: look at exit_code.',
  input: Input,
  output: Output,
  timeout_ms: ({ timeout_ms = DEFAULT_TIMEOUT_MS, track_changes }) =>
    timeout_ms + CLEAN_UP_MS + (track_changes ? TRACK_MS : 0),
  effect: 'execute',
  captures_output: true,
  subject: ({ command, cwd = '.', env, stdin }) => ({
    command,
    cwd,
    alters: [...(env && Object.keys(env).length > 0 ? ['env'] : []), ...(stdin === undefined ? [] : ['stdin'])]
  }),
  check(input, ctx) {
    for (const [name, text] of texts(input))
      if (text.includes('\0')) throw invalidParam(name, 'holds a null character.')
    folder(input, ctx)
  },
  preview: input => {
    const shown = [input.command, `cwd: ${input.cwd ?? '.'}`]
    for (const [name, value] of Object.entries(input.env ?? {})) shown.push(`env: ${name}=${value}`)
    if (input.stdin !== undefined) shown.push(`stdin: ${input.stdin}`)
    const literal = shown.join('\n')
    const text = visible(literal)
    return {
      title: visible(firstLine(input.command)),
      text,
      notes: [
        ...(input.description === undefined ? [] : [`The caller says: ${visible(input.description)}`]),
        ...(text === literal ? [] : ['It holds control or invisible characters, shown here as \\u{…}.'])
      ]
    }
  },
  run: (input, ctx) => (input.track_changes ? tracked(input, ctx) : executed(input, ctx)),
  present(output, { command }) {
    const { output: text, truncated, exit_code, survivors } = output
    const lines = [...(text === '' ? [] : [text.replace(/\n$/, '')]), `[${ending(output)}]`]
    lines.push(...trackingNotes(output))
    if (survivors.length > 0) lines.push(`[Left running in the background, and ended: ${survivors.join(', ')}]`)
    return {
      title: visible(firstLine(command)),
      content: lines.join('\n'),
      metadata: { exit_code, duration_ms: output.duration_ms },
      ...(truncated && { truncated })
    }
  }
})

type Running = AsyncGenerator<Progress, Static<typeof Output>, void>

async function* tracked(input: Input, ctx: Context): Running {
  const tracking = await ctx.host.track()
  let changes_tracked: Tracked | undefined
  let output: Static<typeof Output> | undefined
  try {
    output = yield* executed(input, ctx)
  } finally {
    // However it ended: it may have changed something by then.
    const { not_covered, shared, ...covered } = await tracking.finish()
    changes_tracked = { ...covered, ...(not_covered > 0 && { not_covered }), ...(shared && { shared }) }
  }
  return { ...output, changes_tracked }
}

async function* executed(input: Input, ctx: Context): Running {
  const { command, env, stdin, timeout_ms = DEFAULT_TIMEOUT_MS } = input
  const running = ctx.host.processes.shell({ command, cwd: folder(input, ctx), env, stdin, timeout_ms })
  let step = await running.next()
  try {
    for (; !step.done; step = await running.next()) yield { delta: step.value }
    return { ...step.value, isolation: 'none' }
  } finally {
    if (!step.done) await running.return(undefined as never)
  }
}

function folder({ cwd = '.' }: Input, { host }: Context) {
  const { path, kind } = host.files.resolve(cwd)
  if (kind === 'missing') throw new ToolError('FILE_NOT_FOUND', `${cwd} does not exist.`, { path: cwd })
  if (kind !== 'directory') throw new ToolError('NOT_A_DIRECTORY', `${cwd} is not a folder.`, { path: cwd })
  return path
}

function texts({ command, env = {} }: Input): [name: string, text: string][] {
  return [['command', command], ...Object.entries(env).map(([name, value]): [string, string] => [`env/${name}`, value])]
}

function ending({ exit_code, signal, timed_out, duration_ms }: Static<typeof Output>) {
  if (timed_out) return `Ended at its time limit, after ${duration_ms} ms`
  return signal === null ? `Exit code ${exit_code}` : `Ended by ${signal}`
}

function trackingNotes({ changes_tracked }: Static<typeof Output>): string[] {
  const { not_covered, shared } = changes_tracked ?? {}
  return [
    ...(not_covered === undefined ? [] : [`[Files that an undo could not bring back: ${not_covered}]`]),
    ...(shared ? ['[Another tracked command ran at the same time: whose change is whose cannot be told]'] : [])
  ]
}

const firstLine = (command: string) => command.trimStart().split('\n', 1)[0]!

// What a screen would obey or hide instead of showing it. Line ends and tabs are plain enough.
const visible = (text: string) =>
  text.replace(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, character => `\\u{${character.codePointAt(0)!.toString(16)}}`)
