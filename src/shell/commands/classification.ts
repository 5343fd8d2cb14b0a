// What is known of a program: from its arguments, how much of a decision it needs and what it touches.
import type { CommandClass, Operand } from '../command-line-analysis.ts'

export interface Finding {
  class: CommandClass
  /** One sentence for a person. */
  reason: string
  operands?: readonly Operand[]
  /** Commands that it runs: some of its own arguments, or a text it hands to a shell. */
  runs?: readonly Run[]
  /** What it reads may name programs that it runs. */
  configured?: true
  /** It writes to the folder in which git keeps the repository. */
  writes_git?: true
  /** Arguments that must be literal to tell what it touches, and are not where a variable stands. */
  touches?: boolean
  /** Beginnings of flags that may stand any number of times, each with any value. */
  takes?: readonly string[]
  /** The sub-command, in the words that an "always" may name after the program's name. Without one there is none: of a
   * program alone the name says too little, as `tsc` does of `tsc --noEmit`. */
  prefix?: readonly [string, ...string[]]
}

/** `given`: more arguments reach it than are written. */
export type Run = { from: number; until?: number; given?: boolean } | { script: string }

export type Program = (args: readonly string[]) => Finding

export const reads = (operands: readonly Operand[], reason = 'Only reads.'): Finding => ({
  class: 'auto',
  reason,
  operands,
  touches: true
})

/** Says nothing but what it is told, or what this machine is. */
export const tells = (reason = 'Only reads.'): Finding => ({ class: 'auto', reason })

export const asks = (reason: string, more: Omit<Partial<Finding>, 'class' | 'reason'> = {}): Finding => ({
  class: 'ask',
  reason,
  ...more
})

export const strictly = (reason: string, more: Omit<Partial<Finding>, 'class' | 'reason'> = {}): Finding => ({
  class: 'strict',
  reason,
  ...more
})

export const file = (path: string): Operand => ({ path, access: 'read' })
export const tree = (path: string): Operand => ({ path, access: 'read', tree: true })
export const listed = (path: string): Operand => ({ path, access: 'list' })
export const written = (path: string): Operand => ({ path, access: 'write' })
export const unknownFlag = (flag: string) => strictly(`It is not known to only read with ${flag}.`)

/** The file that an argument of a program we do not know most likely names, also behind `--flag=` and `@`. */
export function pathLike(arg: string): Operand[] {
  const flag = /^-{1,2}[A-Za-z][\w-]*=/.exec(arg)?.[0] ?? (/^-[A-Za-z]+(?=[/~.])/.exec(arg)?.[0] || '')
  const path = arg.slice(flag.length).replace(/^(?:[\w.-]{1,40}=)?@/, '')
  if (path === '' || path.startsWith('-') || path.includes('\n') || URL.test(path) || path.length > 4_096) return []
  return /[/._~]/.test(path) || SECRET.has(path) ? [file(path)] : []
}

const URL = /^[A-Za-z][A-Za-z0-9+.-]{0,20}:\/\//
/** Names without a dot or slash that files with credentials have. */
const SECRET = new Set(['credentials', 'shadow', 'gshadow', 'kubeconfig'])
