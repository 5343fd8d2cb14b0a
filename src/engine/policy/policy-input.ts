// The input of the policy: facts gathered beforehand, so that evaluation is pure.

import type { AlwaysOption, ApprovedBy, MatchedRule } from '../../protocol/decisions.ts'
import type { ErrorCode } from '../../protocol/error-codes.ts'
import type { IsolationLevel } from '../../protocol/isolation-levels.ts'
import type { ConfiguredRule, RuleLimit } from '../../protocol/rules.ts'
import type { SessionMode } from '../../protocol/session-mode.ts'
import type { CommandClass, Containment, Operand, SubCommand } from '../../shell/command-line-analysis.ts'
import type { Effect, ExternalToolIdentity } from '../../tool/request.ts'
import type { Category } from '../../tool/tool.ts'

/** A file with unsaved changes in an editor. */
export interface UnsavedFile {
  path: string
  client: string
  client_id: string
  /** Hash of the editor's text. */
  hash: string
}

/** A path as resolved by the descriptor walk. */
export interface PathFacts {
  path: string
  /** As the caller wrote it, if different. */
  given?: string
  /** The canonical path with the names that were asked for, if entries that look the same stand for them. */
  asked?: string
  access: 'read' | 'write' | 'list'
  protected?: 'write' | 'all'
  sensitive: boolean
  /** Some program later executes or interprets the file automatically. */
  self_starting: boolean
  /** The use also covers all descendants of the path. */
  tree?: boolean
  /** The use takes the file or folder to another name. */
  moved?: true
  /** Unsaved buffers of it, or of its covered descendants. */
  unsaved?: readonly UnsavedFile[]
}

/** A file or folder that a command names, with its target. */
export interface OperandFacts extends Operand {
  /** Canonical, relative to the root; absent if it is outside or cannot be determined. */
  resolved?: string
  sensitive?: boolean
  self_starting?: boolean
  protected?: 'write' | 'all'
  outside?: boolean
  /** As in `Operand`; set only if there is no such file. */
  ifMissing?: string
}

export interface CommandPartFacts extends SubCommand {
  operands: readonly OperandFacts[]
  /** The line names too many files: none of its operands is resolved. */
  unresolved?: true
  /** Canonical target of a preceding `cd`; null if it cannot be determined, absent if there is none. */
  folder?: string | null
}

/** A command line with the effects of its parts. */
export interface CommandFacts {
  /** The whole line. */
  text: string
  /** Canonical folder that it runs in; absent for the root. */
  cwd?: string
  class: CommandClass
  reason: string
  /** As in `CommandLineAnalysis`. */
  contained?: Containment
  /** A part is irrevocable, or the text may not run as it reads. */
  irrevocable?: true
  /** Reason for which it needs approval although it is confined: it may show files of git's history that hold credentials. */
  exposesHistory?: string
  parts: readonly CommandPartFacts[]
  /** All words that may be paths, joined to the folder that they are relative to; not resolved. */
  candidatePaths: readonly string[]
  /** Every word is known, so that rules can be matched against the parts. */
  literal: boolean
  /** As in `CommandLineAnalysis`. */
  hasAllParts: boolean
  /** The words of the single program that the whole line starts. */
  argv?: readonly string[]
}

/** The isolation that a command would run in. */
export interface ResolvedIsolation {
  level: IsolationLevel
  /** Level of commands that request none. */
  default: IsolationLevel
  /** Requested hosts beyond those that are granted to all. */
  network: readonly string[]
  /** All requested hosts. */
  requested?: readonly string[]
  /** Ports of the command that become reachable through the server. */
  ports?: readonly number[]
  /** Level in which a read-only command may run without approval; absent unless that level has been proven to hold here. */
  autoRunLevel?: 'read-only'
  /** Reason for which only a person may approve it: no sandbox works here, and `none` was not configured. */
  unsandboxedReason?: string
  /** The command can read the secrets and change the protected names in the workspace, although the level is to prevent that. */
  exposesWorkspace?: true
  /**
   * Secrets of the workspace that the command could read although the level is to hide them, relative to the root: only a person may
   * approve it.
   */
  readableSecrets?: readonly string[]
  /** The client runs the command, so no sandbox of the server applies. */
  atClient?: true
  /** The level is a fallback for a requested one that does not work here. */
  isFallback?: boolean
}

/**
 * A person approved every file that a command executes in the workspace as it is now, or not. `unseen`: it executes a file with a
 * content that does not exist yet, which no approval can cover.
 */
export type SourcesApproval = 'approved' | 'unapproved' | 'unseen'

