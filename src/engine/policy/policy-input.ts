// What policy is asked about a call and by what it decides: facts alone, found before, so that deciding runs nothing and
// reads nothing.
import type { ConfiguredRule } from '../../config/schema.ts'
import type { ErrorCode } from '../../errors.ts'
import type { Level } from '../../host/sandbox/sandbox.ts'
import type { CommandClass, Operand, SubCommand } from '../../shell/command-line-analysis.ts'
import type { Category, Effect, KnownAs } from '../../tool/tool.ts'
import type { AlwaysOption, ApprovedBy, MatchedRule, RememberedRule } from '../call.ts'

/** A file that an editor holds with unsaved changes. */
export interface HeldFile {
  path: string
  client: string
  client_id: string
  /** Of the editor's text. */
  hash: string
}

/** A path as the descriptor walk found it. */
export interface JudgedPath {
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
  unsaved?: readonly HeldFile[]
}

/** A file or folder that a command names, and where that leads. */
export interface JudgedOperand extends Operand {
  /** Canonical, relative to the root; absent where it leads outside or cannot be told. */
  resolved?: string
  sensitive?: boolean
  self_starting?: boolean
  protected?: 'write' | 'all'
  outside?: boolean
}

export interface JudgedPart extends SubCommand {
  operands: readonly JudgedOperand[]
  /** Canonical folder that a `cd` before it leads to; null where that cannot be told, absent where there is none. */
  folder?: string | null
}

/** A command line with what its parts would touch taken into account. */
export interface JudgedCommand {
  /** The whole line. */
  text: string
  /** Canonical folder it runs in; absent for the root. */
  cwd?: string
  class: CommandClass
  reason: string
  parts: readonly JudgedPart[]
  /** All words that may be paths, put to the folder they would be looked for in; nobody looked where they lead. */
  named: readonly string[]
  /** Every word of it is known, so that rules can be held against its parts. */
  literal: boolean
  /** The words of the one program that the whole line starts. */
  argv?: readonly string[]
}

/** What would keep the command of a call. */
export interface Kept {
  level: Level
  /** What commands get here that ask for nothing else. */
  default: Level
  /** Hosts that it would reach beyond those that are granted to all. */
  network: readonly string[]
  /** The level in which a command that only reads may run by itself; absent where none may. */
  automatic?: Level
  /** Why nobody but a person may let it run: no sandbox holds here, and none was not chosen. */
  unkept?: string
  /** It has a level that it did not ask for, since that does not hold here. */
  instead?: boolean
}

/** The facts of one call that rules look at. Paths are canonical. */
export interface Facts {
  tool: string
  /** What toolsets call it. */
  other_names?: readonly string[] | undefined
  /** What it leads to, where that is a tool that is not ours. */
  known_as?: KnownAs | undefined
  category: Category
  effect: Effect
  /** As the call will run with them. */
  params?: unknown
  /** The param that says what the call is about. */
  primary?: string | undefined
  paths: readonly Pick<JudgedPath, 'path' | 'given' | 'access' | 'tree'>[]
  command?: JudgedCommand | undefined
  /** Params besides the command's text that change what it does. */
  alters?: readonly string[] | undefined
  kept?: Kept | undefined
  /** Of the URL, with its port. */
  host?: string | undefined
  /** As given; `host` is the one it leads to. */
  url?: string | undefined
  /** It is among those that are read without asking. */
  host_allowed?: boolean | undefined
  /** How the URL is asked, and what it is sent besides, in words. */
  method?: string | undefined
  sends?: readonly string[] | undefined
  agent?: string | undefined
  client: string
}

export interface Question extends Facts {
  paths: readonly JudgedPath[]
  /** The caller holds the right to approve, so it is not a mere agent. */
  may_approve: boolean
  /** Names of the variables that it gives to the command. */
  variables?: readonly string[] | undefined
  /** The command outlives its call. */
  lasts?: boolean | undefined
  /** It acts only on what the same session has started itself. */
  own?: boolean | undefined
  /** Why it is asked about, where its effect says that wrongly. */
  because?: string | undefined
  /** Why no rule may wave this call through, such as an edit that matched only roughly. */
  always_ask?: string | undefined
  /** Why it takes a strict approval, whatever its effect and the rules. */
  strict?: string | undefined
  /** Why it is refused unless a rule allows it. */
  only_by_rule?: string | undefined
}

export interface Rulebook {
  /** Milliseconds since 1970, for rules that expire. */
  now: number
  /** Nothing but reads: in this server, or of this agent. */
  read_only: boolean | 'agent'
  /** What a call-only token gets when it reads a sensitive file. */
  sensitive_call_only: 'deny' | 'ask'
  /** What an editor holds unsaved is written only after asking. */
  ask_for_unsaved: boolean
  administrator: readonly ConfiguredRule[]
  user: readonly ConfiguredRule[]
  /** Those in force for the call's session and workspace. */
  remembered: readonly RememberedRule[]
  workspace: readonly ConfiguredRule[]
}

export interface Verdict {
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
