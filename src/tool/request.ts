// The request of a call: what it names, before anything is read for it. Rules, locks and digests build on it.
import type { RequestableLevel } from '../protocol/isolation-levels.ts'
import type { NamedShell } from './named-shell.ts'

/** The maximum effect of running a call, on which policy decides; `create` adds something without overwriting. */
export type Effect = 'read' | 'create' | 'write' | 'execute' | 'network' | 'destructive'

/**
 * The paths, command, URL and calls that a call names. It is made from the params and from names in the workspace alone, so that it
 * reveals nothing to a caller whom policy then denies the call.
 */
export interface Request {
  /** The effect, if the tool's own depends on the call. */
  effect?: Effect
  paths?: PathUse[]
  /** The command line, program or code that it runs. */
  command?: CommandRequest
  url?: UrlRequest
  externalTool?: ExternalToolIdentity
  earlierCalls?: EarlierCalls
  reasons?: ReviewReasons
}

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
  /** The entry itself is used, at this very path: no symbolic link is followed. */
  literal?: boolean
  /** The path means this very name, although it need not be on disk: no other entry stands for it. */
  exact?: boolean
  /** Required hash of the file for the write to proceed, as returned by an earlier read. */
  if_match?: string | undefined
}

/** A command line, a program or code, with what modifies its behavior. Neither `line` nor `program` is set for code. */
export interface CommandRequest {
  /** Text that a shell runs. */
  line?: string
  /** Program that is started without a shell. */
  program?: Invocation
  /** Folder of the line; the root by default. */
  cwd?: string
  /** Params besides the command's text that modify its behavior, such as its environment. */
  modifiers?: string[]
  /** Names of the environment variables that it sets for the command. */
  envNames?: string[]
  /** Names executed files, if `line` or `program` does not name all: they are shown, and the decision is bound to them. */
  execution?: Execution
  /** State of the named shell that it runs in. A decision is bound to it. */
  shell?: NamedShell
  /** Isolation requested for the command, if not the server's default. */
  isolation?: IsolationRequest
  /** The command outlives its call. */
  longRunning?: true
  /** Reason, as one sentence, for which the changes of its command cannot be recorded as changes of the call. */
  untracked?: string
  /** Requests that the changes of its command be recorded as changes of the call, or not; by default the server's setting. */
  tracks?: boolean | undefined
}

/** A command line with its environment and its input, by which it may execute further files. */
export interface Execution {
  line: string
  env?: Readonly<Record<string, string>> | undefined
  stdin?: string | undefined
}

/** A program with its argv and working folder, started without a shell. */
export interface Invocation {
  argv: readonly string[]
  cwd: string
  /** Command line for people and rules, if the words only describe how several programs are started in sequence. */
  commandLine?: string
  /** Requested hosts, as in `IsolationRequest`. */
  network?: readonly string[]
}

/** The isolation requested for a command. */
export interface IsolationRequest {
  /** Undefined for the server's default. */
  level?: RequestableLevel | undefined
  /** Host patterns to grant access to. */
  network?: readonly string[] | undefined
  /** Ports of the command to make reachable through the server. */
  ports?: readonly number[] | undefined
  /** The client runs the command, so no sandbox of the server applies; with level `none`. */
  atClient?: true
  /**
   * If the level does not work, permits running, with approval, like all commands in a container that serves as the sandbox; or
   * with none, if `sandbox.run_code` is `ask`, with strict approval.
   */
  allowFallback?: boolean
}

/** A URL, and the data sent to it if it is more than read: permission to read does not include sending. */
export interface UrlRequest {
  url: string
  sends?: { method: string; parts: string[] }
}

/** An external tool that a call invokes under any of its names. */
export interface ExternalToolIdentity {
  /** All names that rules may use, the most specific first. */
  names: readonly string[]
  /** Hash of the tool's full definition. A decision and a saved rule from "always" are bound to it. */
  definition: string
}

/** Earlier calls that a call refers to. A decision is bound to exactly these. */
export interface EarlierCalls {
  ids: readonly string[]
  /** It acts only on jobs that the same session has started. */
  ownedBySession?: boolean
}

/** Reasons for which a call needs approval, each as one sentence. */
export interface ReviewReasons {
  /** Replaces the reason derived from the effect where that would be wrong: it acts on a running process. */
  approval?: string
  /** It needs approval whatever the rules and the mode, unless it only reads. */
  ask?: string
  /** It needs strict approval, whatever its effect and the rules. */
  strict?: string
  /** It is denied unless a rule allows it. */
  rule?: string
}
