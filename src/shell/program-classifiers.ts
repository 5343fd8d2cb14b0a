// Classifiers of programs by the word that names them.

import { programName } from './blocked-commands.ts'
import {
  guessPathOperands,
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier,
  printsOnly
} from './commands/classification.ts'
import { findProgramFacts } from './programs/programs.ts'

/** Returns true for a builtin of bash: a program of the same name is a different one. */
export const isBuiltin = (name: string) => findProgramFacts(name)?.builtin === true

/** Folders of system programs; elsewhere a known name may be any program. */
const SYSTEM = /^\/(?:usr\/)?s?bin\/[^/]+$/

/** Returns true for a path outside these folders. */
export const isUnknownPath = (word: string) => word.includes('/') && !SYSTEM.test(word)

/** The dynamic loader runs any given program. */
const LOADER = /^ld[-.].*so|\.so(?:\.\d+)?$/
const loader: ProgramClassifier = () => needsStrictApproval('Runs another program.')

const unknown: ProgramClassifier = args =>
  needsApproval('Not known to be read-only.', { operands: args.flatMap(guessPathOperands) })

/** Returns the classifier of the program; it never yields `auto` for a path outside the system folders. */
export function findClassifier(word: string): ProgramClassifier {
  const name = programName(word)
  const known = findKnown(name)
  if (LOADER.test(name)) return loader
  if (isUnknownPath(word)) return known === undefined ? unknown : classifyByPath(known)
  if (findProgramFacts(name)?.printsVersion)
    return args => (args.length === 1 && args[0] === '--version' ? printsOnly() : (known ?? unknown)(args))
  return known ?? unknown
}

/** Returns true if what the program does is known by its name, with any folder and version. */
export function isKnownProgram(word: string): boolean {
  return findKnown(programName(word)) !== undefined
}

const findKnown = (name: string) =>
  findProgramFacts(/^mkfs\./.test(name) ? 'mkfs' : name)?.classify ?? findVersioned(name)

/** A program in such a folder may have any name. */
const classifyByPath =
  (known: ProgramClassifier): ProgramClassifier =>
  args => {
    const { contained: _, ...found } = known(args)
    return found.class === 'auto'
      ? needsApproval('Runs a program by its path.', { operands: found.operands ?? [], needsLiteralOperands: true })
      : found
  }

/** `python3.12` is python3. */
function findVersioned(name: string) {
  const plain = /^([a-z]+\d?)[.-]?\d+(?:\.\d+)*$/.exec(name)?.[1]
  return plain === undefined ? undefined : findProgramFacts(plain)?.classify
}
