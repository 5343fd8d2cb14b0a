// Parses a glob to a tree. See glob.ts for the syntax.

export type Ranges = readonly (readonly [from: number, to: number])[]

/** `deep` is a double star and the slash after it, `rest` a double star that ends the pattern. */
export type GlobNode =
  | { type: 'character'; character: number }
  | { type: 'one' | 'some' | 'deep' | 'rest' }
  | { type: 'class'; ranges: Ranges; negated: boolean }
  | { type: 'either'; options: GlobNode[][] }

const MAX_LENGTH = 4_096
const MAX_DEPTH = 32

/** `forName`: the nodes match only the last name of a path. */
interface ParsedGlob {
  nodes: GlobNode[]
  forName: boolean
}

export function parseGlob(pattern: string): ParsedGlob {
  if (pattern.length > MAX_LENGTH) throw new SyntaxError(`The pattern is longer than ${MAX_LENGTH} characters.`)
  const plain = pattern.replace(/^(?:\.\/)+/, '')
  const anchored = plain.replace(/^\/+/, '')
  // A folder matches everything in it.
  const whole = anchored.endsWith('/') ? `${anchored}**` : anchored
  if (whole === '') throw new SyntaxError('The pattern is empty.')
  if (whole.split('/').includes('..')) throw new SyntaxError('The pattern leads out of its folder: .. matches nothing.')
  const nodes = new Parser([...whole]).parse()
  return { nodes, forName: !plain.includes('/') }
}

class Parser {
  readonly #characters: readonly string[]
  #at = 0
  #depth = 0

  constructor(characters: readonly string[]) {
    this.#characters = characters
  }

  parse(): GlobNode[] {
    const nodes = this.#sequence(true)
    if (this.#at < this.#characters.length) throw new SyntaxError('A } without its {; write \\} for the character.')
    return nodes
  }

  // Parses up to the end, or to the end of an alternative in {a,b}.
  #sequence(atNameStart: boolean): GlobNode[] {
    const nodes: GlobNode[] = []
    let nameStart = atNameStart
    while (this.#at < this.#characters.length) {
      const sign = this.#characters[this.#at]!
      if (sign === '}' || (sign === ',' && this.#depth > 0)) break
      this.#at += 1
      nodes.push(this.#node(sign, nameStart))
      nameStart = sign === '/' || nodes.at(-1)!.type === 'deep'
    }
    return nodes
  }

  #node(sign: string, nameStart: boolean): GlobNode {
    if (sign === '*') return this.#stars(nameStart)
    if (sign === '?') return { type: 'one' }
    if (sign === '[') return this.#class()
    if (sign === '{') return this.#either(nameStart)
    if (sign !== '\\') return character(sign)
    const next = this.#characters[this.#at++]
    if (next === undefined) throw new SyntaxError('The pattern ends with a backslash; write \\\\ for the character.')
    return character(next)
  }

  #stars(nameStart: boolean): GlobNode {
    let count = 1
    for (; this.#characters[this.#at] === '*'; this.#at += 1) count += 1
    const next = this.#characters[this.#at]
    if (count === 1 || !nameStart) return { type: 'some' }
    if (next === undefined || next === '}' || (next === ',' && this.#depth > 0)) return { type: 'rest' }
    if (next !== '/') return { type: 'some' }
    this.#at += 1
    return { type: 'deep' }
  }

  #class(): GlobNode {
    const first = this.#characters[this.#at]
    const negated = first === '!' || first === '^'
    if (negated) this.#at += 1
    const ranges: [number, number][] = []
    const begin = this.#at
    while (this.#characters[this.#at] !== ']' || this.#at === begin) {
      const from = this.#member()
      const isRange = this.#characters[this.#at] === '-' && this.#characters[this.#at + 1] !== ']'
      if (isRange) this.#at += 1
      const to = isRange ? this.#member() : from
      if (to < from) throw new SyntaxError('A range in [] goes backwards.')
      ranges.push([from, to])
    }
    this.#at += 1
    return { type: 'class', ranges, negated }
  }

  #member(): number {
    const sign = this.#characters[this.#at++]
    const literal = sign === '\\' ? this.#characters[this.#at++] : sign
    if (literal === undefined) throw new SyntaxError('A [ without its ]; write \\[ for the character.')
    return literal.codePointAt(0)!
  }

  #either(nameStart: boolean): GlobNode {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw new SyntaxError(`Braces are nested deeper than ${MAX_DEPTH}.`)
    const options = [this.#sequence(nameStart)]
    while (this.#characters[this.#at] === ',') {
      this.#at += 1
      options.push(this.#sequence(nameStart))
    }
    if (this.#characters[this.#at] !== '}') throw new SyntaxError('A { without its }; write \\{ for the character.')
    this.#at += 1
    this.#depth -= 1
    return { type: 'either', options }
  }
}

const character = (sign: string): GlobNode => ({ type: 'character', character: sign.codePointAt(0)! })
