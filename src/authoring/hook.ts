// API for authors of hook modules: `export default defineHook({ … })`. It is for the hook's process and its author's editor.

/** The input of a hook: a call. */
export interface HookInput {
  event: 'before' | 'after'
  tool_call_id: string
  tool: string
  /** As they would run, or have run. */
  params: Record<string, unknown>
  session_id: string
  workspace: { name: string; root: string }
  client: string
  agent?: string
  /** Position in the conversation from which the call originates. */
  context?: string
  /** W3C trace context of the call, if it has one. */
  traceparent?: string
  tracestate?: string
  effect: string
  /** Touched paths, relative to the workspace root. */
  paths: { path: string; access: 'read' | 'write' | 'list' }[]
  /** Its command line, if any, with the known words of each command in it. */
  command?: { text: string; parts: { text: string; argv?: string[] }[] }
  /** The policy's verdict. */
  verdict: { decision: string; reason: string }
  /** Set after the call has run. */
  status?: 'success' | 'error'
  result?: { title: string; content: string; data: unknown; metadata: unknown; truncated: boolean }
  error?: { code: string; message: string }
  /** The changes that it made. */
  changes?: { path: string; operation: string }[]
  execution_time_ms?: number
}

/** The answer of a hook; an empty one has no effect. */
export interface HookAnswer {
  /** `allow` does not approve the call: policy decides after all hooks. */
  decision?: 'allow' | 'refuse'
  /** Reason for a refusal. */
  reason?: string
  /** Replaces all params. Only before the call. */
  params?: Record<string, unknown>
  /** Information for the approver and the model. */
  context?: string
}

type HookFunction = (
  input: HookInput,
  context: { signal: AbortSignal }
) => HookAnswer | undefined | Promise<HookAnswer | undefined>

export interface HookDefinition {
  before?: HookFunction
  after?: HookFunction
}

/** Infers a hook's types. */
export const defineHook = (hook: HookDefinition): HookDefinition => hook
