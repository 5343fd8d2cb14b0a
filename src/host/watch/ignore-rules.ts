// Evaluates ignore files as ripgrep does. Decides what need not be watched or reported; the results of searches and listings come
// from ripgrep itself.

import { closeSync, constants, fstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { compileIgnoreGlob, type Glob } from '../../text/glob/glob.ts'
import { existsSync, openSync, readFileSync } from '../files/byte-path-fs.ts'

const FILES = ['.rgignore', '.ignore', '.gitignore'] as const
/**
 * In order of precedence, lowest last: a rule of an earlier kind wins over any of a later one. The last is git's own
 * `info/exclude`.
 */
const RULE_KINDS = [...FILES, 'exclude'] as const
type RuleKind = (typeof RULE_KINDS)[number]

/** Names whose creation, removal or change may alter what is ignored. */
export const IGNORE_NAMES: ReadonlySet<string> = new Set([...FILES, '.git'])

interface Rule {
  glob: Glob
  ignores: boolean
  /** Written with a trailing slash: does not match files. */
  folders_only: boolean
}

type EntryKind = 'folder' | 'file'

/** The ignore files of one folder. */
interface FolderRules {
  folder: string
  rules: Partial<Record<RuleKind, Rule[]>>
}

/** The rules in effect in a folder: its own ignore files and those of its ancestors. */
export class IgnoreRules {
  readonly #levels: readonly FolderRules[]
  readonly #gitScope: GitignoreScope

  private constructor(levels: readonly FolderRules[], reach: GitignoreScope) {
    this.#levels = levels
    this.#gitScope = reach
  }

  /** Returns the rules that a workspace inherits from outside. */
  static aboveRoot(root: string): IgnoreRules {
    const none = new IgnoreRules([], appliesGitignoreEverywhere(root) ? 'all' : 'none')
    return ancestors(root).reduceRight((rules, folder) => rules.#enter(folder), none)
  }

  /** Returns the rules that a folder, given relative to the root, inherits from its ancestors. */
  static aboveFolder(root: string, folder: string): IgnoreRules {
    const names = folder === '.' ? [] : folder.split('/')
    const above = names.map((_, i) => join(root, ...names.slice(0, i)))
    return above.reduce((rules, each) => rules.#enter(each), IgnoreRules.aboveRoot(root))
  }

  /** Returns the rules inside a folder that contains these names. */
  within(folder: string, names: ReadonlySet<string>): IgnoreRules {
    const own = FILES.filter(kind => names.has(kind))
    const isTop = names.has('.git')
    return own.length > 0 || isTop ? this.#add(folder, own, isTop) : this
  }

  #enter(folder: string): IgnoreRules {
    return this.within(folder, new Set([...IGNORE_NAMES].filter(name => existsSync(join(folder, name)))))
  }

  // In a repository, git's rules end at its top level.
  #add(folder: string, kinds: readonly RuleKind[], isTop: boolean): IgnoreRules {
    const levels = isTop && this.#gitScope !== 'all' ? this.#levels.map(withoutGitRules) : this.#levels
    const own = kinds.map(kind => [kind, parse(read(join(folder, kind)))])
    const rules = { ...Object.fromEntries(own), ...(isTop && readExcludes(folder)) }
    return new IgnoreRules(
      [...levels, { folder, rules }],
      isTop && this.#gitScope === 'none' ? 'repository' : this.#gitScope
    )
  }

  /** Checks if a folder is ignored, given that its parent is not. Paths here are absolute. */
  ignores(folder: string): boolean {
    return this.#ignores(folder, 'folder')
  }

  /** Checks if a file or link is ignored, given that its folder is not. */
  ignoresFile(file: string): boolean {
    return this.#ignores(file, 'file')
  }

  #ignores(path: string, what: EntryKind): boolean {
    for (const kind of RULE_KINDS) {
      if (this.#gitScope === 'none' && isGitRule(kind)) continue
      const rule = this.#lastMatch(kind, path, what)
      if (rule) return rule.ignores
    }
    return false
  }

  #lastMatch(kind: RuleKind, path: string, what: EntryKind): Rule | undefined {
    // The nearest folder's rules take precedence.
    for (let level = this.#levels.length - 1; level >= 0; level -= 1) {
      const { folder, rules } = this.#levels[level]!
      const own = rules[kind]
      if (!own || own.length === 0) continue
      const relative = path.slice(folder === '/' ? 1 : folder.length + 1)
      const rule = own.findLast(each => (what === 'folder' || !each.folders_only) && each.glob.matches(relative))
      if (rule) return rule
    }
    return undefined
  }
}

/**
 * Checks if git's rules apply to a whole workspace although it is in no repository. They do not if an ancestor has a
 * `.gitignore`: some people have one with `*` in their home folder, which is not meant for its contents.
 */
export function appliesGitignoreEverywhere(root: string): boolean {
  const above = ancestors(root)
  return ![root, ...above].some(isRepository) && !above.some(folder => existsSync(join(folder, '.gitignore')))
}

/** Scope of git's rules: nowhere yet, in the enclosing repository, or in the whole workspace. */
type GitignoreScope = 'none' | 'repository' | 'all'

const isGitRule = (kind: RuleKind) => kind === '.gitignore' || kind === 'exclude'

const withoutGitRules = ({ folder, rules }: FolderRules): FolderRules => {
  const { '.gitignore': _, exclude: __, ...others } = rules
  return { folder, rules: others }
}

const isRepository = (folder: string) => existsSync(join(folder, '.git'))

const readExcludes = (folder: string) => ({ exclude: parse(read(join(folder, '.git', 'info', 'exclude'))) })

function parse(text: string): Rule[] {
  return text.split('\n').flatMap(line => {
    const whole = line.replace(/\r$/, '').replace(/(?<!\\)[ \t]+$/, '')
    if (whole === '' || whole.startsWith('#')) return []
    const ignores = !whole.startsWith('!')
    const written = ignores ? whole : whole.slice(1)
    const folders_only = written.endsWith('/')
    const pattern = folders_only ? written.slice(0, -1) : written
    try {
      return pattern === '' ? [] : [{ glob: compileIgnoreGlob(pattern), ignores, folders_only }]
    } catch {
      // An unreadable file ignores nothing.
      return []
    }
  })
}

function read(path: string): string {
  let fd: number | undefined
  try {
    // A FIFO or device of that name must not block.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stat = fstatSync(fd)
    return stat.isFile() && stat.size <= MAX_BYTES ? readFileSync(fd, 'utf8') : ''
  } catch {
    return ''
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

const MAX_BYTES = 1 << 20

// Returns the ancestors, nearest first, without the folder itself.
function ancestors(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [] : [above, ...ancestors(above)]
}
