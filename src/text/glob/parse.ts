// Parses a glob to a tree. See glob.ts for the syntax.

export type Ranges = readonly (readonly [from: number, to: number])[]

/** `deep` is a double star and the slash after it, `rest` a double star that ends the pattern. */
export type GlobNode =
  | { type: 'character'; character: number }
  | { type: 'one' | 'some' | 'deep' | 'rest' }
  | { type: 'class'; ranges: Ranges; negated: boolean }
  | { type: 'either'; options: GlobNode[][] }
  /** One of the options, several times. */
  | { type: 'repeat'; options: GlobNode[][] }
  /** Any part of a name but these. */
  | { type: 'not'; options: GlobNode[][] }
  /** A dot that begins a name in the pattern. */
  | { type: 'dot' }

const MAX_LENGTH = 4_096
const MAX_DEPTH = 32

/** Syntax beyond that of rules, which stays as it is. */
export interface GlobDialect {
  /** Named classes of characters, such as `[[:alpha:]]`. */
  classes: boolean
  /** Extended globs of shells: `?(a|b)`, `*(a|b)`, `+(a|b)`, `@(a|b)`, `!(a|b)`. */
  groups: boolean
  /** `./a` and `a//b` are paths: `a` in this folder only, and `a/b`. */
  paths: boolean
}

const RULE_DIALECT: GlobDialect = { classes: false, groups: false, paths: false }

/** `forName`: the nodes match only the last name of a path. */
interface ParsedGlob {
  nodes: GlobNode[]
  forName: boolean
}

export function parseGlob(written: string, dialect: GlobDialect = RULE_DIALECT): ParsedGlob {
  const pattern = dialect.paths ? written.replace(/\/{2,}/g, '/') : written
  if (pattern.length > MAX_LENGTH) throw new SyntaxError(`The pattern is longer than ${MAX_LENGTH} characters.`)
  const plain = pattern.replace(/^(?:\.\/)+/, '')
  const anchored = plain.replace(/^\/+/, '')
  // A folder matches everything in it.
  const whole = anchored.endsWith('/') ? `${anchored}**` : anchored
  if (whole === '') throw new SyntaxError('The pattern is empty.')
  if (whole.split('/').includes('..'))
    throw new SyntaxError('The pattern cannot match outside its folder: remove `..`.')
  const nodes = new Parser([...whole], dialect).parse()
  return { nodes, forName: !(dialect.paths ? pattern : plain).includes('/') }
}

class Parser {
  readonly #characters: readonly string[]
  readonly #dialect: GlobDialect
  #at = 0
  #depth = 0
  /** The innermost brackets. */
  #inside: 'nothing' | 'braces' | 'group' = 'nothing'

  constructor(characters: readonly string[], dialect: GlobDialect) {
    this.#characters = characters
    this.#dialect = dialect
  }

  parse(): GlobNode[] {
    const nodes = this.#sequence(true)
    if (this.#at < this.#characters.length)
      throw new SyntaxError('The pattern has a } without {: write \\} for the character.')
    return nodes
  }

  // Parses up to the end, or to the end of an alternative in {a,b} or (a|b).
  #sequence(atNameStart: boolean): GlobNode[] {
    const nodes: GlobNode[] = []
    let nameStart = atNameStart
    while (this.#at < this.#characters.length) {
      const sign = this.#characters[this.#at]!
      if (this.#endsAlternative(sign)) break
      this.#at += 1
      nodes.push(this.#node(sign, nameStart))
      nameStart = sign === '/' || nodes.at(-1)!.type === 'deep'
    }
    return nodes
  }

  #endsAlternative(sign: string | undefined): boolean {
    if (this.#inside === 'group') return sign === '|' || sign === ')'
    return sign === '}' || (sign === ',' && this.#inside === 'braces')
  }

  #beginsGroup(at: number): boolean {
    return this.#dialect.groups && this.#characters[at + 1] === '(' && this.#characters[at]! in GROUPS
  }

  #node(sign: string, nameStart: boolean): GlobNode {
    if (this.#beginsGroup(this.#at - 1)) return this.#group(sign, nameStart)
    if (sign === '.' && nameStart) return { type: 'dot' }
    if (sign === '*') return this.#stars(nameStart)
    if (sign === '?') return { type: 'one' }
    if (sign === '[') return this.#class()
    if (sign === '{') return this.#either(nameStart)
    if (sign === '(' && this.#dialect.groups && this.#beginsPlainGroup())
      throw new SyntaxError('(a|b) is not valid in a glob: write {a,b} or @(a|b). Write \\( for the character.')
    if (sign !== '\\') return character(sign)
    const next = this.#characters[this.#at++]
    if (next === undefined) throw new SyntaxError('The pattern ends with a backslash: write \\\\ for the character.')
    return character(next)
  }

  /** Checks if `(a|b)` begins before this place, which names hardly contain and patterns of other kinds do. */
  #beginsPlainGroup(): boolean {
    let hasBar = false
    for (let at = this.#at; at < this.#characters.length; at += 1) {
      const sign = this.#characters[at]!
      if (sign === ')') return hasBar
      if (sign === '(' || sign === '/') return false
      hasBar ||= sign === '|'
    }
    return false
  }

  #stars(nameStart: boolean): GlobNode {
    let count = 1
    for (; this.#characters[this.#at] === '*' && !this.#beginsGroup(this.#at); this.#at += 1) count += 1
    const next = this.#characters[this.#at]
    if (count === 1 || !nameStart) return { type: 'some' }
    if (next === undefined || this.#endsAlternative(next)) return { type: 'rest' }
    if (next !== '/') return { type: 'some' }
    this.#at += 1
    return { type: 'deep' }
  }

  #class(): GlobNode {
    const first = this.#characters[this.#at]
    const negated = first === '!' || first === '^'
    if (negated) this.#at += 1
    const ranges: (readonly [number, number])[] = []
    const begin = this.#at
    while (this.#characters[this.#at] !== ']' || this.#at === begin) {
      const named = this.#namedClass()
      if (named) {
        ranges.push(...named)
        continue
      }
      const from = this.#member()
      const isRange = this.#characters[this.#at] === '-' && this.#characters[this.#at + 1] !== ']'
      if (isRange) this.#at += 1
      const to = isRange ? this.#member() : from
      if (to < from) throw new SyntaxError('The pattern has a range in [] that ends before it starts.')
      ranges.push([from, to])
    }
    this.#at += 1
    return { type: 'class', ranges, negated }
  }

  #namedClass(): Ranges | undefined {
    if (!this.#dialect.classes || this.#characters[this.#at] !== '[' || this.#characters[this.#at + 1] !== ':')
      return undefined
    const rest = this.#characters.slice(this.#at, this.#at + MAX_CLASS_LENGTH).join('')
    const name = /^\[:([^:\]]*):\]/.exec(rest)?.[1]
    if (name === undefined) return undefined
    const ranges = CLASSES[name]
    if (!ranges) throw new SyntaxError(`There is no class [:${name}:]; available: ${Object.keys(CLASSES).join(', ')}.`)
    this.#at += name.length + 4
    return ranges
  }

  #member(): number {
    const sign = this.#characters[this.#at++]
    const literal = sign === '\\' ? this.#characters[this.#at++] : sign
    if (literal === undefined) throw new SyntaxError('The pattern has a [ without ]: write \\[ for the character.')
    return literal.codePointAt(0)!
  }

