// The contract of a tool. A tool states facts; policy decides, the engine runs, routes handle HTTP.
import type { Static, TSchema } from 'typebox'
import type { Change } from '../host/change.ts'
import type { Host } from '../host/host.ts'
import type { RequestableLevel } from '../host/sandbox/isolation-levels.ts'
import type { Isolation } from '../host/sandbox/sandbox.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import type { Delegate } from './front-end.ts'
import type { NamedShell } from './named-shell.ts'

/** The maximum effect of running a call, on which policy decides; `create` adds something without overwriting. */
export type Effect = 'read' | 'create' | 'write' | 'execute' | 'network' | 'destructive'

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

/** A path that a call touches. `list` means traversal of a tree, without a consistent view of it. */
export interface PathUse {
  path: string
  access: 'read' | 'write' | 'list'
  /** The use also covers all descendants of the path. */
  tree?: boolean
  /** Target of a folder with its descendants when moved or, with access read, copied: policy also applies to the new names. */
  renamed_to?: string
  /** The entry itself is used: a symbolic link at the end of the path is not followed. */
  entry?: boolean
  /** Required hash of the file for the write to proceed, as returned by an earlier read. */
  if_match?: string | undefined
}

/** The facts that rules, locks and previews match on. */
export interface Subject {
  paths?: PathUse[]
  command?: string
  cwd?: string
  /** Params besides the command's text that modify its behavior, such as its environment. */
  modifiers?: string[]
  /** Names of the environment variables that it sets for the command. */
  envNames?: string[]
  url?: string
  /** Data sent to `url`, if it is more than read: permission to read does not include sending. */
  sends?: { method: string; parts: string[] }
  /** Isolation requested for the command, if not the server's default. */
  isolation?: IsolationRequest
  /** The command outlives its call. */
  longRunning?: true
  /** Reason, as one sentence, for which the changes of its command cannot be recorded as changes of the call. */
  untracked?: string
  /** Requests that the changes of its command be recorded as changes of the call, or not; by default the server's setting. */
  tracks?: boolean | undefined
  /** It acts only on a job that the same session has started. */
  ownedBySession?: boolean
  /**
   * Reason for requesting approval, as one sentence, if the one derived from the effect would be wrong: it acts on a running
   * process.
   */
  approvalReason?: string
  /** Reason for which it needs strict approval, whatever its effect and the rules. */
  strictReason?: string
  /** Reason for which it is denied unless a rule allows it. */
  ruleRequiredReason?: string
  /** Ids of earlier calls that it refers to. A decision is bound to exactly these. */
  callIds?: string[]
}

/** The isolation requested for a command. */
export interface IsolationRequest {
  /** Undefined for the server's default. */
  level?: RequestableLevel | undefined
  /** Host patterns to grant access to. */
  network?: readonly string[] | undefined
  /** Ports of the command to make reachable through the server. */
  ports?: readonly number[] | undefined
  /**
   * If the level does not work, permits running, with approval, like all commands in a container that serves as the sandbox; or
   * with none, if `sandbox.run_code` is `ask`, with strict approval.
   */
  allowFallback?: boolean
}

/** Reason, as one sentence, for which a call needs approval whatever the rules and the mode; `strict` if that must be a strict one. */
export type ForcedReview = string | { strict: string }

/** An external tool that a call invokes under any of its names. */
export interface ExternalToolIdentity {
  /** All names that rules may use, the most specific first. */
  names: readonly string[]
  /** Hash of the tool's full definition. A saved rule from "always" is bound to it. */
  definition: string
}

/** A program with its argv and working folder, started without a shell. */
export interface Invocation {
  argv: readonly string[]
  cwd: string
  /** Command line for people and rules, if the words only describe how several programs are started in sequence. */
  commandLine?: string
  /** The tool's name for the program, such as a test runner. */
  name?: string
  /** Requested hosts, as in `IsolationRequest`. */
  network?: readonly string[]
}

