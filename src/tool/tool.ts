// What a tool is. A tool states facts; policy decides, the engine runs, routes speak HTTP.
import type { Static, TSchema } from 'typebox'
import type { Change } from '../host/change.ts'
import type { Host } from '../host/host.ts'
import type { RequestableLevel } from '../host/sandbox/isolation-levels.ts'
import type { Isolation } from '../host/sandbox/sandbox.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import type { Delegate } from './front-end.ts'

/** What running a call does to the world, at most. Policy decides on it; `create` puts something where nothing was. */
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

/** A path that a call touches. `list` means looked through as a tree, without promising a consistent view of it. */
export interface PathUse {
  path: string
  access: 'read' | 'write' | 'list'
  /** The use covers everything beneath the path too. */
  tree?: boolean
  /** Where a folder and what is beneath it goes, or with access read is copied to: it is judged by its new names too. */
  renamed_to?: string
  /** The entry itself is meant: a link at the end of the path is not followed. */
  entry?: boolean
  /** The hash the file must have for the write to go ahead, as given by an earlier read. */
  if_match?: string | undefined
}

/** What rules, locks and previews match on. */
export interface Subject {
  paths?: PathUse[]
  command?: string
  cwd?: string
  /** Params besides the command's text that change what it does, such as its environment. */
  modifiers?: string[]
  /** Names of the environment variables that it gives to the command. */
  envNames?: string[]
  url?: string
  /** What `url` is sent, where it is more than read: policy lets nobody send unasked who may only read there. */
  sends?: { method: string; parts: string[] }
  /** What the command asks to be kept by, where that is not the server's default. */
  isolation?: IsolationRequest
  /** The command outlives its call. */
  longRunning?: true
  /** It acts only on what the same session has started itself. */
  ownedBySession?: boolean
  /** Why it is asked about, in one sentence, where its effect says that wrongly: it acts on what runs already. */
  approvalReason?: string
  /** Why it takes a strict approval, whatever its effect and the rules. */
  strictReason?: string
  /** Why it is refused unless a rule allows it. */
  ruleRequiredReason?: string
  /** Ids of earlier calls that it is about. A decision holds for exactly these. */
  callIds?: string[]
}

/** What a command asks to be kept by. */
export interface IsolationRequest {
  /** Undefined for the server's default. */
  level?: RequestableLevel | undefined
  /** Host patterns that it asks to reach. */
  network?: readonly string[] | undefined
  /** Where the level does not hold it may run as all commands do in a container that is the sandbox, being asked about; or
   * with none, if `sandbox.run_code` is `ask`: then it is asked strictly. */
  allowFallback?: boolean
}

/** A tool that is not ours, which a call leads to under one name or another. */
export interface ExternalToolIdentity {
  /** All names by which rules may name it, the most exact first. */
  names: readonly string[]
  /** Hash of all that it says of itself. A rule that people made by answering "always" holds for no other. */
  definition: string
}

/** One program with its words, started without a shell, and the folder it runs in. */
export interface Invocation {
  argv: readonly string[]
  cwd: string
  /** What people and rules read, where the words only say how several programs are started one after the other. */
  commandLine?: string
  /** What the tool knows the program by, such as a test runner. */
  name?: string
  /** Hosts that it asks to reach, as in `IsolationRequest`. */
  network?: readonly string[]
}

/** One step told while running. `delta.offset` is the byte offset of `text` in its stream. */
export interface Progress {
  /** 0 to 1. */
  progress?: number
  message?: string
  delta?: { stream: 'stdout' | 'stderr' | 'output'; text: string; offset: number }
}

/** What an approver sees of a call before it runs. */
export interface Preview {
  title: string
  /** Shown whole and literally: a command line, a list of files. */
  text?: string
  /** Unified diff. */
  diff?: string
  /** Anything the approver must know, such as that the match was fuzzy. */
  notes?: string[]
}

export interface Attachment {
  media_type: string
  data_url: string
  width?: number
  height?: number
}

/** The answer for a model and a person; `content` is bounded text. */
export interface Presented {
  title: string
  content: string
  metadata?: Record<string, unknown>
  attachments?: Attachment[]
  truncated?: boolean
}

/** A call that has ended, with what it did to files, oldest change first. */
export interface PastCall {
  tool_call_id: string
  tool: string
  session_id: string
  finished_at: string
  changes: Change[]
}

/** What earlier calls in the same workspace did. */
export interface History {
  /** Undefined where there is no such call here, or it has not ended. */
  find(tool_call_id: string): PastCall | undefined
  /** That call and all that ended after it in the same session and changed something, newest first. */
  since(tool_call_id: string): PastCall[]
  /** The calls of the workspace that moved something after that one had ended, oldest first. */
  movesAfter(tool_call_id: string): PastCall[]
  /** Whether the same client sent that call, ended or not, in the same session, by their own words. */
  isOwn(tool_call_id: string): boolean
}

/** A command that runs with nobody asked. */
export interface AutoApproval {
  /** Its words, where it is nothing but one program: that is started without a shell. */
  argv?: readonly string[]
}

