// API for authors of custom tools: `export default defineTool({ … })`, in a module of `.toolgate/tools`. It is for the module's
// process and its author's editor; the server derives its own representation of the tool.
import { type Static, type TSchema, Type } from 'typebox'

export { type Static, Type }

/**
 * The maximum effect of a tool, which determines the approval: `read` runs at once, and can neither change nor reach anything if
 * a sandbox works; `write`, `execute` and `network` need approval; `destructive` needs strict approval.
 */
export type Effect = 'read' | 'write' | 'execute' | 'network' | 'destructive'

/** Names of the params with the subject of a call, for rules, locks and approvals. */
export interface Subject {
  /** Params with one or several paths in the workspace. */
  paths?: Readonly<Record<string, 'read' | 'write' | 'list'>>
  /** The param with a command line. */
  command?: string
  /** The param with a URL. */
  url?: string
}

export interface Preview {
  title: string
  /** Shown in full and literally. */
  text?: string
  /** Unified diff. */
  diff?: string
  /** Anything the approver must pay attention to. */
  notes?: string[]
  /** Anything else that the approver should know. */
  information?: string[]
}

/** The presentation of an output. */
export interface Presented {
  title: string
  /** Text for a model and a person. */
  content: string
  metadata?: Record<string, unknown>
}

/** Context of a tool's functions, in addition to what its process may do. */
export interface Context {
  /** The workspace: its absolute folder is the current one. */
  workspace: { name: string; root: string }
  session_id: string
  call_id: string
  /** W3C trace context of the call, if it has one. */
  traceparent?: string
  tracestate?: string
  /**
   * The sandbox of the process, and its allowed hosts. `read-only`: it writes only temporary files. `workspace`: it writes in the
   * workspace. `none` and `container`: Toolgate does not sandbox it.
   */
  isolation: { level: 'none' | 'workspace' | 'read-only' | 'container'; network: string[] }
  /** Aborts when the call is cancelled or times out; the process is ended soon after. */
  signal: AbortSignal
  /** Reports progress: `progress` from 0 to 1. */
  progress(update: { progress?: number; message?: string }): void
  /** Writes a line to the server's log. Standard output, such as from console.log, becomes the call's output instead. */
  log(...words: unknown[]): void
}

export interface ToolDefinition<I extends TSchema, O extends TSchema> {
  /** Default: the file's name without its extension. */
  name?: string
  /** One or two sentences for a person and a model. */
  description: string
  /** Schema of its params: an object in TypeBox or plain JSON Schema. */
  input: I
  /** Schema of the output of `run`. Default: any value. */
  output?: O
  /** Default: `execute`. */
  effect?: Effect
  /** Hosts to access, such as `api.example.com` or `*.example.com`; with effect `network`, `execute` or `destructive`. */
  network?: readonly string[]
  subject?: Subject
  /** Timeout of a run in milliseconds. Default: one minute. */
  timeout_ms?: number
  /** Builds the approver's preview; the default shows the params. It cannot change anything if a sandbox works. */
  preview?(input: Static<I>, ctx: Context): Preview | string | Promise<Preview | string>
  run(input: Static<I>, ctx: Context): Static<O> | Promise<Static<O>>
  /** Presents the output; the default is its text or JSON. */
  present?(output: Static<O>, input: Static<I>): Presented | string
}

/** Infers a tool's types from its schemas. */
export const defineTool = <const I extends TSchema, const O extends TSchema>(tool: ToolDefinition<I, O>) => tool
