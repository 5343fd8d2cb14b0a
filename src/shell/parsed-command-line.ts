// What a parser found in a line: its simple commands, and whatever else is in it that decides.
import type { CommandClass } from './command-line-analysis.ts'

/** Why a word is not the text it shows. */
export type ExpansionKind = 'pattern' | 'braces' | 'home' | 'variable' | 'expansion'

export interface Word {
  /** As written. */
  raw: string
  /** What the program gets; undefined where only running tells. */
  value: string | undefined
  /** Quotes taken off and what expands left as it stands: good enough to find the worst in it. */
  unquoted: string
  expansion?: ExpansionKind
  /** What it expands to is a number, or more words that begin with the flag it begins with. */
  safeExpansion?: true
  /** The variable it stands for gets its values from the words of a loop. */
  loopVariable?: true
}

export interface Redirect {
  operator: string
  fd: number | undefined
  /** Undefined for a here-document. */
  target: Word | undefined
  /** Of a here-document or here-string. */
  body?: string
}

/** Holds nothing and keeps nothing, or is the command's own output. */
export const HARMLESS_FILES: ReadonlySet<string> = new Set(['/dev/null', '/dev/stdout', '/dev/stderr'])

/** Whether it neither reads nor writes anything beside the command's own input and output. */
export function isHarmlessRedirect({ operator, target, body }: Redirect): boolean {
  if (body !== undefined || target?.value === undefined) return false
  return HARMLESS_FILES.has(target.value) || (/^[<>]&$/.test(operator) && /^\d$/.test(target.value))
}

/** A command with its words; or, without any, what is redirected around a whole group of them. */
export interface SimpleCommand {
  /** As written. */
  text: string
  words: readonly Word[]
  assignments: readonly Assignment[]
  redirects: readonly Redirect[]
  /** What writes into its input. */
  pipedFrom?: SimpleCommand
  /** Folder that a `cd` before it leads to; null where that cannot be told. */
  cwd: string | null | undefined
}

export interface Assignment {
  name: string
  text: string
  value: string | undefined
}

export interface CommandIssue {
  class: Exclude<CommandClass, 'auto'>
  /** One sentence for a person. */
  reason: string
}

export const TOO_DEEP: CommandIssue = { class: 'strict', reason: 'It is nested deeper than is read.' }

export interface ParsedCommandLine {
  commands: readonly SimpleCommand[]
  /** All of the line, in order, also those of subshells. */
  redirects: readonly Redirect[]
  /** Whatever is more than literal commands joined by `|`, `&&`, `||`, `;`, `!` and `( )`. */
  issues: readonly CommandIssue[]
}

const ORDER: readonly CommandClass[] = ['auto', 'ask', 'strict', 'block']

/** Whether `a` needs more of a decision than `b`. */
export const isStricter = (a: CommandClass, b: CommandClass) => ORDER.indexOf(a) > ORDER.indexOf(b)
