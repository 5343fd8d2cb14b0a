/**
 * Returns the SVG path of a curve in a box of 100 by 30: the highest value near its top, 0 near its bottom. One value makes no
 * line.
 */
export function toLinePath(values: readonly number[]): string {
  if (values.length < 2) return ''
  const step = 100 / (values.length - 1)
  const most = Math.max(1, ...values)
  const points = values.map((value, n) => `${(n * step).toFixed(1)} ${(29 - (28 * value) / most).toFixed(1)}`)
  return `M${points.join('L')}`
}
