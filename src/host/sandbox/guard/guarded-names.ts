// What a name in a workspace means to the sandbox.
import { foldPath, NamePatterns } from '../../files/policy/name-patterns.ts'
import {
  DEPENDENCY_FOLDERS,
  NON_SENSITIVE_NAMES,
  PROTECTED_NAMES,
  SELF_STARTING_NAMES,
  SENSITIVE_NAMES
} from '../../files/policy/sensitive-names.ts'

export interface NameProtection {
  /** Some program would obey it later: a command may not change it, nor leave a new one behind. */
  kept: boolean
  /** Holds secrets: a command may not see it. */
  sensitive: boolean
}

/** In a folder that has all of one, git takes it for a repository, whatever it is called. */
const REPOSITORY_LAYOUTS = [
  ['head', 'objects', 'refs'],
  ['head', 'commondir']
]
/** Git obeys these in any folder that somebody makes a repository of later; hardly anything else has such names. */
const REPOSITORY_ONLY_NAMES = ['commondir', 'config.worktree']
/** What git obeys in such a folder. */
const GIT_CONTROL_NAMES = new Set(['head', 'config', 'config.worktree', 'commondir', 'gitdir', 'hooks', 'info'])
/** No pattern has more names. */
const MAX_PATTERN_NAMES = 3

const PROTECTED = new NamePatterns(PROTECTED_NAMES)
const WRITE_PROTECTED = new NamePatterns([...PROTECTED_NAMES, ...SELF_STARTING_NAMES, ...REPOSITORY_ONLY_NAMES])
const SENSITIVE = new NamePatterns(SENSITIVE_NAMES)
const HARMLESS = new NamePatterns(NON_SENSITIVE_NAMES)

export class GuardedNames {
  readonly #extraSensitive: NamePatterns

  constructor(sensitive: readonly string[]) {
    this.#extraSensitive = new NamePatterns(sensitive)
  }

  /** What each entry of a folder means; those that mean nothing are left out. The folder's own path means nothing, but
   * where it is kept or holds secrets, so is and does all in it, and only the other is told. */
  classify(folder: string, entries: readonly string[]): Map<string, NameProtection> {
    const all = namesOf(folder)
    const above = all.slice(1 - MAX_PATTERN_NAMES)
    const isKept = WRITE_PROTECTED.covers(all)
    const isSecret = this.#isSensitive(all)
    const folded = entries.map(name => foldPath(name))
    const isRepository = REPOSITORY_LAYOUTS.some(parts => parts.every(name => folded.includes(name)))
    const meanings = new Map<string, NameProtection>()
    for (const [i, name] of entries.entries()) {
      const names = [...above, folded[i]!]
      const kept = !isKept && (WRITE_PROTECTED.covers(names) || (isRepository && GIT_CONTROL_NAMES.has(folded[i]!)))
      const sensitive = !isSecret && this.#isSensitive(names)
      if (kept || sensitive) meanings.set(name, { kept, sensitive })
    }
    return meanings
  }

  /** Whether what lies in a folder is looked at: not what git keeps for itself, its configuration included, which git
   * cannot do without. */
  shouldDescend(folder: string, name: string): boolean {
    return !DEPENDENCY_FOLDERS.has(name) && !PROTECTED.covers([...namesOf(folder), foldPath(name)])
  }

  #isSensitive(names: readonly string[]) {
    return (
      SENSITIVE.covers(names.map(name => (HARMLESS.covers([name]) ? '' : name))) || this.#extraSensitive.covers(names)
    )
  }
}

const namesOf = (folder: string) => (folder === '' ? [] : foldPath(folder).split('/'))