/** A progress update of a running tool. `delta.offset` is the byte offset of `text` in its stream. */
export interface Progress {
  /** 0 to 1. */
  progress?: number
  message?: string
  delta?: { stream: 'stdout' | 'stderr' | 'output'; text: string; offset: number }
}

/** The preview of a call for its approver. */
export interface Preview {
  title: string
  /** Shown in full and literally: a command line, a list of files. */
  text?: string
  /** Unified diff. */
  diff?: string
  /** Anything the approver must pay attention to, such as that the match was fuzzy. */
  notes?: string[]
  /** Anything else that the approver should know. */
  information?: string[]
}

export interface Attachment {
  media_type: string
  data_url: string
  width?: number
  height?: number
}

/** The result for a model and a person; `content` is bounded text. */
export interface Presented {
  title: string
  content: string
  metadata?: Record<string, unknown>
  attachments?: Attachment[]
  truncated?: boolean
}

/** An ended call with its file changes, oldest first. */
export interface PastCall {
  tool_call_id: string
  tool: string
  session_id: string
  finished_at: string
  changes: Change[]
}

/** History of earlier calls in the same workspace. */
export interface History {
  /** Returns undefined if there is no such call here, or it has not ended. */
  find(tool_call_id: string): PastCall | undefined
  /** Returns that call and all later ones of the same session that changed something, newest first. */
  since(tool_call_id: string): PastCall[]
  /** Returns the calls of the workspace that moved something after that one had ended, oldest first. */
  movesAfter(tool_call_id: string): PastCall[]
  /** Returns true if the same client sent that call, ended or not, in the same session. Both are as claimed by the client. */
  isOwn(tool_call_id: string): boolean
}

/** A file that a call deleted or moved away from a path that is free now. */
export interface FormerFile {
  /** Names the file, and the call, for the approver. */
  note: string
  /** Its content; left out where it is not kept, too large or may not be revealed. */
  bytes?: Buffer
}

/** A command that runs without approval. */
export interface AutoApproval {
  /** Its argv, if it is exactly one program, which is then started without a shell. */
  argv?: readonly string[]
}

/** Everything that a tool may use. Nothing is global. */
export interface Context {
  callId: string
  sessionId: string
  workspace: { name: string; root: string }
  /** Aborts on cancel, timeout and shutdown; its reason is a ToolError. */
  signal: AbortSignal
  /** Aborts when the call should continue without its waiters; see `detachable`. */
  detachSignal: AbortSignal
  host: Host
  /** The named shell that the call's command runs in, as evaluated. */
  shell?: NamedShell | undefined
  /** Stores the state of a named shell of the session; resolves when that is durable. */
  saveShell(shell: NamedShell): Promise<void>
  /** The program that was resolved for the call, as evaluated. */
  invocation?: Invocation | undefined
  /** Isolation of the call's commands, decided together with its verdict. */
  isolation: Isolation
  /** Set if its command was auto-approved; decided together with its verdict. */
  autoApproval?: AutoApproval | undefined
  /** Its command line is read-only, as far as is known. */
  isReadOnly?: boolean | undefined
  /** Background tasks. */
  jobs: BackgroundTasks
  history: History
  /** Delegates an effect to a front end, such as showing a file. */
  delegate: Delegate
  /**
   * Returns true if a file's content may be revealed before the call is decided on: it is no possible secret, and policy would
   * let the sender read it without approval.
   */
  canReveal(use: Pick<PathUse, 'path' | 'entry'>): boolean
  /**
   * Returns the file that stood at a free path until a call deleted it or moved it away: writing there counts as overwriting it,
   * and previews compare with it. Undefined if there was none.
   */
  formerFile(path: string): Promise<FormerFile | undefined>
  /** Evaluates the policy for reading another URL, such as the target of a redirect. */
  decideFetch(url: string): 'allow' | 'ask' | 'deny'
  /** Small JSON values of the session by key, which persist across restarts. */
  sessionStore: { read(key: string): unknown; write(key: string, value: unknown): Promise<void> }
}

