// Classifies names in a workspace for the sandbox.
import path from 'node:path'
import { isDeceptive } from '../../files/paths.ts'
import { foldPath, NamePatterns } from '../../files/policy/name-patterns.ts'
import { SecretNames } from '../../files/policy/secret-names.ts'
import { isSelfStarting, MAX_SELF_STARTING_NAMES } from '../../files/policy/self-starting.ts'
import { SANDBOX_PROTECTED_NAMES } from '../../files/policy/self-starting-names.ts'
import { DEPENDENCY_FOLDERS, PROTECTED_NAMES } from '../../files/policy/sensitive-names.ts'

export interface NameProtection {
  /** Some program executes or interprets it later: a command may neither change it nor leave a new one behind. */
  writeProtected: boolean
  /** Holds secrets: hidden from commands. */
  sensitive: boolean
}

/** Meaning of a name. */
interface NameMeaning extends NameProtection {
  /**
   * Some program executes it automatically, or executes what is in it, though approved commands may write it; or it has a name that undo
   * refuses.
   */
  selfStarting: boolean
}

interface NamedEntry {
  name: string
  isFolder: boolean
}

/** A folder that has all names of one layout is a repository to git, whatever its name. */
const REPOSITORY_LAYOUTS = [
  ['head', 'objects', 'refs'],
  ['head', 'commondir']
]
/** Git interprets these in any folder that becomes a repository later; hardly any other file has such names. */
const REPOSITORY_ONLY_NAMES = ['commondir', 'config.worktree']
/** Names that git interprets in such a folder. */
const GIT_CONTROL_NAMES = new Set(['head', 'config', 'config.worktree', 'commondir', 'gitdir', 'hooks', 'info'])
const PROTECTED = new NamePatterns(PROTECTED_NAMES)
const WRITE_PROTECTED = new NamePatterns([...PROTECTED_NAMES, ...SANDBOX_PROTECTED_NAMES, ...REPOSITORY_ONLY_NAMES])

export class GuardedNames {
  readonly #secrets: SecretNames
  /** Number of folders above an entry that a pattern may name, too. */
  readonly #foldersAbove: number

  constructor(sensitive: readonly string[]) {
    this.#secrets = new SecretNames(sensitive)
    this.#foldersAbove = Math.max(this.#secrets.maxNames, MAX_SELF_STARTING_NAMES, WRITE_PROTECTED.maxNames) - 1
  }

  /**
   * Classifies the entries of a folder; unprotected ones are omitted. The folder's own path has no effect, except that
   * descendants of a protected or sensitive folder inherit that, and only the other property is reported.
   */
  classify(folder: string, entries: readonly NamedEntry[]): Map<string, NameMeaning> {
    const all = namesOf(folder)
    const above = all.slice(-this.#foldersAbove)
    const inheritsProtection = WRITE_PROTECTED.covers(all)
    const inheritsStart = isSelfStarting(all) || isDeceptive(folder)
    const isSecret = this.#secrets.covers(all, true)
    const folded = entries.map(({ name }) => foldPath(name))
    const isRepository = REPOSITORY_LAYOUTS.some(parts => parts.every(name => folded.includes(name)))
    const meanings = new Map<string, NameMeaning>()
    for (const [i, { name, isFolder }] of entries.entries()) {
      const names = [...above, folded[i]!]
      const writeProtected =
        !inheritsProtection && (WRITE_PROTECTED.covers(names) || (isRepository && GIT_CONTROL_NAMES.has(folded[i]!)))
      const sensitive = !isSecret && this.#secrets.covers(names, isFolder)
      const isStarting = isSelfStarting(names) || isDeceptive(name)
      const selfStarting = !inheritsProtection && !writeProtected && !inheritsStart && isStarting
      if (writeProtected || sensitive || selfStarting) meanings.set(name, { writeProtected, sensitive, selfStarting })
    }
    return meanings
  }

  /**
   * Checks the path of a file or a folder, relative to the root, by its last names. What lies in a sensitive folder is not sensitive
   * itself.
   */
  isSensitive(name: string): boolean {
    const { dir, base } = path.posix.parse(name)
    return this.classify(dir, [{ name: base, isFolder: false }]).get(base)?.sensitive ?? false
  }

  /**
   * Checks if a folder is scanned: folders of packages are not, which programs that run unasked cannot change, and leave no new ones of; nor are
   * git's internal folders, including its configuration, without which git cannot work.
   */
  shouldDescend(folder: string, name: string): boolean {
    return !DEPENDENCY_FOLDERS.has(name) && !PROTECTED.covers([...namesOf(folder), foldPath(name)])
  }
}

const namesOf = (folder: string) => (folder === '' ? [] : foldPath(folder).split('/'))
