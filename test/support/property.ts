// Configures the inputs and the number of runs of property tests.
import fc from 'fast-check'

/**
 * Inputs are the same in every run, so that only a change causes a failure. `TEST_SEED` gives others, as `npm run test:stress`
 * does in each round.
 */
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) })

/** The share of the full number that runs unless TEST_FULL=1; never fewer than `FEWEST`. */
const LOCAL_SHARE = 0.1
const FEWEST = 30

/** Returns the number of runs: the full number with TEST_FULL=1, else a tenth of it. */
export const roundsOf = (full: number): number =>
  process.env.TEST_FULL === '1' ? full : Math.min(full, Math.max(FEWEST, Math.ceil(full * LOCAL_SHARE)))

/**
 * Returns the minimum number of occurrences of an outcome: `share` of the inputs with the full number, a third of that with the
 * few of a local run, where chance weighs more.
 */
export const leastOf = (full: number, share: number): number =>
  roundsOf(full) * (roundsOf(full) === full ? share : share / 3)

/** Returns the options of a property: `fc.assert(property, runs(1_000))`. */
export const runs = (full: number): { numRuns: number } => ({ numRuns: roundsOf(full) })

/** Tests that go through every step of something, or through every case in several ways, take every third locally. */
export const STRIDE = process.env.TEST_FULL === '1' ? 1 : 3
export const sampleOf = <T>(all: readonly T[]): T[] => all.filter((_, i) => i % STRIDE === 0)
