// Contexts of a tool: the services that it may use at each step of a call. Each includes the one before; none is global or assigned to.
import type { Change } from '../host/change.ts'
import type { Files } from '../host/files/files.ts'
import type { Host } from '../host/host.ts'
import type { Isolation } from '../host/sandbox/sandbox.ts'
import type { Delegate } from '../protocol/front-end.ts'
import type { TraceHeaders } from '../protocol/trace-context.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import type { NamedShell } from './named-shell.ts'
import type { PathUse } from './request.ts'

/** For a request: looks up names, and reads no content. */
export interface LookupContext {
  call: CallIdentity
  host: LookupHost
  history: History
  session: SessionState
}

/** For a plan: reads contents, and changes nothing. */
export interface ReadContext extends LookupContext {
  /** Aborts on cancel, timeout and shutdown; its reason is a ToolError. */
  signal: AbortSignal
  host: ReadHost
  /** The command of the request as it would run. */
  command: CommandOutlook
  jobs: Pick<BackgroundTasks, 'get'>
  delegate: Pick<Delegate, 'assertAvailable'>
  /**
   * Returns true if a file's content may be revealed before the call is decided on: it is no possible secret, and policy would
   * let the sender read it without approval.
   */
  canReveal(use: Pick<PathUse, 'path' | 'entry' | 'literal'>): boolean
}

/** For a run: acts. */
export interface RunContext extends ReadContext {
  host: Host
  command: CommandGrant
  jobs: BackgroundTasks
  delegate: Delegate
  session: WritableSessionState
  /** Evaluates the policy for reading another URL, such as the target of a redirect. */
  decideFetch(url: string): 'allow' | 'ask' | 'deny'
}

export interface CallIdentity {
  id: string
  sessionId: string
  workspace: { name: string; root: string; spellings: readonly string[] }
  /** The client executes the call once it is allowed; by default the server. */
  executor?: 'client' | undefined
  /** The trace context to hand on, if the call has one. */
  trace?: TraceHeaders
}

/** The parts of the host that reveal no content. */
export interface LookupHost {
  files: Pick<Files, 'accept' | 'peek' | 'peekEntry' | 'resolve' | 'unsaved'>
  languages: Pick<Host['languages'], 'isolationLevel'>
  mcp: Pick<Host['mcp'], 'tool'>
  processes: Pick<Host['processes'], 'hasLevel'>
}

type FileMutation =
  | 'create'
  | 'replace'
  | 'remove'
  | 'removeTree'
  | 'move'
  | 'moveOver'
  | 'makeDirectory'
  | 'makeDirectories'
  | 'runTransaction'

/** Files without what changes them. */
export type ReadFiles = Omit<Files, FileMutation>

/** The host without what changes the workspace or reaches others. */
export type ReadHost = Omit<Host, 'files' | 'mcp' | 'downloads' | 'uploads' | 'track' | 'trackIfCheap' | 'cover'> & {
  files: ReadFiles
  mcp: Pick<Host['mcp'], 'tool'>
  uploads: Pick<Host['uploads'], 'content'>
}

/** The command of a request. */
export interface CommandOutlook {
  isolation: Pick<Isolation, 'level'>
  /** Its command line is read-only, as far as is known. */
  isReadOnly: boolean
}

/** The command of a call as it was decided on. */
export interface CommandGrant extends CommandOutlook {
  isolation: Isolation
  /** Set if its command was auto-approved. */
  autoApproval?: AutoApproval
}

/** A command that runs without approval. */
export interface AutoApproval {
  /** Its argv, if it is exactly one program, which is then started without a shell. */
  argv?: readonly string[]
}

/** State of the call's session, which persists across restarts. */
export interface SessionState {
  /** Returns a small JSON value by its key. */
  read(key: string): unknown
  /** Returns the state of a named shell; a new one starts in the root. */
  shell(name: string): NamedShell
}

export interface WritableSessionState extends SessionState {
  write(key: string, value: unknown): Promise<void>
  /** Stores the state of a named shell; resolves when that is durable. */
  saveShell(shell: NamedShell): Promise<void>
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
  /**
   * Returns the file that stood at a free path until a call deleted it or moved it away: writing there counts as overwriting it,
   * and previews compare with it. Undefined if there was none.
   */
  formerFile(path: string): Promise<FormerFile | undefined>
}

/** A file that a call deleted or moved away from a path that is free now. */
export interface FormerFile {
  /** Names the file, and the call, for the approver. */
  note: string
  /** Its content; left out where it is not kept, too large or may not be revealed. */
  bytes?: Buffer
}
