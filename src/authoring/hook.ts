// What the author of a hook that is a module writes: `export default defineHook({ … })`. It is for the hook's own process
// and its author's editor.

/** What a hook is told of a call. */
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
  /** Where in a conversation the call arose. */
  context?: string
  effect: string
  /** What it touches, relative to the workspace root. */
  paths: { path: string; access: 'read' | 'write' | 'list' }[]
  /** Its command line, where it has one, with the words of each command in it that are known. */
  command?: { text: string; parts: { text: string; argv?: string[] }[] }
  /** What policy says of it. */
  verdict: { decision: string; reason: string }
  /** Of a call that has run. */
  status?: 'success' | 'error'
  result?: { title: string; content: string; data: unknown; metadata: unknown; truncated: boolean }
  error?: { code: string; message: string }
  /** What it changed. */
  changes?: { path: string; operation: string }[]
  execution_time_ms?: number
}

/** What a hook says; nothing means that it has nothing to say. */
export interface HookAnswer {
  /** `allow` is no approval: policy decides after all hooks. */
  decision?: 'allow' | 'refuse'
  /** Why it refuses. */
  reason?: string
  /** All params, in place of those it was told. Only before. */
  params?: Record<string, unknown>
  /** What the approver and the model should know. */
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

/** Gives a hook its types without naming them. */
export const defineHook = (hook: HookDefinition): HookDefinition => hook
