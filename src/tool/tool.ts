// The contract of a tool. A tool says what a call names, plans what it would do, and runs the plan; policy decides, the engine
// orders the steps, routes handle HTTP.
import type { Static, TSchema } from 'typebox'
import type { LookupContext, ReadContext, RunContext } from './contexts.ts'
import type { Plan } from './plan.ts'
import type { Effect, Request } from './request.ts'
import type { Presented, PresentedOutput, Progress } from './result.ts'
import type { Traits } from './traits.ts'

export type Category =
  | 'files'
  | 'search'
  | 'commands'
  | 'session'
  | 'git'
  | 'code'
  | 'web'
  | 'editor'
  | 'mcp'
  | 'custom'

/**
 * A tool with the types of its input, its output and its plan's state. The engine calls `request`, then, unless policy denies that,
 * `plan`; each once per evaluation. `run` gets the state of the plan that was decided on.
 */
export interface Tool<I extends TSchema = TSchema, O extends TSchema = TSchema, P = unknown> {
  /** The file's name. */
  name: string
  /**
   * Distinguishes this tool from an earlier or later one of the same name, if it can change while the server runs: a decision is
   * bound to it.
   */
  version?: string
  category: Category
  /** One or two sentences for a person and a model. */
  description: string
  input: I
  output: O
  /** Timeout of a run in milliseconds; a tool with an internal limit adds a margin. */
  timeout_ms: number | ((input: Static<I>) => number)
  /** Effect of every call; `depends` if its request names it. */
  effect: Effect | 'depends'
  traits?: Traits<Static<I>>
  /** Validates the params and returns errors by pointer, if its schema is an external one. */
  validate?(input: unknown): { pointer: string; message: string }[]
  /** Returns what a call names. Throws if the params are no valid request. Has no side effects. */
  request(input: Static<I>, ctx: LookupContext): Request | Promise<Request>
  /** Plans a call. Throws if it would fail. Has no side effects. Without this member a call acts on its request alone. */
  plan?(input: Static<I>, ctx: ReadContext, request: Request): Plan<P> | Promise<Plan<P>>
  /** Runs a call: returns a value or its promise, or a generator that yields progress. */
  run(input: Static<I>, ctx: RunContext, state: P): Output<O> | Promise<Output<O>> | AsyncGenerator<Progress, Output<O>>
  present(output: Static<O>, input: Static<I>): Presented
}

type Output<O extends TSchema> = Static<O> | PresentedOutput<Static<O>>

/** Infers a tool's types from its schemas and its plan. */
export const defineTool = <I extends TSchema, O extends TSchema, P = undefined>(tool: Tool<I, O, P>) => tool
