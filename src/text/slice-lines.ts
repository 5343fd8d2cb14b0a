// Some lines out of a text at hand.

export interface Slice {
  content: string
  lines: number
  total: number
  /** More was wanted than may be given. */
  cut: boolean
}

/** How much one answer holds: characters, of which every line costs `toll` besides its own. */
export interface Budget {
  size: number
  toll: number
}

/** Lines `first` to `last`, counted from 1, whole ones as far as the budget goes; one that alone is too long is cut. */
export function sliceLines(text: string, first: number, last: number, { size, toll }: Budget): Slice {
  let [line, start, end] = [1, first === 1 ? 0 : text.length, text.length]
  let [fitting, fittingLines] = [-1, 0]
  for (let at = text.indexOf('\n'); at >= 0 && at + 1 < text.length; at = text.indexOf('\n', at + 1)) {
    const count = line - first + 1
    if (line >= first && line <= last && at + 1 - start + count * toll <= size)
      [fitting, fittingLines] = [at + 1, count]
    if (line === last) end = at + 1
    line++
    if (line === first) start = at + 1
  }
  const total = text === '' ? 0 : line
  if (start >= end) return { content: '', lines: 0, total, cut: false }
  const wanted = Math.min(last, total) - first + 1
  if (end - start + wanted * toll <= size) return { content: text.slice(start, end), lines: wanted, total, cut: false }
  if (fitting > start) return { content: text.slice(start, fitting), lines: fittingLines, total, cut: true }
  return { content: text.slice(start, start + Math.max(0, size - toll)), lines: 1, total, cut: true }
}