/** Everything a tool may use. Nothing is global. */
export interface Context {
  callId: string
  sessionId: string
  workspace: { name: string; root: string }
  /** Aborts on cancel, time limit and shutdown; its reason is a ToolError. */
  signal: AbortSignal
  /** Aborts when the call should go on without whoever waits for it; see `detachable`. */
  detachSignal: AbortSignal
  host: Host
  /** The program that was found for the call, as it was judged. */
  invocation?: Invocation | undefined
  /** What keeps the commands that the call runs: decided together with its verdict. */
  isolation: Isolation
  /** Set where its command runs by itself, with nobody asked; decided together with its verdict. */
  autoApproval?: AutoApproval | undefined
  /** All that its command line does is to read, as far as is known. */
  isReadOnly?: boolean | undefined
  /** What runs on after its call. */
  jobs: BackgroundTasks
  history: History
  /** Asks a front end to do something, such as showing a file. */
  delegate: Delegate
  /** Whether what is in a file may be told before the call is decided on: nothing that may be a secret, and nothing that
   * policy would not let whoever sent the call read at once. */
  canReveal(use: Pick<PathUse, 'path' | 'entry'>): boolean
  /** What policy says of reading at another URL, as where this one leads on. */
  decideFetch(url: string): 'allow' | 'ask' | 'deny'
  /** The session's own small values, kept across restarts: JSON by key. */
  sessionStore: { read(key: string): unknown; write(key: string, value: unknown): Promise<void> }
}

export interface Tool<I extends TSchema = TSchema, O extends TSchema = TSchema> {
  /** The file's name. */
  name: string
  /** Tells this tool from an earlier or later one of the same name, where it can change while the server runs: a decision
   * holds for this one. */
  version?: string
  category: Category
  /** One or two sentences for a person and a model. */
  description: string
  input: I
  output: O
  /** The param that says what a call is about, where that is not the first that it requires, or else its first. */
  primary?: string
  /** How long a run may take; a tool with a limit of its own gives itself a little more. */
  timeout_ms: number | ((input: Static<I>) => number)
  effect: Effect | ((input: Static<I>, ctx: Context) => Effect | Promise<Effect>)
  subject(input: Static<I>, history: History): Subject
  /** The params as they are told in events, without what may be a secret in them. */
  redact?(input: Static<I>): unknown
  /** Paths that it touches besides those of its subject, where only a look can tell which. Changes nothing. */
  touches?(input: Static<I>, ctx: Context): Promise<PathUse[]> | PathUse[]
  /** The program that it starts, where that depends on what is in the workspace: rules on commands hold for it too, and
   * a decision holds for no other. Undefined where it starts none. Changes nothing. */
  invocation?(input: Static<I>, ctx: Context): Promise<Invocation | undefined> | Invocation | undefined
  /** What the call leads to, where that is a tool that is not ours. Changes nothing. */
  known_as?(input: Static<I>, ctx: Context): Promise<ExternalToolIdentity> | ExternalToolIdentity
  /** What is wrong with the params by pointer, where its schema is not ours to hold them against. */
  validate?(input: unknown): { pointer: string; message: string }[]
  /** What must still be so for a decision to hold besides the params and the content of its paths, such as where a
   * branch stands. It is asked after `touches`, about the same look. Changes nothing. */
  stands_on?(input: Static<I>, ctx: Context): Promise<unknown> | unknown
  /** Fails early, before anybody is asked. Changes nothing. */
  check?(input: Static<I>, ctx: Context): Promise<void> | void
  /** Why no rule may wave this call through, such as a match that is only rough. Changes nothing. */
  always_ask?(input: Static<I>, ctx: Context): Promise<string | undefined> | string | undefined
  /** What a run would answer now, also where it would fail for what is in its way. Changes nothing. */
  foresee?(input: Static<I>, ctx: Context): Promise<Static<O>> | Static<O>
  /** What the approver sees. Changes nothing. */
  preview?(input: Static<I>, ctx: Context): Promise<Preview> | Preview
  /** A value or its promise, or a generator whose yields are progress. */
  run(input: Static<I>, ctx: Context): Static<O> | Promise<Static<O>> | AsyncGenerator<Progress, Static<O>>
  /** Always runs once the call has ended, even on reject, error or cancel. */
  settled?(ctx: Context): Promise<void> | void
  present(output: Static<O>, input: Static<I>): Presented
  /** A second run is harmless, so a recoverable fault may be retried. */
  idempotent?: boolean
  /** It settles early once `ctx.moved` aborts, and leaves a job. Any other call just runs on in the background. */
  detachable?: boolean | ((input: Static<I>) => boolean)
  /** It starts nothing and is over in a moment, so it does not wait until fewer calls of its effect run. */
  skipsQueue?: boolean
  /** While it runs it waits for a front end, so it takes no place from other calls, and none waits for the files that it
   * looks at. */
  awaitsFrontEnd?: boolean
  /** What it prints is captured and can be read by offset. */
  capturesOutput?: boolean
  /** The answer depends on nothing but the params and the files that the subject reads or lists (ignored ones left out). */
  cacheable?: boolean | ((input: Static<I>) => boolean)
}

/** Gives a tool its types without naming them twice. */
export const defineTool = <I extends TSchema, O extends TSchema>(tool: Tool<I, O>) => tool
