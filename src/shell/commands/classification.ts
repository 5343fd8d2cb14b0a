// Classification of a program by its arguments: the required approval and the touched operands.
import type { CommandClass, Containment, Operand, PrintedObjects } from '../command-line-analysis.ts'

export interface Classification {
  class: CommandClass
  /** One sentence for a person. */
  reason: string
  /** It needs approval only where it is not confined to reading. */
  contained?: Containment
  operands?: readonly Operand[]
  /** Commands that it runs: some of its arguments, or a script for a shell. */
  wrappedCommands?: readonly WrappedCommand[]
  /** It reads git's history, which is hidden from other programs that run without approval. */
  readsHistory?: true
  /** As in `SubCommand`. */
  gitFolder?: string
  usesDiffProgram?: true
  printsChanges?: true
  /** Git objects whose content it prints. */
  printedObjects?: PrintedObjects
  /** It writes to the Git folder of the repository. */
  writesGit?: true
  /** Its effects cannot be undone, or reach beyond the sandbox: it needs strict approval wherever it runs. */
  irrevocable?: true
  /** Its operands must be literal, and are not if they contain a variable. */
  needsLiteralOperands?: boolean
  /** Prefixes of flags that may be repeated with any value. */
  repeatableFlags?: readonly string[]
  /**
   * The subcommand, in the words that an "always" rule may use after the program's name. Without one, no prefix is suggested: the
   * program's name alone is too general, such as `tsc` for `tsc --noEmit`.
   */
  prefix?: readonly [string, ...string[]]
}

/** `appendsArguments`: it receives more arguments than are written. */
export type WrappedCommand = { from: number; until?: number; appendsArguments?: boolean } | { script: string }

export type ProgramClassifier = (args: readonly string[]) => Classification

export const readsOnly = (operands: readonly Operand[], reason = 'Only reads.'): Classification => ({
  class: 'auto',
  reason,
  operands,
  needsLiteralOperands: true
})

/** Classifies a program that only prints its arguments or facts about the machine. */
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

/** Classifies a program whose effects cannot be undone, or reach beyond the sandbox. */
export const isIrrevocable = (
  reason: string,
  more: Omit<Partial<Classification>, 'class' | 'reason'> = {}
): Classification => ({ ...needsStrictApproval(reason, more), irrevocable: true })

export const readOperand = (path: string): Operand => ({ path, access: 'read' })
export const treeOperand = (path: string): Operand => ({ path, access: 'read', tree: true })
/** Defines an operand of a program that also follows the links in a tree. */
export const linkedTreeOperand = (path: string): Operand => ({ ...treeOperand(path), followsLinks: true })
/** Defines an operand of a program that also reads the files in a folder. */
export const treeIfFolderOperand = (path: string): Operand => ({ path, access: 'read', treeIfFolder: true })
export const listOperand = (path: string): Operand => ({ path, access: 'list' })
export const writeOperand = (path: string): Operand => ({ path, access: 'write' })
export const unknownFlag = (flag: string) => needsStrictApproval(`Not known to be read-only with ${flag}.`)

/** Guesses the file that an argument of an unknown program names, also after `--flag=` and `@`. */
export function guessPathOperands(arg: string): Operand[] {
  const flag = /^-{1,2}[A-Za-z][\w-]*=/.exec(arg)?.[0] ?? (/^-[A-Za-z]+(?=[/~.])/.exec(arg)?.[0] || '')
  const path = arg.slice(flag.length).replace(/^(?:[\w.-]{1,40}=)?@/, '')
  if (path === '' || path.startsWith('-') || path.includes('\n') || URL_PREFIX.test(path) || path.length > 4_096)
    return []
  return /[/._~]/.test(path) || SECRET.has(path) ? [readOperand(path)] : []
}

const URL_PREFIX = /^[A-Za-z][A-Za-z0-9+.-]{0,20}:\/\//
/** Names of credential files without a dot or slash. */
const SECRET = new Set(['credentials', 'shadow', 'gshadow', 'kubeconfig'])
