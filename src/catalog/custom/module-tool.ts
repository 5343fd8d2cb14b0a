// A tool whose code is a module of the user: the module's process does the work, the facts are told here.
import { ToolError } from '../../errors.ts'
import type { Module } from '../../host/modules/module-pool.ts'
import type { Ask, Saying } from '../../host/modules/module-runner.ts'
import { leftBehindBy, leftBehindNotes } from '../../tool/quarantine-report.ts'
import type { Context, PathUse, Presented, Preview, Progress, Subject, Tool } from '../../tool/tool.ts'
import { telling } from '../../tool/with-progress.ts'
import type { Definition } from './definition.ts'
import { CLEAN_UP_MS, TRACK_MS, whileTracked } from './track-changes.ts'
import { bounded } from './truncate-content.ts'

type Params = Record<string, unknown>
type Output = Record<string, unknown>

const PREVIEW_MS = 10_000

interface Log {
  info(details: object, message: string): void
}

export function moduleTool(definition: Definition, module: Module, log: Log): Tool {
  const { name, description, input, output, effect, timeout_ms } = definition
  /** How the answer to a call is shown, by its params: it was made where the answer was. */
  const shown = new WeakMap<object, Presented>()
  const tool: Tool<never, never> = {
    name,
    version: `${module.folder.sha256} ${module.name}`,
    category: 'custom',
    description,
    input: input as never,
    output: output as never,
    timeout_ms: timeout_ms + CLEAN_UP_MS + (effect === 'read' ? 0 : TRACK_MS),
    effect,
    subject: params => subjectOf(definition, params as Params),
    preview: (params, ctx) => previewOf(definition, module, params as Params, ctx),
    async *run(params, ctx): AsyncGenerator<Progress, never> {
      const isolation = effect === 'read' ? await ctx.host.modules.least() : ctx.isolation
      const run = telling(async tell => {
        const told = (saying: Saying) => tellOf(saying, tell, text => log.info({ tool: name, call: ctx.call_id }, text))
        return ctx.host.modules.use(module, { isolation, timeout_ms, told }, ask =>
          answered(definition, { ask, params, context: contextOf(ctx, isolation) })
        )
      })
      const { value, end } = yield* isolation.level === 'strict' ? run : whileTracked(ctx, run)
      const notes = leftBehindNotes(leftBehindBy({ ...end, ...(end?.folder && { quarantine_folder: end.folder }) }))
      shown.set(params, withNotes(value.presented, notes))
      return value.output as never
    },
    present: (answer, params) => shown.get(params) ?? presentedBy(definition, answer as Output)
  }
  return tool as unknown as Tool
}

function subjectOf({ name, subject = {}, network = [] }: Definition, params: Params): Subject {
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
    ...(line !== undefined && { command: line }),
    ...(address !== undefined && { url: address }),
    isolation: { network },
    because: `It runs the code of ${name}.`
  }
}

/** As the functions of a module get it, besides what its process adds. */
const contextOf = ({ workspace, session_id, call_id }: Context, isolation: Context['isolation']) => ({
  workspace,
  session_id,
  call_id,
  isolation
})

async function previewOf(definition: Definition, module: Module, params: Params, ctx: Context): Promise<Preview> {
  const title = `Run ${definition.name}`
  if (!definition.previews) return { title, text: JSON.stringify(params, null, 2) }
  const isolation = await ctx.host.modules.least()
  const { value } = await ctx.host.modules.use(module, { isolation, timeout_ms: PREVIEW_MS }, ask =>
    ask('preview', [params], contextOf(ctx, isolation))
  )
  if (typeof value === 'string') return { title, text: value }
  const { title: own, text, diff, notes } = value as Partial<Preview>
  return {
    title: typeof own === 'string' ? own : title,
    ...(typeof text === 'string' && { text }),
    ...(typeof diff === 'string' && { diff }),
    ...(Array.isArray(notes) && { notes: notes.map(String) })
  }
}

interface Asking {
  ask: Ask
  params: unknown
  context: object
}

/** What it answers, if that is what it says it answers, and how it shows that. */
async function answered(definition: Definition, { ask, params, context }: Asking) {
  const output = outputOf(await ask('run', [params], context))
  const [fault] = definition.checkOutput(output)
  if (fault !== undefined)
    throw new ToolError(
      'EXECUTION_ERROR',
      `${definition.name} answered what its output schema does not allow: ${fault}.`
    )
  const own = definition.presents ? await ask('present', [output, params], context) : undefined
  return { output, presented: presentedBy(definition, output, own) }
}

/** An answer is an object; a text, or any other value, becomes a field of one. */
export function outputOf(answer: unknown): Output {
  if (typeof answer === 'string') return { text: answer }
  if (answer !== null && typeof answer === 'object' && !Array.isArray(answer)) return answer as Output
  return { value: answer }
}

export function presentedBy({ name }: Pick<Definition, 'name'>, output: Output, own?: unknown): Presented {
  if (typeof own === 'string') return { title: name, ...bounded(own) }
  const { title, content, metadata } = (own ?? {}) as Partial<Presented>
  const { text, ...rest } = output
  const plain = typeof text === 'string' && Object.keys(rest).length === 0 ? text : JSON.stringify(output, null, 2)
  return {
    title: typeof title === 'string' ? title : name,
    ...bounded(typeof content === 'string' ? content : plain),
    ...(metadata !== null && typeof metadata === 'object' && { metadata })
  }
}

const withNotes = ({ content, ...presented }: Presented, notes: readonly string[]): Presented => ({
  ...presented,
  content: [content, ...notes.map(note => `[${note}]`)].join('\n')
})

function tellOf(saying: Saying, tell: (step: Progress) => void, log: (text: string) => void) {
  if ('log' in saying) log(saying.log)
  else if ('printed' in saying) tell({ delta: { stream: 'output', text: saying.printed, offset: saying.offset } })
  else tell(progressOf(saying))
}

/** A module may tell anything. */
function progressOf({ progress, message }: { progress?: unknown; message?: unknown }): Progress {
  return {
    ...(typeof progress === 'number' && { progress: Math.min(1, Math.max(0, progress)) }),
    ...(typeof message === 'string' && { message })
  }
}
