// Nondeterministic automaton of a parsed glob: each state tests one character and leads to others.
import type { GlobNode, Ranges } from './parse.ts'

const SLASH = 47

type NfaState = { test: (character: number) => boolean; to: number } | { ways: number[] } | { accept: true }

export interface Nfa {
  start: readonly number[]
  /** Returns the states after one character; empty if there is no match. */
  step(at: readonly number[], character: number): readonly number[]
  accepts(at: readonly number[]): boolean
}

export function buildNfa(nodes: readonly GlobNode[]): Nfa {
  const places: NfaState[] = [{ accept: true }]
  const start = build(places, nodes, 0)
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

// Built from the end to the beginning, so that the successors of each node are known.
const build = (places: NfaState[], nodes: readonly GlobNode[], end: number): number =>
  nodes.reduceRight((next, node) => add(places, node, next), end)

function add(places: NfaState[], node: GlobNode, next: number): number {
  const place = (one: NfaState) => places.push(one) - 1
  switch (node.type) {
    case 'character':
      return place({ test: character => character === node.character, to: next })
    case 'one':
      return place({ test: isInName, to: next })
    case 'class':
      return place({ test: inClass(node.ranges, node.negated), to: next })
    case 'some':
      return loop(places, isInName, next)
    case 'rest':
      return place({ test: () => true, to: loop(places, () => true, next) })
    case 'deep': {
      const slash = place({ test: character => character === SLASH, to: next })
      return place({ ways: [loop(places, () => true, slash), next] })
    }
    case 'either':
      return place({ ways: node.options.map(option => build(places, option, next)) })
  }
}

function loop(places: NfaState[], test: (character: number) => boolean, next: number): number {
  const ways = [next]
  const again = places.push({ ways }) - 1
  ways.push(places.push({ test, to: again }) - 1)
  return again
}

const isInName = (character: number) => character !== SLASH

function inClass(ranges: Ranges, negated: boolean) {
  const inside = (character: number) => ranges.some(([from, to]) => character >= from && character <= to)
  return (character: number) => character !== SLASH && inside(character) !== negated
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
