// Distinguishes commands that may execute files of the workspace from those that never do.
import type { SubCommand } from '../command-line-analysis.ts'
import { findSourceFinders } from './source-finders.ts'

/** Returns true if some part may execute a file of the workspace, whatever files there are. */
export const mayExecuteSources = (parts: readonly SubCommand[]): boolean =>
  parts.length === 0 || parts.some(mayPartExecute)

function mayPartExecute({ argv, text, class: needed }: SubCommand): boolean {
  if (needed === 'auto') return false
  const program = argv?.[0] ?? leadingWord(text)
  return program === undefined || program.includes('/') || findSourceFinders(program).length > 0
}

/** Returns the program of a command whose words are not all literal, after any assignments; undefined if it is not literal. */
const leadingWord = (text: string): string | undefined => /^(?:[A-Za-z_]\w*=\S*\s+)*([\w./+-]+)(?=\s|$)/.exec(text)?.[1]
