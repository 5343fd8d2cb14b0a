// Command tools: a command template from the configuration, with params as arguments, started without a shell.
import type { CommandTool } from '../../config/custom-tools.ts'
import { invalidParam, ToolError } from '../../errors.ts'
import type { Environment } from '../../host/processes/environment.ts'
import type { ShellResult } from '../../host/processes/processes.ts'
import type { TraceHeaders } from '../../protocol/trace-context.ts'
import { fillTemplate, TemplateParamError, validateTemplate } from '../../text/argv-template.ts'
import { parseWithExactNumbers } from '../../text/json-numbers.ts'
import { redactParamsForDecision } from '../../text/secrets/credentials.ts'
import { quoteArgv } from '../../text/shell-quote.ts'
import type { RunContext } from '../../tool/contexts.ts'
import type { Preview } from '../../tool/plan.ts'
import type { Invocation } from '../../tool/request.ts'
import type { Progress } from '../../tool/result.ts'
import type { Tool } from '../../tool/tool.ts'
import { CLEANUP_TIMEOUT_MS, DEFAULT_TIMEOUT_MS } from './definition.ts'
import { toOutput, toPresented } from './module-tool.ts'
import { DefinitionError, parseObjectSchema, type ValueValidator } from './schemas.ts'

type Params = Record<string, unknown>

/** Maximum number of bytes read from standard output. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024
const MAX_ERROR_LENGTH = 2_000
const NO_PARAMS = { type: 'object', properties: {} }

/** Creates the tool. `version` distinguishes it from another one of the same name. */
export function createCommandTool(name: string, command: CommandTool, environment: Environment, version: string): Tool {
  const { description, effect = 'execute', timeout_ms = DEFAULT_TIMEOUT_MS, network = [], env_allow = [] } = command
  const { schema: input } = parseObjectSchema('input', command.input ?? NO_PARAMS)
  const { schema: output, check } = parseObjectSchema('output', command.output)
  const [issue] = validateTemplate(command.argv, Object.keys((input.properties ?? {}) as object))
  if (issue !== undefined) throw new DefinitionError(`argv: ${issue}.`)
  const env = { ...command.env, ...pickVariables(environment, env_allow) }
  const tool: Tool<never, never> = {
    name,
    version,
    category: 'custom',
    description,
    input: input as never,
    output: output as never,
    timeout_ms: timeout_ms + CLEANUP_TIMEOUT_MS,
    effect,
    traits: { capturesOutput: true },
    request: params => ({
      command: {
        program: { argv: buildArgv(command, params), cwd: command.cwd ?? '.', network },
        isolation: { network },
        tracks: true
      }
    }),
    plan: (params, _, request) => {
      const state = request.command!.program!
      return { state, preview: () => previewProgram(name, command, state, params) }
    },
    async *run(params, ctx, program: Invocation): AsyncGenerator<Progress, never> {
      const printed = yield* runCommand(command, { program, params, ctx, env, timeout_ms })
      return parseAnswer(name, command, printed, check) as never
    },
    present: answer => toPresented({ name }, answer)
  }
  return tool as unknown as Tool
}

function previewProgram(name: string, { stdin }: CommandTool, { argv, cwd }: Invocation, params: Params): Preview {
  return {
    title: `Run ${name}`,
    text: [
      quoteArgv(argv),
      `cwd: ${cwd}`,
      ...(stdin === 'json' ? [`stdin: ${JSON.stringify(redactParamsForDecision(params))}`] : [])
    ].join('\n')
  }
}

function buildArgv({ argv }: CommandTool, params: Params): string[] {
  try {
    return fillTemplate(argv, params)
  } catch (error) {
    throw error instanceof TemplateParamError ? invalidParam(error.param, error.message) : error
  }
}

interface CommandRun {
  program: Invocation
  params: Params
  ctx: RunContext
  env: Readonly<Record<string, string>>
  timeout_ms: number
}

async function* runCommand(
  { stdin }: CommandTool,
  { program: { argv, cwd }, params, ctx, env, timeout_ms }: CommandRun
): AsyncGenerator<Progress, ShellResult & { printed: string; whole: boolean }> {
  const { command, host, call } = ctx
  const running = host.processes.run({
    argv,
    cwd,
    env: { ...toTraceVariables(call.trace), ...env },
    isolation: command.isolation,
    timeout_ms,
    ...(stdin === 'json' && { stdin: JSON.stringify(params) })
  })
  let step = await running.next()
  try {
    for (; !step.done; step = await running.next()) yield { delta: step.value }
    const { text: printed, isComplete } = await host.processes.capturedStdout(MAX_OUTPUT_BYTES)
    return { ...step.value, printed, whole: isComplete }
  } finally {
    if (!step.done) await running.return(undefined as never)
  }
}

/** Environment variables by which programs pass a trace context on, as OpenTelemetry names them. */
const toTraceVariables = (trace: TraceHeaders | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(trace ?? {}).map(([name, value]) => [name.toUpperCase(), value]))

function parseAnswer(
  name: string,
  { answer = 'text' }: CommandTool,
  { printed, whole, stderr, exit_code, signal, timed_out }: ShellResult & { printed: string; whole: boolean },
  check: ValueValidator
): Params {
  const details = {
    exit_code,
    signal,
    stderr: stderr.slice(-MAX_ERROR_LENGTH),
    stdout: printed.slice(-MAX_ERROR_LENGTH)
  }
  const failed = (message: string) => new ToolError('EXECUTION_ERROR', `${name} ${message}`, details)
  if (timed_out) throw new ToolError('TIMEOUT', `${name} exceeded its time limit.`, details)
  if (exit_code !== 0) {
    const how = signal === null ? `ended with code ${exit_code}` : `was killed by ${signal}`
    const last = (stderr.trim() || printed.trim()).slice(-MAX_ERROR_LENGTH)
    throw failed(last === '' ? `${how}.` : `${how}: ${last}`)
  }
  if (!whole) throw new ToolError('TOO_LARGE', `${name} printed more than ${MAX_OUTPUT_BYTES} bytes.`)
  const output = toOutput(answer === 'json' ? parseJson(printed, failed) : printed)
  const [issue] = check(output)
  if (issue !== undefined) throw failed(`returned data that does not match its output schema: ${issue}.`)
  return output
}

function parseJson(text: string, failed: (message: string) => ToolError): unknown {
  try {
    return parseWithExactNumbers(text)
  } catch (error) {
    throw failed(`printed invalid JSON: ${(error as Error).message}`)
  }
}

function pickVariables(environment: Environment, names: readonly string[]): Record<string, string> {
  const found = names.flatMap(name => (environment[name] === undefined ? [] : [[name, environment[name]] as const]))
  return Object.fromEntries(found)
}
