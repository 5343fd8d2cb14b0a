// Globs over '/'-separated relative paths, matched in one pass by a lazily built automaton. The time is bounded by path × pattern
// for any pattern, and mostly by the path alone; patterns are never converted to regular expressions.
//
// Syntax of all: `*` any characters within a name, `?` one, `[a-z]` `[!a-z]` one of or none of, `{a,b}` either, `\x` x itself, `**` as a
// whole name any number of folders. A pattern without a '/' matches names at any depth, others match paths. Ignore files have
// `[[:alpha:]]` and its like, too; searches have in addition `?(a|b)` `*(a|b)` `+(a|b)` `@(a|b)` `!(a|b)`, as Bash with extglob,
// `./a` for this folder only, and `a//b` for `a/b`.

import { ALL_NAMES, buildNfa, EXPLICIT_DOTS, HIDDEN_DOT, type Nfa } from './nfa.ts'
import { type GlobDialect, type GlobNode, parseGlob } from './parse.ts'

const ASCII = 128
const UNKNOWN = -1
const DEAD = -2
// Beyond this number the automaton is reset, so that a malicious pattern costs time but not memory.
const MAX_STATES = 512
const FIRST_STATES = 8

const IGNORE_DIALECT: GlobDialect = { classes: true, groups: false, paths: false }
const SEARCH_DIALECT: GlobDialect = { classes: true, groups: true, paths: true }

/** Compiles a glob of a search. Throws a SyntaxError that describes the error in the pattern. */
export const compileGlob = (pattern: string): Glob => compile(pattern, SEARCH_DIALECT)

/** Compiles a line of an ignore file, or a glob of an editor protocol. Throws a SyntaxError. */
export const compileIgnoreGlob = (pattern: string): Glob => compile(pattern, IGNORE_DIALECT)

function compile(pattern: string, dialect: GlobDialect): Glob {
  const { nodes, forName } = parseGlob(pattern, dialect)
  return new Glob(buildNfa(nodes, ALL_NAMES), forName, literalEnds(nodes))
}

const MAX_ENDS = 16

/** Returns the texts with one of which every match ends, such as `.ts` and `.tsx`: most paths need not go through the automaton. */
function literalEnds(nodes: readonly GlobNode[]): string[] {
  let ends = ['']
  for (const node of nodes.toReversed()) {
    const texts = literalTexts(node)
    if (!texts || texts.length * ends.length > MAX_ENDS) break
    ends = ends.flatMap(end => texts.map(text => text + end))
  }
  return ends
}

/** Returns all texts that the node matches, if it lists them. */
function literalTexts(node: GlobNode): string[] | undefined {
  if (node.type === 'character') return [String.fromCodePoint(node.character)]
  if (node.type === 'dot') return ['.']
  if (node.type !== 'either') return undefined
  const options = node.options.map(option => option.map(each => literalTexts(each)).map(asOnlyText))
  return options.some(texts => texts.includes(undefined)) ? undefined : options.map(texts => texts.join(''))
}

const asOnlyText = (texts: readonly string[] | undefined) => (texts?.length === 1 ? texts[0] : undefined)

/**
 * Compiles a glob of a search to a check for hidden paths: names that begin with a dot match only where a name in the pattern
 * does, as with Bash, minimatch and fast-glob.
 */
export function compileExplicitDots(pattern: string): (path: string) => boolean {
  const { nodes, forName } = parseGlob(pattern, SEARCH_DIALECT)
  const anywhere = forName ? [{ type: 'deep' } as const, ...nodes] : nodes
  const glob = new Glob(buildNfa(anywhere, EXPLICIT_DOTS), false)
  return path => glob.matches(path.replace(/(^|\/)\./g, `$1${HIDDEN_DOT_TEXT}`))
}

const HIDDEN_DOT_TEXT = String.fromCodePoint(HIDDEN_DOT)

export class Glob {
  readonly #nfa: Nfa
  readonly #forName: boolean
  readonly #ends: readonly string[]
  #states: { at: readonly number[]; accepts: boolean }[] = []
  #ids = new Map<string, number>()
  #table = new Int16Array(0)

  /** `ends`: each match ends with one of these. */
  constructor(machine: Nfa, forName: boolean, ends: readonly string[] = ['']) {
    this.#nfa = machine
    this.#forName = forName
    this.#ends = ends
    this.#reset()
  }

  matches(path: string): boolean {
    if (!this.#hasEnd(path)) return false
    const end = path.length
    let state = 0
    // The loop reads no field: that would take longer than all else in it.
    let table = this.#table
    for (let i = this.#forName ? path.lastIndexOf('/') + 1 : 0; i < end; i += 1) {
      const unit = path.charCodeAt(i)
      const known = unit < ASCII ? table[state * ASCII + unit]! : UNKNOWN
      if (known >= 0) {
        state = known
        continue
      }
      if (known === DEAD) return false
      const character = path.codePointAt(i)!
      if (character > 0xffff) i += 1
      const next = unit < ASCII ? this.#computeTransition(state, unit) : this.#step(state, character)
      if (next === DEAD) return false
      state = next
      table = this.#table
    }
    return this.#states[state]!.accepts
  }

  #hasEnd(path: string): boolean {
    for (const end of this.#ends) if (path.endsWith(end)) return true
    return false
  }

  #reset() {
    this.#states = []
    this.#ids.clear()
    this.#table = new Int16Array(FIRST_STATES * ASCII).fill(UNKNOWN)
    this.#state(this.#nfa.start)
  }

  #computeTransition(state: number, unit: number) {
    const { at } = this.#states[state]!
    const next = this.#step(state, unit)
    // After a reset the old state number is invalid.
    if (this.#states[state]?.at === at) this.#table[state * ASCII + unit] = next
    return next
  }

  #step(state: number, character: number): number {
    const at = this.#nfa.step(this.#states[state]!.at, character)
    if (at.length === 0) return DEAD
    if (this.#states.length === MAX_STATES && !this.#ids.has(at.join())) this.#reset()
    return this.#state(at)
  }

  #state(at: readonly number[]): number {
    const key = at.join()
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const id = this.#states.push({ at, accepts: this.#nfa.accepts(at) }) - 1
    this.#ids.set(key, id)
    if (this.#states.length * ASCII > this.#table.length) {
      const before = this.#table
      this.#table = new Int16Array(before.length * 2).fill(UNKNOWN)
      this.#table.set(before)
    }
    return id
  }
}
