// Generates text for files: deterministic, neither all alike nor all different.

const WORDS = (
  'const return value index buffer stream handler request response session journal approve reject pending ' +
  'import export function await async promise error result reader writer folder path event cursor digest'
).split(' ')

/** Returns a deterministic generator of whole numbers. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Returns this many lines of some words each. */
export function generateLines(count: number, seed: number): string {
  const next = createRandom(seed)
  const line = () => Array.from({ length: 3 + next(7) }, () => WORDS[next(WORDS.length)]!).join(' ')
  return Array.from({ length: count }, () => `${line()}\n`).join('')
}

/** Returns lines of exactly this many bytes in total. */
export function generateText(bytes: number, seed: number): string {
  return `${generateLines(Math.ceil(bytes / 20), seed).slice(0, bytes - 1)}\n`
}
