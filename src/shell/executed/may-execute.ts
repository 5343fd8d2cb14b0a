// Distinguishes commands that may execute files of the workspace from those that never do.
import type { SubCommand } from '../command-line-analysis.ts'
import { readCommandWords } from './command-words.ts'
import { findSourceFinders, isUnfamiliar } from './source-finders.ts'

/** Returns true if some part may execute a file of the workspace, whatever files there are. */
export const mayExecuteSources = (parts: readonly SubCommand[]): boolean =>
  parts.length === 0 || parts.some(mayPartExecute)

function mayPartExecute(part: SubCommand): boolean {
  if (part.class === 'auto') return false
  const { argv, hasUnknownProgram, variableFiles } = readCommandWords(part)
  const [program] = argv
  if (hasUnknownProgram || variableFiles.length > 0) return true
  if (program === undefined) return false
  return program.includes('/') || isUnfamiliar(program) || findSourceFinders(program).length > 0
}
