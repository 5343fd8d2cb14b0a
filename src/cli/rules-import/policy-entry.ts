// Entries of another program's policy, each with the rules that it becomes, or the reason why it becomes none.
import type { SavedRule } from '../../client/client.ts'
import type { RuleMatch } from '../../protocol/rules.ts'

export type PolicyEffect = SavedRule['effect']

/** Subject of an entry. An entry that restricts and becomes no rule also keeps those that allow the same from becoming one. */
type EntrySubject = 'commands' | 'files' | 'web' | 'mcp' | 'other' | 'all'

/** Rules of an entry, or the reason why it has none. */
export type Conversion =
  /** `notes`: where the rules are narrower than the entry, or apply in another order. */
  | { rules: readonly RuleMatch[]; notes?: readonly string[] }
  /** `isDefault`: it applies where no other entry does, so that it restricts none. */
  | { reason: string; isDefault?: true }

export interface PolicyEntry {
  /** Line in the file, from 1. */
  line: number
  /** The entry as written in the file, on one line. */
  source: string
  effect: PolicyEffect
  subject: EntrySubject
  becomes: Conversion
  /** Explanation that the file gives, for approvers and callers. */
  explanation?: string | undefined
}

/** A file to import, with the folders that its paths may be relative to. */
export interface PolicyFile {
  path: string
  text: string
  home: string
  project: string
}

/** A file that cannot be parsed. */
export class PolicyFileError extends Error {
  constructor(position: string, message: string) {
    super(`${position}: ${message}`)
    this.name = 'PolicyFileError'
  }
}

export const becomesNothing = (reason: string): Conversion => ({ reason })

/** Drops the entries that allow what a restricting entry, which becomes no rule, may restrict. */
export function dropUnguarded(entries: readonly PolicyEntry[]): PolicyEntry[] {
  const lost = entries.filter(
    ({ effect, becomes }) => effect !== 'allow' && 'reason' in becomes && becomes.isDefault === undefined
  )
  return entries.map(entry => {
    const guard = lost.find(({ subject }) => subject === entry.subject || subject === 'all')
    return guard ? dropAllowing([entry], `${guard.source}, which has no equivalent in Toolgate`)[0]! : entry
  })
}

/** Drops all entries that allow something, since something unknown may restrict them. */
export const dropAllowing = (entries: readonly PolicyEntry[], unknown: string): PolicyEntry[] =>
  entries.map(entry =>
    entry.effect === 'allow' && 'rules' in entry.becomes
      ? { ...entry, becomes: becomesNothing(`may be restricted by ${unknown}`) }
      : entry
  )

/** The conversion of a line that `toolgate setup` added to switch off tools of the program itself: Toolgate's tools replace them. */
export const addedBySetup = (program: string): Conversion => ({
  reason: `was added by toolgate setup and applies to ${program} only`,
  isDefault: true
})
