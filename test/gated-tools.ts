// Tools whose runs a test pauses, observes and releases.
import { Type } from 'typebox'
import { ToolError } from '../src/errors.ts'
import type { RunContext } from '../src/tool/contexts.ts'
import type { Effect } from '../src/tool/request.ts'
import { defineTool, type Tool } from '../src/tool/tool.ts'

/** A gate in which runs wait by name until released. */
export class Gate {
  readonly #arrivals = new Map<string, PromiseWithResolvers<void>>()
  readonly #open = new Map<string, PromiseWithResolvers<void>>()
  /** Names in order of arrival. */
  readonly arrivals: string[] = []
  /** Names of aborted runs, in that order. */
  readonly aborted: string[] = []

  /** Waits to be released; can be aborted until then. */
  async wait(name: string, signal: AbortSignal): Promise<void> {
    this.arrivals.push(name)
    getOrCreate(this.#arrivals, name).resolve()
    const { promise, reject } = Promise.withResolvers<never>()
    const leave = () => {
      this.aborted.push(name)
      reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    await Promise.race([getOrCreate(this.#open, name).promise, promise]).finally(() =>
      signal.removeEventListener('abort', leave)
    )
  }

  /** Resolves once that run waits here. */
  waitForArrival = (name: string) => getOrCreate(this.#arrivals, name).promise
  /** Releases that run, now or on its arrival. */
  open = (name: string) => getOrCreate(this.#open, name).resolve()
}

function getOrCreate(map: Map<string, PromiseWithResolvers<void>>, name: string) {
  const known = map.get(name) ?? Promise.withResolvers<void>()
  map.set(name, known)
  return known
}

const Input = Type.Object(
  {
    name: Type.String({ description: 'Of the run.' }),
    path: Type.Optional(Type.String({ description: 'It touches.' }))
  },
  { additionalProperties: false }
)

/** `held_read`, `held_create`, `held_write` and so on: each accesses its path, and waits in the gate. */
export const gatedTools = (gate: Gate): Tool[] =>
  (['read', 'create', 'write', 'execute', 'destructive'] as const).map((effect: Effect) =>
    defineTool({
      name: `held_${effect}`,
      category: 'custom',
      description: 'Waits in the gate.',
      input: Input,
      output: Type.Object({ name: Type.String() }),
      timeout_ms: 120_000,
      effect,
      request: ({ path }) => ({
        ...(path !== undefined && {
          paths: [{ path, access: effect === 'read' ? ('read' as const) : ('write' as const) }]
        })
      }),
      async run({ name }, { signal }) {
        await gate.wait(name, signal)
        return { name }
      },
      present: ({ name }) => ({ title: name, content: name })
    })
  )

/** `slow_look`: its plans wait in the gate as `look 1`, `look 2` and so on. Declares a write to `a.txt`. */
export const slowPreviewTool = (gate: Gate): Tool => {
  let looks = 0
  return defineTool({
    name: 'slow_look',
    category: 'custom',
    description: 'Is looked at slowly.',
    input: Type.Object({}, { additionalProperties: false }),
    output: Type.Object({}),
    timeout_ms: 120_000,
    effect: 'write',
    request: () => ({ paths: [{ path: 'a.txt', access: 'write' as const }] }),
    async plan() {
      looks += 1
      const title = `look ${looks}`
      await gate.wait(title, new AbortController().signal)
      return { state: undefined, preview: () => ({ title }) }
    },
    run: () => ({}),
    present: () => ({ title: 'done', content: 'done' })
  })
}

/**
 * `flaky`: fails the given number of times with the given code, then returns the number of runs. `before` runs in each attempt.
 */
export const flakyTool = (options: {
  code?: ConstructorParameters<typeof ToolError>[0]
  idempotent?: boolean
  effect?: Effect
  before?: (ctx: RunContext, attempt: number) => Promise<unknown>
}) => {
  let attempts = 0
  return defineTool({
    name: 'flaky',
    category: 'custom',
    description: 'Fails at first.',
    input: Type.Object({ failures: Type.Integer({ description: 'How often.' }) }, { additionalProperties: false }),
    output: Type.Object({ attempts: Type.Integer() }),
    timeout_ms: 120_000,
    effect: options.effect ?? 'read',
    traits: { idempotent: options.idempotent ?? true },
    request: () => ({}),
    async run({ failures }, ctx) {
      attempts += 1
      await options.before?.(ctx, attempts)
      if (attempts <= failures) throw new ToolError(options.code ?? 'NETWORK_ERROR', `Attempt ${attempts} failed.`)
      return { attempts }
    },
    present: ({ attempts }) => ({ title: 'flaky', content: `${attempts}` })
  })
}
