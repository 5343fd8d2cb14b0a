// What is known of a program: from its arguments, how much of a decision it needs and what it touches.
import type { CommandClass, Operand } from '../command-line-analysis.ts'

export interface Classification {
  class: CommandClass
  /** One sentence for a person. */
  reason: string
  operands?: readonly Operand[]
  /** Commands that it runs: some of its own arguments, or a text it hands to a shell. */
  wrappedCommands?: readonly WrappedCommand[]
  /** What it reads may name programs that it runs. */
  configured?: true
  /** It writes to the folder in which git keeps the repository. */
  writesGit?: true
  /** Arguments that must be literal to tell what it touches, and are not where a variable stands. */
  needsLiteralOperands?: boolean
  /** Beginnings of flags that may stand any number of times, each with any value. */
  repeatableFlags?: readonly string[]
  /** The sub-command, in the words that an "always" may name after the program's name. Without one there is none: of a
   * program alone the name says too little, as `tsc` does of `tsc --noEmit`. */
  prefix?: readonly [string, ...string[]]
}

/** `appendsArguments`: more arguments reach it than are written. */
export type WrappedCommand = { from: number; until?: number; appendsArguments?: boolean } | { script: string }

export type ProgramClassifier = (args: readonly string[]) => Classification

export const readsOnly = (operands: readonly Operand[], reason = 'Only reads.'): Classification => ({
  class: 'auto',
  reason,
  operands,
  needsLiteralOperands: true
})

/** Says nothing but what it is told, or what this machine is. */
export const printsOnly = (reason = 'Only reads.'): Classification => ({ class: 'auto', reason })

export const needsApproval = (
  reason: string,
  more: Omit<Partial<Classification>, 'class' | 'reason'> = {}
): Classification => ({
  class: 'ask',
  reason,
  ...more
})

export const needsStrictApproval = (
  reason: string,
  more: Omit<Partial<Classification>, 'class' | 'reason'> = {}
): Classification => ({
  class: 'strict',
  reason,
  ...more
})

export const readOperand = (path: string): Operand => ({ path, access: 'read' })
export const treeOperand = (path: string): Operand => ({ path, access: 'read', tree: true })
export const listOperand = (path: string): Operand => ({ path, access: 'list' })
export const writeOperand = (path: string): Operand => ({ path, access: 'write' })
export const unknownFlag = (flag: string) => needsStrictApproval(`It is not known to only read with ${flag}.`)

/** The file that an argument of a program we do not know most likely names, also behind `--flag=` and `@`. */
export function guessPathOperands(arg: string): Operand[] {
  const flag = /^-{1,2}[A-Za-z][\w-]*=/.exec(arg)?.[0] ?? (/^-[A-Za-z]+(?=[/~.])/.exec(arg)?.[0] || '')
  const path = arg.slice(flag.length).replace(/^(?:[\w.-]{1,40}=)?@/, '')
  if (path === '' || path.startsWith('-') || path.includes('\n') || URL_PREFIX.test(path) || path.length > 4_096)
    return []
  return /[/._~]/.test(path) || SECRET.has(path) ? [readOperand(path)] : []
}

const URL_PREFIX = /^[A-Za-z][A-Za-z0-9+.-]{0,20}:\/\//
/** Names without a dot or slash that files with credentials have. */
const SECRET = new Set(['credentials', 'shadow', 'gshadow', 'kubeconfig'])
