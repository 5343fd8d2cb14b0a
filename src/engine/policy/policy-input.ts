// What policy is asked about a call and by what it decides: facts alone, found before, so that deciding runs nothing and
// reads nothing.
import type { ConfiguredRule } from '../../config/schema.ts'
import type { ErrorCode } from '../../errors.ts'
import type { IsolationLevel } from '../../host/sandbox/sandbox.ts'
import type { CommandClass, Operand, SubCommand } from '../../shell/command-line-analysis.ts'
import type { Category, Effect, ExternalToolIdentity } from '../../tool/tool.ts'
import type { AlwaysOption, ApprovedBy, MatchedRule, SavedRule } from './decision-schemas.ts'

/** A file that an editor holds with unsaved changes. */
export interface UnsavedFile {
  path: string
  client: string
  client_id: string
  /** Of the editor's text. */
  hash: string
}

/** A path as the descriptor walk found it. */
export interface PathFacts {
  path: string
  /** As the caller wrote it, where that is not the same. */
  given?: string
  access: 'read' | 'write' | 'list'
  protected?: 'write' | 'all'
  sensitive: boolean
  /** Some program runs or obeys the file later by itself. */
  self_starting: boolean
  /** The use covers everything beneath the path too. */
  tree?: boolean
  /** What editors hold of it, or of what is covered beneath it. */
  unsaved?: readonly UnsavedFile[]
}

/** A file or folder that a command names, and where that leads. */
export interface OperandFacts extends Operand {
  /** Canonical, relative to the root; absent where it leads outside or cannot be told. */
  resolved?: string
  sensitive?: boolean
  self_starting?: boolean
  protected?: 'write' | 'all'
  outside?: boolean
}

export interface CommandPartFacts extends SubCommand {
  operands: readonly OperandFacts[]
  /** Canonical folder that a `cd` before it leads to; null where that cannot be told, absent where there is none. */
  folder?: string | null
}

/** A command line with what its parts would touch taken into account. */
export interface CommandFacts {
  /** The whole line. */
  text: string
  /** Canonical folder it runs in; absent for the root. */
  cwd?: string
  class: CommandClass
  reason: string
  parts: readonly CommandPartFacts[]
  /** All words that may be paths, put to the folder they would be looked for in; nobody looked where they lead. */
  candidatePaths: readonly string[]
  /** Every word of it is known, so that rules can be held against its parts. */
  literal: boolean
  /** The words of the one program that the whole line starts. */
  argv?: readonly string[]
}

/** What would keep the command of a call. */
export interface ResolvedIsolation {
  level: IsolationLevel
  /** What commands get here that ask for nothing else. */
  default: IsolationLevel
  /** Hosts that it would reach beyond those that are granted to all. */
  network: readonly string[]
  /** The level in which a command that only reads may run by itself; absent where none may. */
  autoRunLevel?: IsolationLevel
  /** Why nobody but a person may let it run: no sandbox holds here, and none was not chosen. */
  unsandboxedReason?: string
  /** It has a level that it did not ask for, since that does not hold here. */
  isFallback?: boolean
}

/** The facts of one call that rules look at. Paths are canonical. */
export interface CallFacts {
  tool: string
  /** What toolsets call it. */
  alternateNames?: readonly string[] | undefined
  /** What it leads to, where that is a tool that is not ours. */
  externalTool?: ExternalToolIdentity | undefined
  category: Category
  effect: Effect
  /** As the call will run with them. */
  params?: unknown
  /** The param that says what the call is about. */
  primary?: string | undefined
  paths: readonly Pick<PathFacts, 'path' | 'given' | 'access' | 'tree'>[]
  command?: CommandFacts | undefined
  /** Params besides the command's text that change what it does. */
  modifiers?: readonly string[] | undefined
  isolation?: ResolvedIsolation | undefined
  /** Of the URL, with its port. */
  host?: string | undefined
  /** As given; `host` is the one it leads to. */
  url?: string | undefined
  /** It is among those that are read without asking. */
  isHostAllowed?: boolean | undefined
  /** How the URL is asked, and what it is sent besides, in words. */
  method?: string | undefined
  sends?: readonly string[] | undefined
  agent?: string | undefined
  client: string
}

export interface PolicyInput extends CallFacts {
  paths: readonly PathFacts[]
  /** The caller holds the right to approve, so it is not a mere agent. */
  may_approve: boolean
  /** Names of the variables that it gives to the command. */
  envNames?: readonly string[] | undefined
  /** The command outlives its call. */
  longRunning?: boolean | undefined
  /** It acts only on what the same session has started itself. */
  ownedBySession?: boolean | undefined
  /** Why it is asked about, where its effect says that wrongly. */
  approvalReason?: string | undefined
  /** Why no rule may wave this call through, such as an edit that matched only roughly. */
  always_ask?: string | undefined
  /** Why it takes a strict approval, whatever its effect and the rules. */
  strictReason?: string | undefined
  /** Why it is refused unless a rule allows it. */
  ruleRequiredReason?: string | undefined
}

export interface EffectiveRules {
  /** Milliseconds since 1970, for rules that expire. */
  now: number
  /** Nothing but reads: in this server, or of this agent. */
  readOnly: boolean | 'agent'
  /** What a call-only token gets when it reads a sensitive file. */
  sensitiveCallOnly: 'deny' | 'ask'
  /** What an editor holds unsaved is written only after asking. */
  askForUnsaved: boolean
  administrator: readonly ConfiguredRule[]
  user: readonly ConfiguredRule[]
  /** Those in force for the call's session and workspace. */
  saved: readonly SavedRule[]
  workspace: readonly ConfiguredRule[]
}

export interface PolicyVerdict {
  decision: 'allow' | 'ask' | 'strict' | 'deny'
  /** With deny by the server itself: the code of the failed call. A deny by rule has none and rejects the call. */
  code?: ErrorCode
  reason: string
  matched_rules: MatchedRule[]
  always_options: AlwaysOption[]
  /** With allow: who let it through. */
  source: ApprovedBy['source']
  rule_id?: string
}
