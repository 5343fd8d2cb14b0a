// Parts of a command line whose words are not all known beforehand, such as patterns and variables, beside rules about commands.
import { findVersionedFacts } from '../../shell/programs/programs.ts'
import type { CommandFacts } from './policy-input.ts'

/**
 * Returns true if the line may run a command that a rule is about, although none of its parts is known to: by a part that may be it, as
 * `mayBe` says by its first words, or by one that runs what its other words name.
 */
export function mayRunOther(
  { literal, hasAllParts, parts }: CommandFacts,
  mayBe: (leadingWords: readonly string[]) => boolean
): boolean {
  if (literal) return false
  if (!hasAllParts) return true
  return parts.some(({ argv, leadingWords }, index) => {
    if (argv !== undefined) return false
    if (leadingWords === undefined) return true
    if (leadingWords.length === 0) return false
    return mayBe(leadingWords) || (runsOthers(leadingWords[0]!) && parts[index + 1]?.inner !== true)
  })
}

/** Returns true for a program that runs commands in its words or its input. */
function runsOthers(program: string): boolean {
  const facts = findVersionedFacts(program.slice(program.lastIndexOf('/') + 1))
  if (!facts) return false
  const { runsWords, runsText, followsInput, readsCode, evaluatesWords, wraps } = facts
  return [runsWords, runsText, followsInput, readsCode, evaluatesWords, wraps].some(Boolean)
}
