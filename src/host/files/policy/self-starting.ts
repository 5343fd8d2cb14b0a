// Recognizes files that programs execute or interpret automatically, by their names.
import { NamePatterns } from './name-patterns.ts'
import { EXAMPLE_NAMES, SELF_STARTING_NAMES } from './self-starting-names.ts'

const ANY = new NamePatterns(SELF_STARTING_NAMES)
const EXAMPLES = new NamePatterns(EXAMPLE_NAMES)

/** The largest number of names in a pattern. */
export const MAX_SELF_STARTING_NAMES = ANY.maxNames

/** Checks if a path, given as folded names, is covered. */
export const isSelfStarting = (names: readonly string[]): boolean =>
  ANY.covers(names) && ANY.covers(names.map(name => (EXAMPLES.covers([name]) ? '' : name)))

/** Checks if a descendant of the path may be covered only because of the path's name. */
export const mayStartDescendants = (names: readonly string[]): boolean => ANY.mayCoverDescendants(names)