  #either(nameStart: boolean): GlobNode {
    const options = this.#alternatives('braces', ',', nameStart)
    if (this.#characters[this.#at] !== '}')
      throw new SyntaxError('The pattern has a { without }: write \\{ for the character.')
    this.#at += 1
    return { type: 'either', options }
  }

  #group(sign: string, nameStart: boolean): GlobNode {
    this.#at += 1
    const options = this.#alternatives('group', '|', nameStart)
    if (this.#characters[this.#at] !== ')')
      throw new SyntaxError(`The pattern has a ${sign}( without ): write ${sign}\\( for the characters.`)
    this.#at += 1
    return GROUPS[sign]!(options)
  }

  #alternatives(inside: 'braces' | 'group', separator: string, nameStart: boolean): GlobNode[][] {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw new SyntaxError(`Braces are nested deeper than ${MAX_DEPTH} levels.`)
    const outside = this.#inside
    this.#inside = inside
    const options = [this.#sequence(nameStart)]
    while (this.#characters[this.#at] === separator) {
      this.#at += 1
      options.push(this.#sequence(nameStart))
    }
    this.#inside = outside
    this.#depth -= 1
    return options
  }
}

const EMPTY: GlobNode[] = []

const GROUPS: Readonly<Record<string, (options: GlobNode[][]) => GlobNode>> = {
  '?': options => ({ type: 'either', options: [...options, EMPTY] }),
  '*': options => ({ type: 'either', options: [[{ type: 'repeat', options }], EMPTY] }),
  '+': options => ({ type: 'repeat', options }),
  '@': options => ({ type: 'either', options }),
  '!': options => ({ type: 'not', options })
}

const UPPER = [0x41, 0x5a] as const
const LOWER = [0x61, 0x7a] as const
const DIGIT = [0x30, 0x39] as const
const PUNCTUATION = [
  [0x21, 0x2f],
  [0x3a, 0x40],
  [0x5b, 0x60],
  [0x7b, 0x7e]
] as const
const BLANK = [
  [0x20, 0x20],
  [0x09, 0x09]
] as const

/** Classes of POSIX, for ASCII. */
const CLASSES: Readonly<Record<string, Ranges>> = {
  alnum: [UPPER, LOWER, DIGIT],
  alpha: [UPPER, LOWER],
  ascii: [[0, 0x7f]],
  blank: BLANK,
  cntrl: [
    [0, 0x1f],
    [0x7f, 0x7f]
  ],
  digit: [DIGIT],
  graph: [[0x21, 0x7e]],
  lower: [LOWER],
  print: [[0x20, 0x7e]],
  punct: PUNCTUATION,
  space: [
    [0x20, 0x20],
    [0x09, 0x0d]
  ],
  upper: [UPPER],
  word: [UPPER, LOWER, DIGIT, [0x5f, 0x5f]],
  xdigit: [DIGIT, [0x41, 0x46], [0x61, 0x66]]
}
const MAX_CLASS_LENGTH = 32

const character = (sign: string): GlobNode => ({ type: 'character', character: sign.codePointAt(0)! })