/** The facts of one call that rules match against. Paths are canonical. */
export interface CallFacts {
  tool: string
  /** Names of the tool in toolsets. */
  alternateNames?: readonly string[] | undefined
  /** The external tool that the call invokes, if any. */
  externalTool?: ExternalToolIdentity | undefined
  category: Category
  effect: Effect
  /** The params that the call will run with. */
  params?: unknown
  /** Name of the param with the subject of the call. */
  primary?: string | undefined
  paths: readonly Pick<PathFacts, 'path' | 'given' | 'asked' | 'access' | 'tree' | 'moved'>[]
  command?: CommandFacts | undefined
  /** Absent if the command executes no file of the workspace, whatever the files are. */
  sources?: SourcesApproval | undefined
  /** Params besides the command's text that modify its behavior. */
  modifiers?: readonly string[] | undefined
  isolation?: ResolvedIsolation | undefined
  /** Host of the URL, with its port. */
  host?: string | undefined
  /** As given; `host` is derived from it. */
  url?: string | undefined
  /** The host is in the allowlist of those that are read without approval. */
  isHostAllowed?: boolean | undefined
  /** The HTTP method, and a description of other data that is sent. */
  method?: string | undefined
  sends?: readonly string[] | undefined
  agent?: string | undefined
  client: string
}

export interface PolicyInput extends CallFacts {
  paths: readonly PathFacts[]
  /** The caller holds the right to approve, so it is not only an agent. */
  may_approve: boolean
  /** Names of the environment variables that it sets for the command. */
  envNames?: readonly string[] | undefined
  /** The command outlives its call. */
  longRunning?: boolean | undefined
  /** Reason for which the changes of its command cannot be those of the call, so that undo would not take them back. */
  untracked?: string | undefined
  /** A file that it changes and undo could not bring back, as one sentence. */
  beyondUndo?: string | undefined
  /** It acts only on a job that the same session has started. */
  ownedBySession?: boolean | undefined
  /** An executed file that has changed since a person approved it. */
  changedSource?: string | undefined
  /** Why approval of it is strict: it executes a script whose text cannot be shown, and that no person approved as it is. */
  unshownSource?: string | undefined
  /** Reason for which a change may alter what a running command does. */
  runningSource?: string | undefined
  /** The files that it takes the place of or moves away although it overwrites none, as one sentence. */
  displacement?: string | undefined
  /** Reason for requesting approval, if the one derived from the effect would be wrong. */
  approvalReason?: string | undefined
  /** Reason for which no rule may auto-approve this call, such as an edit that matched only fuzzily. */
  always_ask?: string | undefined
  /** Reason for which it needs strict approval, whatever its effect and the rules. */
  strictReason?: string | undefined
  /** Reason for which it is denied unless a rule allows it. */
  ruleRequiredReason?: string | undefined
}

/** The decision if no rule matches. */
export interface DefaultDecision {
  decision: 'allow' | 'ask' | 'strict'
  reason: string
}

export interface EffectiveRules {
  /** Milliseconds since the Unix epoch, for rules that expire. */
  now: number
  /** Only reads are permitted: in this server, for this agent, or by the mode of the session. */
  readOnly: boolean | 'agent' | 'mode'
  mode: SessionMode
  /** Decision for a call-only token that reads a sensitive file. */
  sensitiveCallOnly: 'deny' | 'ask'
  /** Require approval to write a file with unsaved changes. */
  askForUnsaved: boolean
  administrator: readonly RankedRule[]
  user: readonly RankedRule[]
  /** Saved rules in force for the call's session and workspace. */
  saved: readonly RankedRule[]
  workspace: readonly RankedRule[]
}

/** The rule with a limit, and the agent or session, that a call counts for. */
export interface Budget {
  /** Identifies the rule. */
  rule: string
  /** The agent or session of the call, if those are counted separately. */
  subject: string
  limit: RuleLimit
}

/** A rule of a tier. */
export interface RankedRule extends ConfiguredRule {
  /** Present for a rule of the hub. */
  source?: 'hub'
  /** Present for a saved rule. */
  rule_id?: string
  /** Present for a rule with a limit. */
  budget?: Budget
  /** Reason for which the rule asks although it allows: its limit is reached. */
  exhausted?: string
}

export interface PolicyVerdict {
  decision: 'allow' | 'ask' | 'strict' | 'deny'
  /** With deny by the server itself: the code of the failed call. A deny by rule has none and rejects the call. */
  code?: ErrorCode
  reason: string
  matched_rules: MatchedRule[]
  always_options: AlwaysOption[]
  /** With allow: the approver. */
  source: ApprovedBy['source']
  /** With ask and strict: a rule demands that a person at the hub approves it. */
  approver?: 'hub'
  /** With ask and strict: the number of persons who must approve it, if rules demand several. */
  approvals?: number
  /** With ask and strict: the longest wait for a decision, if rules limit that. */
  expiresAfterMs?: number
  /** The mode of the session, if that decides otherwise than by default. */
  mode?: SessionMode
  rule_id?: string
  /** With allow by rules: all that match, as far as they count their calls. */
  allowedBy?: readonly RankedRule[]
}
