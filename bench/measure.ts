// Statistics of samples. Sides are measured in turns, so that other load affects them alike, and the result is the median over
// rounds.

/** The samples of each round. */
export type Rounds = readonly (readonly number[])[]

/** Measures all sides once as warm-up, then in rounds; every other round in reverse order. */
export async function interleave<Side extends string>(
  rounds: number,
  sides: Record<Side, () => Promise<number[]>>
): Promise<Record<Side, Rounds>> {
  const names = Object.keys(sides) as Side[]
  const measured = Object.fromEntries(names.map(name => [name, []])) as unknown as Record<Side, number[][]>
  for (const name of names) await sides[name]()
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? names : names.toReversed()
    for (const name of order) measured[name].push(await sides[name]())
  }
  return measured
}

/** Times sequential runs, in milliseconds. */
export async function timeEach(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const samples: number[] = []
  for (let i = 0; i < count; i++) {
    const began = performance.now()
    await work()
    samples.push(performance.now() - began)
  }
  return samples
}

/** Returns the value below which this part (0 to 1) of the samples lies. */
export function percentile(samples: readonly number[], part: number): number {
  const sorted = Float64Array.from(samples).sort()
  const value = sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]
  if (value === undefined) throw new Error('there are no samples')
  return value
}

export const median = (samples: readonly number[]) => percentile(samples, 0.5)

/** Returns the median over rounds of each round's percentile. */
export const medianOverRounds = (rounds: Rounds, part: number) =>
  median(rounds.map(samples => percentile(samples, part)))
