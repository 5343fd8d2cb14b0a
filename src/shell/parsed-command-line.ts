// A parsed line: its simple commands, and other syntax that affects the classification.
import type { CommandClass, Containment } from './command-line-analysis.ts'

/** Reason for which a word is not literal. */
export type ExpansionKind = 'pattern' | 'braces' | 'home' | 'variable' | 'expansion'

export interface Word {
  /** As written. */
  raw: string
  /** The value that the program receives; undefined if it depends on execution. */
  value: string | undefined
  /** Without quotes and with unexpanded parts: sufficient to find the worst case. */
  unquoted: string
  expansion?: ExpansionKind
  /** It expands to a number, or to more words that begin with the same flag. */
  safeExpansion?: true
  /** It is a loop variable, with values from the words of the loop. */
  loopVariable?: true
  /** Its variables that do not get their values from the line or the shell; undefined if it is literal. */
  environment?: readonly string[]
}

export interface Redirect {
  operator: string
  fd: number | undefined
  /** Undefined for a here-document. */
  target: Word | undefined
  /** The text of a here-document or here-string. */
  body?: string
}

/** Empty and discarding files, and the command's own output. */
export const HARMLESS_FILES: ReadonlySet<string> = new Set(['/dev/null', '/dev/stdout', '/dev/stderr'])

/** Returns true if the redirect accesses nothing besides the command's own input and output. */
export function isHarmlessRedirect({ operator, target, body }: Redirect): boolean {
  if (body !== undefined || target?.value === undefined) return false
  return HARMLESS_FILES.has(target.value) || (/^[<>]&$/.test(operator) && /^\d$/.test(target.value))
}

/** A command with its words; or, without any, the redirects of a group. */
export interface SimpleCommand {
  /** As written. */
  text: string
  words: readonly Word[]
  assignments: readonly Assignment[]
  redirects: readonly Redirect[]
  /** The command that is piped into it. */
  pipedFrom?: SimpleCommand
  /** Folder of a preceding `cd`; null if it cannot be determined. */
  cwd: string | null | undefined
}

export interface Assignment {
  name: string
  text: string
  value: string | undefined
  /** As for words. */
  environment: readonly string[]
}

export interface CommandIssue {
  class: Exclude<CommandClass, 'auto'>
  /** One sentence for a person. */
  reason: string
  /** Set if it needs approval only where the line is not confined to reading. `computes`: bash may execute what a variable holds. */
  contained?: Containment
  /** The line needs strict approval wherever it runs. */
  irrevocable?: true
}

export const TOO_DEEP: CommandIssue = { class: 'strict', reason: 'Nested too deeply to be parsed.' }

export interface ParsedCommandLine {
  commands: readonly SimpleCommand[]
  /** All redirects of the line in order, including those of subshells. */
  redirects: readonly Redirect[]
  /** Syntax beyond literal commands joined by `|`, `&&`, `||`, `;`, `!` and `( )`. */
  issues: readonly CommandIssue[]
}

const ORDER: readonly CommandClass[] = ['auto', 'ask', 'strict', 'block']

/** Returns true if `a` is stricter than `b`. */
export const isStricter = (a: CommandClass, b: CommandClass) => ORDER.indexOf(a) > ORDER.indexOf(b)
