// Distinguishes commands that may execute files of the workspace from those that never do.
import type { SubCommand } from '../command-line-analysis.ts'
import { findProgramFacts } from '../programs/programs.ts'
import { readCommandWords } from './command-words.ts'
import { findExecutableWords, mayTakeWords } from './given-files.ts'
import { baseName, findSourceFinders, isUnfamiliar } from './source-finders.ts'

/** Returns true if some part may execute a file of the workspace, whatever files there are and whatever it reads. */
export const mayExecuteSources = (parts: readonly SubCommand[], stdin?: string): boolean =>
  parts.length === 0 || parts.some(part => mayPartExecute(part, parts.length > 1 || stdin !== undefined))

function mayPartExecute(part: SubCommand, isPiped: boolean): boolean {
  if (part.class === 'auto') return false
  const { argv, hasUnknownProgram, isPartial, variableFiles, searchFolders, inputs } = readCommandWords(part)
  const [program, ...args] = argv
  if (hasUnknownProgram || variableFiles.length > 0 || searchFolders.length > 0) return true
  if (program === undefined) return false
  if (isPartial && part.class === 'strict' && mayTakeWords(argv, part)) return true
  const name = baseName(program)
  return (
    program.includes('/') ||
    isUnfamiliar(program) ||
    findSourceFinders(program).length > 0 ||
    // With a command in its words, xargs runs that one.
    (findProgramFacts(name)?.followsInput === true &&
      (inputs.length > 0 || (isPiped && !(name === 'xargs' && args.length > 0)))) ||
    findExecutableWords(name, args, 'executed').length > 0
  )
}
