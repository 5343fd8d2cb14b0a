// Module tools: the code runs in a process of the module; its facts are exposed here as a tool.
import { ToolError } from '../../errors.ts'
import type { ModuleReference } from '../../host/modules/module-pool.ts'
import type { CallModule, ModuleOutput } from '../../host/modules/module-runner.ts'
import type { Isolation } from '../../host/sandbox/sandbox.ts'
import { formatQuarantineNotes, toQuarantineReport } from '../../protocol/quarantine-report.ts'
import type { ReadContext } from '../../tool/contexts.ts'
import type { Preview } from '../../tool/plan.ts'
import type { PathUse, Request } from '../../tool/request.ts'
import { type Presented, PresentedOutput, type Progress } from '../../tool/result.ts'
import type { Tool } from '../../tool/tool.ts'
import { withProgress } from '../../tool/with-progress.ts'
import { CLEANUP_TIMEOUT_MS, type CustomToolDefinition } from './definition.ts'
import { truncateContent } from './truncate-content.ts'

type Params = Record<string, unknown>
type Output = Record<string, unknown>

const PREVIEW_TIMEOUT_MS = 10_000

interface Log {
  info(details: object, message: string): void
}

/** Identifies a module with everything that it can load by path. */
export const moduleVersion = ({ folder, name }: ModuleReference) => `${folder.sha256} ${name}`

export function createModuleTool(definition: CustomToolDefinition, module: ModuleReference, log: Log): Tool {
  const { name, description, input, output, effect, timeout_ms } = definition
  const tool: Tool<never, never> = {
    name,
    version: moduleVersion(module),
    category: 'custom',
    description,
    input: input as never,
    output: output as never,
    timeout_ms: timeout_ms + CLEANUP_TIMEOUT_MS,
    effect,
    request: params => toRequest(definition, params as Params),
    plan: (params, ctx) => ({
      state: undefined,
      preview: () => requestPreview(definition, module, params as Params, ctx)
    }),
    async *run(params, ctx): AsyncGenerator<Progress, PresentedOutput<never>> {
      const isolation = effect === 'read' ? await ctx.host.modules.minimalIsolation() : ctx.command.isolation
      const run = withProgress(async report => {
        const onOutput = (saying: ModuleOutput) =>
          handleMessage(saying, report, text => log.info({ tool: name, call: ctx.call.id }, text))
        return ctx.host.modules.run(module, { isolation, timeout_ms, onOutput }, callModule =>
          runModule(definition, { callModule, params, context: toModuleContext(ctx, isolation) })
        )
      })
      const { value, end } = yield* run
      const notes = formatQuarantineNotes(
        toQuarantineReport({ ...end, ...(end?.folder && { quarantine_folder: end.folder }) })
      )
      return new PresentedOutput(value.output as never, appendNotes(value.presented, notes))
    },
    present: answer => toPresented(definition, answer as Output)
  }
  return tool as unknown as Tool
}

function toRequest({ name, effect, subject = {}, network = [] }: CustomToolDefinition, params: Params): Request {
  const { paths = {}, command, url } = subject
  const text = (param: string | undefined) => {
    const value = param === undefined ? undefined : params[param]
    return typeof value === 'string' ? value : undefined
  }
  const uses = Object.entries(paths).flatMap(([param, access]): PathUse[] =>
    [params[param]].flat().flatMap(path => (typeof path === 'string' ? { path, access } : []))
  )
  const [line, address] = [text(command), text(url)]
  return {
    ...(uses.length > 0 && { paths: uses }),
    command: { ...(line !== undefined && { line }), isolation: { network }, tracks: effect !== 'read' },
    ...(address !== undefined && { url: { url: address } }),
    reasons: { approval: `Runs the code of ${name}.` }
  }
}

/** Builds the context of a module's functions, which its process completes. */
const toModuleContext = ({ call }: ReadContext, isolation: Isolation) => ({
  workspace: call.workspace,
  session_id: call.sessionId,
  call_id: call.id,
  ...call.trace,
  isolation
})

async function requestPreview(
  definition: CustomToolDefinition,
  module: ModuleReference,
  params: Params,
  ctx: ReadContext
): Promise<Preview> {
  const title = `Run ${definition.name}`
  if (!definition.hasPreview) return { title, text: JSON.stringify(params, null, 2) }
  const isolation = await ctx.host.modules.minimalIsolation()
  const { value } = await ctx.host.modules.run(module, { isolation, timeout_ms: PREVIEW_TIMEOUT_MS }, ask =>
    ask('preview', [params], toModuleContext(ctx, isolation))
  )
  if (typeof value === 'string') return { title, text: value }
  const { title: own, text, diff, notes, information } = value as Partial<Preview>
  return {
    title: typeof own === 'string' ? own : title,
    ...(typeof text === 'string' && { text }),
    ...(typeof diff === 'string' && { diff }),
    ...(Array.isArray(notes) && { notes: notes.map(String) }),
    ...(Array.isArray(information) && { information: information.map(String) })
  }
}

interface RunRequest {
  callModule: CallModule
  params: unknown
  context: object
}

/** Runs the module, validates its output and records its presentation. */
async function runModule(definition: CustomToolDefinition, { callModule, params, context }: RunRequest) {
  const output = toOutput(await callModule('run', [params], context))
  const [issue] = definition.checkOutput(output)
  if (issue !== undefined)
    throw new ToolError(
      'EXECUTION_ERROR',
      `${definition.name} returned data that does not match its output schema: ${issue}.`
    )
  const own = definition.hasPresent ? await callModule('present', [output, params], context) : undefined
  return { output, presented: toPresented(definition, output, own) }
}

/** Wraps an answer that is not an object, such as a string, in a field of one. */
export function toOutput(answer: unknown): Output {
  if (typeof answer === 'string') return { text: answer }
  if (answer !== null && typeof answer === 'object' && !Array.isArray(answer)) return answer as Output
  return { value: answer }
}

export function toPresented({ name }: Pick<CustomToolDefinition, 'name'>, output: Output, own?: unknown): Presented {
  if (typeof own === 'string') return { title: name, ...truncateContent(own) }
  const { title, content, metadata } = (own ?? {}) as Partial<Presented>
  const { text, ...rest } = output
  const plain = typeof text === 'string' && Object.keys(rest).length === 0 ? text : JSON.stringify(output, null, 2)
  return {
    title: typeof title === 'string' ? title : name,
    ...truncateContent(typeof content === 'string' ? content : plain),
    ...(metadata !== null && typeof metadata === 'object' && { metadata })
  }
}

const appendNotes = ({ content, ...presented }: Presented, notes: readonly string[]): Presented => ({
  ...presented,
  content: [content, ...notes.map(note => `[${note}]`)].join('\n')
})

function handleMessage(saying: ModuleOutput, report: (step: Progress) => void, log: (text: string) => void) {
  if ('log' in saying) log(saying.log)
  else if ('printed' in saying) report({ delta: { stream: 'output', text: saying.printed, offset: saying.offset } })
  else report(toProgress(saying))
}

/** A module may report anything: validate it. */
function toProgress({ progress, message }: { progress?: unknown; message?: unknown }): Progress {
  return {
    ...(typeof progress === 'number' && { progress: Math.min(1, Math.max(0, progress)) }),
    ...(typeof message === 'string' && { message })
  }
}
