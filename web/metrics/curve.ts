/** The line of a curve in a box of 100 by 30: the highest value near its top, 0 near its bottom. One value alone is a dot. */
export function lineOf(values: readonly number[]): string {
  const step = 100 / Math.max(1, values.length - 1)
  const most = Math.max(1, ...values)
  const points = values.map((value, n) => `${(n * step).toFixed(1)} ${(29 - (28 * value) / most).toFixed(1)}`)
  return points.length === 0 ? '' : `M${points.join('L')}${points.length === 1 ? 'h0.1' : ''}`
}
