// Runs the table of a toolset from top to bottom, as a client of the document would: each name by REST, whole answers compared.
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import type { Tool } from '../../../src/tool/tool.ts'
import { type Json, startApp, type TestApp } from '../../start-app.ts'

export interface ToolsetStep {
  /** The document's text. */
  says: string
  name: string
  params: Record<string, unknown>
  /** Additional fields of the request. */
  more?: Record<string, unknown>
  /** The whole answer; varying values are replaced by names in capitals. */
  answer: Json
  /** HTTP status, if not 200. */
  status?: number
  /** The call is pending first, reported as such, and decided like this; also with the fields the document lacks. */
  waits?: Json
  /** Requires approval only if no sandbox works. */
  asksUnsandboxed?: true
  decides?: Record<string, unknown>
  /** The call with the canonical tool name and params. */
  own?: { tool: string; params: Record<string, unknown> }
  /** Files after the call. */
  files?: Record<string, string>
  before?: (app: TestApp) => void | Promise<void>
}

export interface ToolsetDocument {
  toolset: string
  files: Record<string, string>
  /** Every name with its params and time limit, in order. */
  names?: readonly (readonly [name: string, params: string, timeout_ms: number | null])[]
  steps: readonly ToolsetStep[]
  tools?: readonly Tool[]
  settings?: Parameters<typeof startApp>[2]
  /** Additional checks. */
  also?: (t: Test, app: TestApp) => Promise<void>
}

const VARYING_KEYS: Readonly<Record<string, string>> = {
  tool_call_id: 'ID',
  task_id: 'ID',
  stepId: 'ID',
  call_id: 'ID',
  request_id: 'REQUEST',
  digest: 'DIGEST',
  hash: 'HASH',
  modified: 'TIME',
  execution_time_ms: 'MS',
  duration: 'MS',
  duration_ms: 'MS',
  durationMs: 'MS',
  preview: 'PREVIEW',
  short: 'OID',
  version: 'VERSION',
  score: 'SCORE',
  index: 'INDEX',
  always_options: 'OPTIONS'
}

/** The same within texts. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/tc_[0-9A-Z]{26}/g, 'ID'],
  [/\b(?:[0-9a-f]{40}|[0-9a-f]{12})\b/g, 'OID'],
  [/(limit (?:was )?exceeded) after \d+ ms/g, '$1 after MS ms'],
  [/typescript \d+\.\d+\.\d+/g, 'typescript VERSION']
]

/** Replaces varying values by their names. */
export function maskVarying(value: Json, root: string): Json {
  if (typeof value === 'string')
    return TEXTS.reduce((text, [from, to]) => text.replaceAll(from, to), value.replaceAll(root, 'ROOT'))
  if (Array.isArray(value)) return value.map(each => maskVarying(each, root))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, VARYING_KEYS[name] ?? maskVarying(inner as Json, root)])
  )
}

export function runToolsetSteps({ toolset, files, names, steps, tools, settings, also }: ToolsetDocument) {
  t.test(toolset, async t => {
    const sandbox = { ...defaultSettings().sandbox, level: 'none', run_code: 'ask' } as const
    const app = await startApp(t, files, { settings: { sandbox, ...settings?.settings }, ...(tools && { tools }) })
    const asked = `toolset=${toolset}`

    await t.test('lists its names with their params and time limits', async t => {
      const listed = (await app.get(`/tools?${asked}`)).tools
      if (names) t.strictSame(listed.map(toNameEntry), names)
      for (const format of ['openai', 'anthropic', 'mcp']) {
        const { tools } = await app.get(`/tools?${asked}&format=${format}`)
        t.strictSame(
          tools.map((tool: Json) => (tool.function ?? tool).name),
          listed.map(({ name }: Json) => name),
          format
        )
      }
      for (const tool of listed) t.strictSame(await app.get(`/tools/${tool.name}?${asked}`), tool)
    })

    for (const step of steps)
      await t.test(`${step.name}: ${step.says}`, async t => {
        await step.before?.(app)
        const { name: tool, params } = step
        const given = JSON.parse(JSON.stringify(params).replaceAll('ROOT', app.root))
        const first = await app.request('POST', `/calls?${asked}`, { tool, params: given, ...step.more })
        const waits = step.waits !== undefined || (step.asksUnsandboxed && first.status === 202)
        const answer = !waits ? first : await decideStep(t, app, { step, asked, first })
        t.strictSame(maskVarying(answer.body, app.root), step.answer)
        t.equal(answer.status, step.status ?? 200)
        for (const [file, content] of Object.entries(step.files ?? {})) t.equal(app.read(file), content, file)
        const id = idOf(answer.body) ?? idOf(first.body)
        if (id === undefined || step.status) return
        t.strictSame(await app.get(`/calls/${id}?${asked}`), answer.body, 'told the same again')
        const call = await app.get(`/calls/${id}`)
        if (step.own) t.match(maskVarying(call, app.root), { ...step.own, requested_tool: tool, toolset })
      })

    if (also) await t.test('additional checks', t => also(t, app))
  })
}

/** Returns a pending call as most toolsets format it. */
export const waitingAnswer = (tool: string, args: object, reason: string, level = 'ask') => ({
  stepId: 'ID',
  tool,
  args,
  reason,
  level,
  digest: 'DIGEST',
  preview: 'PREVIEW'
})

const idOf = (body: Json): string | undefined => body.tool_call_id ?? body.stepId ?? body.call_id

interface PendingStep {
  step: ToolsetStep
  asked: string
  first: { status: number; body: Json }
}

/** Decides in the format of the toolset; an approval names the digest, also of a strict call with `confirm`. */
async function decideStep(t: Test, app: TestApp, { step, asked, first }: PendingStep) {
  t.equal(first.status, 202)
  if (step.waits !== undefined) t.strictSame(maskVarying(first.body, app.root), step.waits)
  const { approvals } = await app.get(`/approvals?${asked}`)
  const same = approvals.filter((each: Json) => idOf(each) === idOf(first.body))
  t.strictSame(same, [first.body], 'it stands among what waits')
  const { level, digest } = first.body
  const shown = level === 'strict' ? { confirm: true, digest } : { digest }
  const decision = step.decides ?? { stepId: idOf(first.body), approved: true }
  const id = 'tool_call_id' in decision || 'stepId' in decision ? {} : { stepId: idOf(first.body) }
  return app.request('POST', `/approve?wait_ms=120000&${asked}`, { ...id, ...decision, ...shown })
}

function toNameEntry({ name, input, timeout_ms }: Json) {
  const required: string[] = input.required ?? []
  const params = Object.keys(input.properties).map(param => (required.includes(param) ? param : `${param}?`))
  return [name, params.join(', '), timeout_ms]
}