export interface Tool<I extends TSchema = TSchema, O extends TSchema = TSchema> {
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
  /** The param with the subject of a call, if it is not the first required one, or else the first. */
  primary?: string
  /** It is listed only if an MCP server is configured. */
  needsMcpServers?: true
  /** A route calls it, and passes its content: it is served, but not listed. */
  calledByRoute?: true
  /** Timeout of a run; a tool with an internal limit adds a margin. */
  timeout_ms: number | ((input: Static<I>) => number)
  effect: Effect | ((input: Static<I>, ctx: Context) => Effect | Promise<Effect>)
  /** Returns the name of the shell that its command runs in, whose state becomes part of the evaluation; undefined for none. */
  shell?(input: Static<I>): string | undefined
  subject(input: Static<I>, history: History, shell?: NamedShell): Subject
  /** Returns touched paths besides those of the subject, if they depend on the workspace. Must have no side effects. */
  touches?(input: Static<I>, ctx: Context): Promise<PathUse[]> | PathUse[]
  /**
   * Returns the program that it starts, if that depends on the workspace: rules on commands apply to it too, and a decision is
   * bound to it. Undefined if it starts none. Must have no side effects.
   */
  invocation?(input: Static<I>, ctx: Context): Promise<Invocation | undefined> | Invocation | undefined
  /** Returns the identity of the external tool that the call invokes. Must have no side effects. */
  known_as?(input: Static<I>, ctx: Context): Promise<ExternalToolIdentity> | ExternalToolIdentity
  /** Validates the params and returns errors by pointer, if its schema is an external one. */
  validate?(input: unknown): { pointer: string; message: string }[]
  /**
   * Returns preconditions of a decision besides the params and the content of its paths, such as a branch's commit. Called after
   * `touches`, in the same evaluation. Must have no side effects.
   */
  stands_on?(input: Static<I>, ctx: Context): Promise<unknown> | unknown
  /** Fails early, before approval is requested. Must have no side effects. */
  check?(input: Static<I>, ctx: Context): Promise<void> | void
  /** Returns the reason for which no rule may auto-approve this call, such as a fuzzy match. Must have no side effects. */
  always_ask?(input: Static<I>, ctx: Context): Promise<ForcedReview | undefined> | ForcedReview | undefined
  /** Simulates a run and returns its output, also if it would fail because of an obstacle. Must have no side effects. */
  foresee?(input: Static<I>, ctx: Context): Promise<Static<O>> | Static<O>
  /** Builds the approver's preview. Must have no side effects. */
  preview?(input: Static<I>, ctx: Context): Promise<Preview> | Preview
  /** Runs the tool: returns a value or its promise, or a generator that yields progress. */
  run(input: Static<I>, ctx: Context): Static<O> | Promise<Static<O>> | AsyncGenerator<Progress, Static<O>>
  /** Cleans up once the call has ended, even after reject, error or cancel. */
  settled?(ctx: Context): Promise<void> | void
  present(output: Static<O>, input: Static<I>): Presented
  /** A second run is harmless, so a recoverable error may be retried. */
  idempotent?: boolean
  /** It settles early once `ctx.detachSignal` aborts, and leaves a job. Any other call continues in the background. */
  detachable?: boolean | ((input: Static<I>) => boolean)
  /** It starts nothing and returns quickly, so it bypasses the queue of its effect. */
  skipsQueue?: boolean
  /** It keeps all processors busy while it runs, so that few such calls run at once; by default false. */
  usesAllProcessors?: boolean | ((input: Static<I>) => boolean)
  /** While it runs it waits for a front end, so it occupies no slot and locks no files. */
  awaitsFrontEnd?: boolean
  /** Its output is captured and can be read by offset. */
  capturesOutput?: boolean
  /** The result depends only on the params and the files that the subject reads or lists (except ignored ones). */
  cacheable?: boolean | ((input: Static<I>) => boolean)
}

/** Infers a tool's types from its schemas. */
export const defineTool = <I extends TSchema, O extends TSchema>(tool: Tool<I, O>) => tool
