/**
 * Yields all occurrences of one sequence in another, including overlapping ones: the algorithm of Knuth, Morris and Pratt (1977),
 * in linear time even for repetitive sequences.
 */
export function* occurrences<T>(all: ArrayLike<T>, wanted: readonly T[]): Generator<number> {
  const borders = prefixFunction(wanted)
  let matched = 0
  for (let i = 0; i < all.length; i++) {
    while (matched > 0 && wanted[matched] !== all[i]) matched = borders[matched - 1]!
    if (wanted[matched] === all[i]) matched++
    if (matched < wanted.length) continue
    yield i - matched + 1
    matched = borders[matched - 1]!
  }
}

/** Returns, for each prefix, the length of its longest proper prefix that is also a suffix. */
function prefixFunction<T>(wanted: readonly T[]): number[] {
  const borders = [0]
  let length = 0
  for (let i = 1; i < wanted.length; i++) {
    while (length > 0 && wanted[i] !== wanted[length]) length = borders[length - 1]!
    if (wanted[i] === wanted[length]) length++
    borders.push(length)
  }
  return borders
}
