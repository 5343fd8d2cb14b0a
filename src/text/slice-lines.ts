// Some lines out of a text at hand.

export interface Slice {
  content: string
  lines: number
  total: number
  /** More was wanted than may be given. */
  cut: boolean
}

/** Lines `first` to `last`, counted from 1, whole ones as far as `budget` characters go; one that alone is longer is cut. */
export function sliceLines(text: string, first: number, last: number, budget: number): Slice {
  let [line, start, end] = [1, first === 1 ? 0 : text.length, text.length]
  let [fitting, fittingLines] = [-1, 0]
  let at = text.indexOf('\n')
  for (; at >= 0 && at + 1 < text.length; at = text.indexOf('\n', at + 1)) {
    if (line >= first && line <= last && at + 1 - start <= budget) [fitting, fittingLines] = [at + 1, line - first + 1]
    if (line === last) end = at + 1
    line++
    if (line === first) start = at + 1
  }
  const total = text === '' ? 0 : line
  if (start >= end) return { content: '', lines: 0, total, cut: false }
  if (end - start <= budget)
    return { content: text.slice(start, end), lines: Math.min(last, total) - first + 1, total, cut: false }
  if (fitting > start) return { content: text.slice(start, fitting), lines: fittingLines, total, cut: true }
  return { content: text.slice(start, start + budget), lines: 1, total, cut: true }
}
