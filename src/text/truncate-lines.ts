// Truncates lists to the size of one answer.

/** 50 KB. */
const SIZE = 50 * 1024

/** Returns the lines that fit in an answer, followed by the number of omitted ones, if any. */
export function truncateLines(lines: readonly string[]): string[] {
  let size = 0
  const end = lines.findIndex(line => {
    size += line.length + 1
    return size > SIZE
  })
  if (end < 0) return [...lines]
  const shown = Math.max(1, end)
  const first = lines[0]!.slice(0, SIZE)
  return [first, ...lines.slice(1, shown), `(The call's data has ${lines.length - shown} more lines.)`]
}
