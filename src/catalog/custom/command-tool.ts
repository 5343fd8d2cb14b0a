// A tool that configuration makes of a command: its words with the params in their places, started without a shell.
import type { CommandTool } from '../../config/custom-tools.ts'
import { invalidParam, ToolError } from '../../errors.ts'
import type { Environment } from '../../host/processes/environment.ts'
import type { ShellResult } from '../../host/processes/processes.ts'
import { fillTemplate, PlaceFault, templateFaults } from '../../text/argv-template.ts'
import { shellWords } from '../../text/shell-quote.ts'
import type { Context, Invocation, Progress, Tool } from '../../tool/tool.ts'
import { DEFAULT_TIMEOUT_MS } from './definition.ts'
import { outputOf, presentedBy } from './module-tool.ts'
import { type Check, DefinitionFault, objectSchema } from './schemas.ts'
import { CLEAN_UP_MS, TRACK_MS, whileTracked } from './track-changes.ts'

type Params = Record<string, unknown>

/** What is read of standard output. */
const MOST_BYTES = 4 * 1024 * 1024
const TOLD_CHARACTERS = 2_000
const NO_PARAMS = { type: 'object', properties: {} }

/** `version` tells this tool from another one of the same name. */
export function commandTool(name: string, command: CommandTool, environment: Environment, version: string): Tool {
  const { description, effect = 'execute', timeout_ms = DEFAULT_TIMEOUT_MS, network = [], env_allow = [] } = command
  const { schema: input } = objectSchema('input', command.input ?? NO_PARAMS)
  const { schema: output, check } = objectSchema('output', command.output)
  const [fault] = templateFaults(command.argv, Object.keys((input.properties ?? {}) as object))
  if (fault !== undefined) throw new DefinitionFault(`argv: ${fault}.`)
  const env = { ...command.env, ...picked(environment, env_allow) }
  const tool: Tool<never, never> = {
    name,
    version,
    category: 'custom',
    description,
    input: input as never,
    output: output as never,
    timeout_ms: timeout_ms + CLEAN_UP_MS + (effect === 'read' ? 0 : TRACK_MS),
    effect,
    captures_output: true,
    subject: () => ({ isolation: { network } }),
    invocation: (params): Invocation => ({ argv: wordsFor(command, params), cwd: command.cwd ?? '.', name, network }),
    preview: (params, { invocation }) => ({
      title: `Run ${name}`,
      text: [
        shellWords(invocation!.argv),
        `cwd: ${invocation!.cwd}`,
        ...(command.stdin === 'json' ? [`stdin: ${JSON.stringify(params)}`] : [])
      ].join('\n')
    }),
    async *run(params, ctx): AsyncGenerator<Progress, never> {
      const run = ran(command, { params, ctx, env, timeout_ms })
      const printed = yield* ctx.isolation.level === 'strict' ? run : whileTracked(ctx, run)
      return answered(name, command, printed, check) as never
    },
    present: answer => presentedBy({ name }, answer)
  }
  return tool as unknown as Tool
}

function wordsFor({ argv }: CommandTool, params: Params): string[] {
  try {
    return fillTemplate(argv, params)
  } catch (error) {
    throw error instanceof PlaceFault ? invalidParam(error.param, error.message) : error
  }
}

interface Run {
  params: Params
  ctx: Context
  env: Readonly<Record<string, string>>
  timeout_ms: number
}

async function* ran(
  { stdin }: CommandTool,
  { params, ctx, env, timeout_ms }: Run
): AsyncGenerator<Progress, ShellResult & { printed: string; whole: boolean }> {
  const { invocation, isolation, host } = ctx
  const { argv, cwd } = invocation!
  const running = host.processes.run({
    argv,
    cwd,
    env,
    isolation,
    timeout_ms,
    ...(stdin === 'json' && { stdin: JSON.stringify(params) })
  })
  let step = await running.next()
  try {
    for (; !step.done; step = await running.next()) yield { delta: step.value }
    const { text: printed, whole } = await host.processes.printed(MOST_BYTES)
    return { ...step.value, printed, whole }
  } finally {
    if (!step.done) await running.return(undefined as never)
  }
}

function answered(
  name: string,
  { answer = 'text' }: CommandTool,
  { printed, whole, stderr, exit_code, signal, timed_out }: ShellResult & { printed: string; whole: boolean },
  check: Check
): Params {
  const details = { exit_code, signal, stderr: stderr.slice(-TOLD_CHARACTERS), stdout: printed.slice(-TOLD_CHARACTERS) }
  const failed = (message: string) => new ToolError('EXECUTION_ERROR', `${name} ${message}`, details)
  if (timed_out) throw new ToolError('TIMEOUT', `${name} was ended at its time limit.`, details)
  if (exit_code !== 0) {
    const how = signal === null ? `ended with code ${exit_code}` : `was ended by ${signal}`
    const last = (stderr.trim() || printed.trim()).slice(-TOLD_CHARACTERS)
    throw failed(last === '' ? `${how}.` : `${how}: ${last}`)
  }
  if (!whole) throw new ToolError('TOO_LARGE', `${name} printed more than ${MOST_BYTES} bytes.`)
  const output = outputOf(answer === 'json' ? parsed(printed, failed) : printed)
  const [fault] = check(output)
  if (fault !== undefined) throw failed(`answered what its output schema does not allow: ${fault}.`)
  return output
}

function parsed(text: string, failed: (message: string) => ToolError): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw failed(`printed no JSON: ${(error as Error).message}`)
  }
}

function picked(environment: Environment, names: readonly string[]): Record<string, string> {
  const found = names.flatMap(name => (environment[name] === undefined ? [] : [[name, environment[name]] as const]))
  return Object.fromEntries(found)
}
