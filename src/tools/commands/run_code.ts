import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { invalidParam, ToolError } from '../../errors.ts'
import { toQuarantineReport } from '../../protocol/quarantine-report.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { quoteArgv } from '../../text/shell-quote.ts'
import { summarizeLines } from '../../text/title-line.ts'
import type { ReadContext, RunContext } from '../../tool/contexts.ts'
import type { Preview } from '../../tool/plan.ts'
import type { Progress } from '../../tool/result.ts'
import { defineTool } from '../../tool/tool.ts'
import { LANGUAGES } from './lib/code-languages.ts'
import { checkHosts, commandFolder, commandParams } from './lib/command-line.ts'
import { CommandResult, commandContent, resultTexts } from './lib/command-result.ts'

const DEFAULT_TIMEOUT_MS = 60_000
const MAX_TIMEOUT_MS = 600_000
// Time for ending the code and cleaning up its processes, after its own time limit.
const CLEAN_UP_MS = 5_000

const Input = Type.Object(
  {
    language: Type.Enum(['python', 'bash', 'node'], { description: 'Interpreter.' }),
    code: Type.String({ minLength: 1, maxLength: 1_000_000, description: 'Code to run.' }),
    args: Type.Optional(Type.Array(Type.String(), { maxItems: 1_000, description: 'Arguments.' })),
    cwd: commandParams.cwd,
    env: commandParams.env,
    stdin: Type.Optional(Type.String({ description: 'Standard input.' })),
    timeout_ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_TIMEOUT_MS,
        description: `Time limit. Default: ${DEFAULT_TIMEOUT_MS}.`
      })
    ),
    network: commandParams.network,
    separate_streams: commandParams.separate_streams,
    write: Type.Optional(
      Type.Boolean({
        description: 'Allow writing in the workspace. Needs approval.'
      })
    )
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const { task_id: _task, next_offset: _offset, shell: _shell, ...fields } = CommandResult.properties
const Output = Type.Object(fields)
type Output = Static<typeof Output>

const SANDBOX_HINTS = { network: '`network` for the hosts that the code needs', writing: '`write` for the workspace' }

export default defineTool({
  name: 'run_code',
  category: 'commands',
  description:
    'Runs code in a sandbox. By default the code can read the workspace, write only a temporary folder, and use no network. Check exit_code: the call succeeds even if the code fails.',
  input: Input,
  output: Output,
  traits: { primary: 'code', capturesOutput: true },
  timeout_ms: ({ timeout_ms = DEFAULT_TIMEOUT_MS }) => timeout_ms + CLEAN_UP_MS,
  effect: 'execute',
  request({ language, code, args = [], cwd = '.', env, stdin, network = [], write = false }) {
    const line = quoteArgv([LANGUAGES[language].programs[0]!, language === 'bash' ? '-s' : '-', ...args])
    const isAsked = write || network.length > 0
    return {
      command: {
        cwd,
        ...(env && { envNames: Object.keys(env) }),
        ...(isAsked && { execution: { line, env, stdin: stdin === undefined ? code : `${code}\n${stdin}` } }),
        isolation: { level: write ? 'workspace' : 'read-only', network, allowFallback: true }
      }
    }
  },
  plan(input, ctx) {
    for (const [name, text] of words(input))
      if (text.includes('\0')) throw invalidParam(name, 'contains a null character.')
    checkHosts(input)
    commandFolder(input, ctx)
    findInterpreter(input, ctx)
    return { state: undefined, preview: () => previewCode(input) }
  },
  run: execute,
  present(output, input) {
    const { truncated, exit_code, duration_ms } = output
    return {
      title: titleOf(input),
      content: commandContent(output, SANDBOX_HINTS),
      metadata: { exit_code, duration_ms },
      ...(truncated && { truncated })
    }
  }
})

function previewCode(input: Input): Preview {
  const { language, cwd = '.', args = [], env = {}, stdin, network = [], write = false, code } = input
  const literal = [
    `language: ${language}`,
    `cwd: ${cwd}`,
    ...(args.length > 0 ? [`args: ${JSON.stringify(args)}`] : []),
    ...Object.entries(env).map(([name, value]) => `env: ${name}=${JSON.stringify(value)}`),
    ...(stdin === undefined ? [] : [`stdin: ${JSON.stringify(stdin)}`]),
    ...(network.length > 0 ? [`network: ${network.join(', ')}`] : []),
    ...(write ? ['write: the workspace'] : []),
    '',
    code
  ].join('\n')
  const text = escapeInvisible(literal)
  return {
    title: titleOf(input),
    text,
    ...(text !== literal && { notes: ['Contains control or invisible characters; they are shown as \\u{…}.'] })
  }
}

async function* execute(input: Input, ctx: RunContext): AsyncGenerator<Progress, Output, void> {
  const { code, args = [], stdin, timeout_ms = DEFAULT_TIMEOUT_MS, separate_streams = false } = input
  const {
    command: { isolation },
    host
  } = ctx
  const { flags, file } = LANGUAGES[input.language]
  const program = findInterpreter(input, ctx)
  const cwd = commandFolder(input, ctx)
  const own = await host.processes.placeFile({ name: file, text: code })
  try {
    const running = host.processes.run({
      argv: [program, ...flags, own.path, ...args],
      cwd,
      env: { ...modules(input, ctx, cwd), ...input.env },
      stdin,
      timeout_ms,
      isolation,
      mounts: own.mounts,
      mergeStreams: !separate_streams
    })
    let step = await running.next()
    try {
      for (; !step.done; step = await running.next()) yield { delta: step.value }
      const { stdout, stderr, output, truncated, next_offset: _, quarantined, ...end } = step.value
      const texts = resultTexts({ stdout, stderr, output, truncated }, input)
      return { ...texts, ...end, ...toQuarantineReport(step.value) }
    } finally {
      if (!step.done) await running.return(undefined as never)
    }
  } finally {
    await own.remove()
  }
}

function findInterpreter({ language, env }: Input, { host }: ReadContext): string {
  const { title, programs, installHint } = LANGUAGES[language]
  const program = host.processes.find(programs, env)
  if (program === undefined) throw new ToolError('EXECUTION_ERROR', `${title} is not installed. ${installHint}`)
  return program
}

/** Modules of the workspace can be imported by name, but only in a sandbox, since they run code when loaded. */
function modules({ language }: Input, { command, call }: RunContext, cwd: string): Record<string, string> {
  const where = LANGUAGES[language].modules
  if (!where || command.isolation.level === 'none') return {}
  return { [where.variable]: join(call.workspace.root, cwd, where.subfolder) }
}

function words({ args = [], env = {} }: Input): [name: string, text: string][] {
  return [
    ...args.map((text, i): [string, string] => [`args/${i}`, text]),
    ...Object.entries(env).map(([name, text]): [string, string] => [`env/${name}`, text])
  ]
}

function titleOf({ language, code }: Input) {
  return `${LANGUAGES[language].title}: ${escapeInvisible(summarizeLines(code))}`
}
