// Nondeterministic automaton of a parsed glob: each state tests one character and leads to others.
import type { GlobNode, Ranges } from './parse.ts'

const SLASH = 47
const DOT = 46
const MAX_CODE_POINT = 0x10ffff
/** Maximum number of states of an automaton for `!(…)`. */
const MAX_COMPLEMENT_STATES = 200

type NfaState = { test: (character: number) => boolean; to: number } | { ways: number[] } | { accept: true }

export interface Nfa {
  start: readonly number[]
  /** Returns the states after one character; empty if there is no match. */
  step(at: readonly number[], character: number): readonly number[]
  accepts(at: readonly number[]): boolean
}

/** Stands for a dot that begins a name, in paths of which only explicit dots match hidden names. No file name has it. */
export const HIDDEN_DOT = 0xffff

/** The characters that wildcards match, and those that a dot at the start of a name matches. */
interface WildcardRules {
  isWild(character: number): boolean
  dot: number
}

export const ALL_NAMES: WildcardRules = { isWild: () => true, dot: DOT }
/** Wildcards match no hidden names: these must begin with a dot in the pattern. */
export const EXPLICIT_DOTS: WildcardRules = { isWild: character => character !== HIDDEN_DOT, dot: HIDDEN_DOT }

export function buildNfa(nodes: readonly GlobNode[], rules: WildcardRules = ALL_NAMES): Nfa {
  const places: NfaState[] = [{ accept: true }]
  const start = new NfaBuilder(places, rules).build(nodes, 0)
  return {
    start: closure(places, [start]),
    step(at, character) {
      const next: number[] = []
      for (const one of at) {
        const place = places[one]!
        if ('test' in place && place.test(character)) next.push(place.to)
      }
      return closure(places, next)
    },
    accepts: at => at.includes(0)
  }
}

type Test = (character: number) => boolean

/** Built from the end to the beginning, so that the successors of each node are known. */
class NfaBuilder {
  readonly #places: NfaState[]
  readonly #rules: WildcardRules
  readonly #inName: Test

  constructor(places: NfaState[], rules: WildcardRules) {
    this.#places = places
    this.#rules = rules
    this.#inName = character => character !== SLASH && rules.isWild(character)
  }

  build(nodes: readonly GlobNode[], end: number): number {
    return nodes.reduceRight((next, node) => this.#add(node, next), end)
  }

  #add(node: GlobNode, next: number): number {
    const { isWild, dot } = this.#rules
    switch (node.type) {
      case 'character':
        return this.#place({ test: character => character === node.character, to: next })
      case 'dot':
        return this.#place({ test: character => character === dot, to: next })
      case 'one':
        return this.#place({ test: this.#inName, to: next })
      case 'class':
        return this.#place({ test: inClass(node.ranges, node.negated, isWild), to: next })
      case 'some':
        return this.#loop(this.#inName, next)
      case 'rest':
        return this.#place({ test: isWild, to: this.#loop(isWild, next) })
      case 'deep': {
        const slash = this.#place({ test: character => character === SLASH, to: next })
        return this.#place({ ways: [this.#loop(isWild, slash), next] })
      }
      case 'either':
        return this.#place({ ways: node.options.map(option => this.build(option, next)) })
      case 'repeat': {
        const ways = [next]
        const after = this.#place({ ways })
        const before = this.#place({ ways: node.options.map(option => this.build(option, after)) })
        ways.push(before)
        return before
      }
      case 'not':
        return this.#complement(node.options, next)
    }
  }

  #place(state: NfaState): number {
    return this.#places.push(state) - 1
  }

  #loop(test: Test, next: number): number {
    const ways = [next]
    const again = this.#place({ ways })
    ways.push(this.#place({ test, to: again }))
    return again
  }

  /** Makes the options deterministic; every state that does not accept leads on. */
  #complement(options: GlobNode[][], next: number): number {
    const inner = buildNfa([{ type: 'either', options }], this.#rules)
    const bounds = listBounds(options)
    const ids = new Map<string, number>()
    const todo: { at: readonly number[]; ways: number[] }[] = []
    const state = (at: readonly number[]): number => {
      const key = at.join()
      const known = ids.get(key)
      if (known !== undefined) return known
      if (ids.size >= MAX_COMPLEMENT_STATES)
        throw new SyntaxError('The pattern in !( ) is too complex: simplify this pattern.')
      const ways = inner.accepts(at) ? [] : [next]
      const id = this.#place({ ways })
      ids.set(key, id)
      todo.push({ at, ways })
      return id
    }
    const start = state(inner.start)
    for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
      for (const [i, from] of bounds.entries()) {
        const end = bounds[i + 1] ?? MAX_CODE_POINT + 1
        if (!this.#inName(from)) continue
        const test = (character: number) => character >= from && character < end
        one.ways.push(this.#place({ test, to: state(inner.step(one.at, from)) }))
      }
    }
    return start
  }
}

/** Returns the characters at which the answer of some test of these nodes may change, sorted. */
function listBounds(options: readonly (readonly GlobNode[])[]): number[] {
  const found = new Set([0, DOT, DOT + 1, SLASH + 1, HIDDEN_DOT, HIDDEN_DOT + 1])
  const visit = (node: GlobNode) => {
    if (node.type === 'character') for (const bound of [node.character, node.character + 1]) found.add(bound)
    if (node.type === 'class')
      for (const [from, to] of node.ranges) for (const bound of [from, to + 1]) found.add(bound)
    if ('options' in node) for (const option of node.options) option.forEach(visit)
  }
  for (const option of options) option.forEach(visit)
  return [...found].sort((a, b) => a - b)
}

function inClass(ranges: Ranges, negated: boolean, isWild: Test): Test {
  const inside = (character: number) => ranges.some(([from, to]) => character >= from && character <= to)
  return character => character !== SLASH && isWild(character) && inside(character) !== negated
}

/** Returns the states reachable without a character; only those that test or accept. */
function closure(places: readonly NfaState[], from: readonly number[]): number[] {
  const seen = new Set<number>()
  const found: number[] = []
  const todo = [...from]
  for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
    if (seen.has(one)) continue
    seen.add(one)
    const place = places[one]!
    if ('ways' in place) todo.push(...place.ways)
    else found.push(one)
  }
  return found.sort((a, b) => a - b)
}
