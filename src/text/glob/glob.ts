// Globs over '/'-separated relative paths, matched in one pass by a lazily built automaton. The time is bounded by path × pattern
// for any pattern, and mostly by the path alone; patterns are never converted to regular expressions.
//
// Syntax: `*` any characters within a name, `?` one, `[a-z]` `[!a-z]` one of or none of, `{a,b}` either, `\x` x itself, `**` as a
// whole name any number of folders. A pattern without a '/' matches names at any depth, others match paths.

import { buildNfa, type Nfa } from './nfa.ts'
import { parseGlob } from './parse.ts'

const ASCII = 128
const UNKNOWN = -1
const DEAD = -2
// Beyond this number the automaton is reset, so that a malicious pattern costs time but not memory.
const MAX_STATES = 512
const FIRST_STATES = 8

/** Throws a SyntaxError that describes the error in the pattern. */
export function compileGlob(pattern: string): Glob {
  const { nodes, forName } = parseGlob(pattern)
  return new Glob(buildNfa(nodes), forName)
}

export class Glob {
  readonly #nfa: Nfa
  readonly #forName: boolean
  #states: { at: readonly number[]; accepts: boolean }[] = []
  #ids = new Map<string, number>()
  #table = new Int16Array(0)

  constructor(machine: Nfa, forName: boolean) {
    this.#nfa = machine
    this.#forName = forName
    this.#reset()
  }

  matches(path: string): boolean {
    let state = 0
    for (let i = this.#forName ? path.lastIndexOf('/') + 1 : 0; i < path.length; i += 1) {
      const unit = path.charCodeAt(i)
      let next: number
      if (unit < ASCII) {
        next = this.#table[state * ASCII + unit]!
        if (next === UNKNOWN) next = this.#computeTransition(state, unit)
      } else {
        const character = path.codePointAt(i)!
        if (character > 0xffff) i += 1
        next = this.#step(state, character)
      }
      if (next === DEAD) return false
      state = next
    }
    return this.#states[state]!.accepts
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
