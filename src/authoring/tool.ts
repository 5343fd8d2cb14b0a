// What the author of a custom tool writes: `export default defineTool({ … })`, in a module of `.toolgate/tools`. It is for
// the module's own process and its author's editor; the server has another view of a tool, which is made from this one.
import { type Static, type TSchema, Type } from 'typebox'

export { type Static, Type }

/** What a tool does to the world, at most. It decides who is asked: `read` runs at once, and can change and reach nothing
 * where a sandbox holds; `write`, `execute` and `network` ask; `destructive` asks strictly. */
export type Effect = 'read' | 'write' | 'execute' | 'network' | 'destructive'

/** Names of params that say what a call touches, so that rules, locks and approvals are about it. */
export interface Subject {
  /** Params that hold a path, or several, in the workspace. */
  paths?: Readonly<Record<string, 'read' | 'write' | 'list'>>
  /** The param that holds a command line. */
  command?: string
  /** The param that holds a URL. */
  url?: string
}

export interface Preview {
  title: string
  /** Shown whole and literally. */
  text?: string
  /** Unified diff. */
  diff?: string
  /** Anything the approver must know. */
  notes?: string[]
}

/** What is shown of an answer. */
export interface Presented {
  title: string
  /** Text for a model and a person. */
  content: string
  metadata?: Record<string, unknown>
}

/** What a function of a tool may know and do, besides all that its process may. */
export interface Context {
  /** The workspace: its folder, absolute, is the current one. */
  workspace: { name: string; root: string }
  session_id: string
  call_id: string
  /** What keeps the process, and the hosts that it may reach. `strict`: it writes nothing but temporary files.
   * `workspace`: it writes in the workspace. `none` and `container`: nothing of ours keeps it. */
  isolation: { level: 'none' | 'workspace' | 'strict' | 'container'; network: string[] }
  /** Aborts when the call is cancelled or takes too long; the process is ended soon after. */
  signal: AbortSignal
  /** Tells how far it is: `progress` from 0 to 1. */
  progress(told: { progress?: number; message?: string }): void
  /** Writes a line to the server's log. What is printed, by console.log say, is shown as the call's output instead. */
  log(...words: unknown[]): void
}

export interface ToolDefinition<I extends TSchema, O extends TSchema> {
  /** The file's name without its end, if left out. */
  name?: string
  /** One or two sentences for a person and a model. */
  description: string
  /** Its params, as an object of TypeBox or plain JSON Schema. */
  input: I
  /** What `run` answers. Anything, if left out. */
  output?: O
  /** `execute`, if left out. */
  effect?: Effect
  /** Hosts that it reaches, such as `api.example.com` or `*.example.com`; with effect `network`, `execute` or `destructive`. */
  network?: readonly string[]
  subject?: Subject
  /** How long a run may take; a minute, if left out. */
  timeout_ms?: number
  /** What the approver sees, instead of the params. It can change nothing where a sandbox holds. */
  preview?(input: Static<I>, ctx: Context): Preview | string | Promise<Preview | string>
  run(input: Static<I>, ctx: Context): Static<O> | Promise<Static<O>>
  /** What is shown of the answer, instead of its text or JSON. */
  present?(output: Static<O>, input: Static<I>): Presented | string
}

/** Gives a tool its types without naming them twice. */
export const defineTool = <const I extends TSchema, const O extends TSchema>(tool: ToolDefinition<I, O>) => tool
