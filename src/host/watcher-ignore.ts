// What ignore files leave out, as ripgrep judges it. It decides what need not be watched or told; the names that a search
// or a list gives are always ripgrep's own word.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { compileGlob, type Glob } from '../text/glob.ts'

/** By precedence: a rule of a kind further up wins over any of the kinds below it. */
const KINDS = ['.rgignore', '.ignore', '.gitignore'] as const
type Kind = (typeof KINDS)[number]

/** Names whose coming, going or changing may change what is ignored. */
export const IGNORE_NAMES: ReadonlySet<string> = new Set([...KINDS, '.git'])

interface Rule {
  glob: Glob
  ignores: boolean
  /** Written with a slash at its end: it says nothing of files. */
  folders_only: boolean
}

type What = 'folder' | 'file'

/** The ignore files of one folder. */
interface Level {
  folder: string
  rules: Partial<Record<Kind, Rule[]>>
}

/** The rules that hold in a folder: its own ignore files and those of the folders above. */
export class IgnoreRules {
  readonly #levels: readonly Level[]
  readonly #inRepository: boolean

  private constructor(levels: readonly Level[], inRepository: boolean) {
    this.#levels = levels
    this.#inRepository = inRepository
  }

  private static none() {
    return new IgnoreRules([], false)
  }

  /** The rules that reach a workspace from outside, where it lies in a larger repository. */
  static around(root: string): IgnoreRules {
    const above = foldersAbove(root)
    const top = above.findIndex(isRepository)
    const outer = above.slice(0, top + 1).reverse()
    return outer.reduce((rules, folder) => rules.#add(folder, ['.gitignore'], isRepository(folder)), IgnoreRules.none())
  }

  /** The rules inside a folder that holds these names. */
  within(folder: string, names: ReadonlySet<string>): IgnoreRules {
    const own = KINDS.filter(kind => names.has(kind))
    const isTop = names.has('.git')
    return own.length > 0 || isTop ? this.#add(folder, own, isTop) : this
  }

  // The rules of git end at the top of a repository.
  #add(folder: string, kinds: readonly Kind[], isTop: boolean): IgnoreRules {
    const levels = isTop
      ? [
          ...this.#levels.map(({ folder, rules: { '.gitignore': _, ...rules } }) => ({ folder, rules })),
          excludes(folder)
        ]
      : this.#levels
    const rules = Object.fromEntries(kinds.map(kind => [kind, parse(read(join(folder, kind)))]))
    return new IgnoreRules([...levels, { folder, rules }], this.#inRepository || isTop)
  }

  /** Whether a folder is left out, given that the one above is not. Paths here are absolute. */
  ignores(folder: string): boolean {
    return this.#ignores(folder, 'folder')
  }

  /** Whether a file, or a link, is left out of the folder it is in, which is not. */
  ignoresFile(file: string): boolean {
    return this.#ignores(file, 'file')
  }

  #ignores(path: string, what: What): boolean {
    for (const kind of KINDS) {
      if (kind === '.gitignore' && !this.#inRepository) continue
      const rule = this.#last(kind, path, what)
      if (rule) return rule.ignores
    }
    return false
  }

  #last(kind: Kind, path: string, what: What): Rule | undefined {
    // The nearest folder's rules count first.
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

const isRepository = (folder: string) => existsSync(join(folder, '.git'))

const excludes = (folder: string): Level => ({
  folder,
  rules: { '.gitignore': parse(read(join(folder, '.git', 'info', 'exclude'))) }
})

function parse(text: string): Rule[] {
  return text.split('\n').flatMap(line => {
    const whole = line.replace(/\r$/, '').replace(/(?<!\\)[ \t]+$/, '')
    if (whole === '' || whole.startsWith('#')) return []
    const ignores = !whole.startsWith('!')
    const written = ignores ? whole : whole.slice(1)
    const folders_only = written.endsWith('/')
    const pattern = folders_only ? written.slice(0, -1) : written
    try {
      return pattern === '' ? [] : [{ glob: compileGlob(pattern), ignores, folders_only }]
    } catch {
      // What can't be read ignores nothing.
      return []
    }
  })
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

// Nearest first, without the folder itself.
function foldersAbove(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [] : [above, ...foldersAbove(above)]
}
