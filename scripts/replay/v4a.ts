// Converts changes to V4A patches: located by three lines of context, and by an anchor if that context is not unique.
import { CONTEXT_LINES, splitLines, type TextChange } from './text.ts'

export const toPatch = (sections: readonly string[]) => `*** Begin Patch\n${sections.join('')}*** End Patch\n`

export const deleteSection = (path: string) => `*** Delete File: ${path}\n`

/** Returns undefined if not representable: every line of such a patch ends with a newline. */
export function addSection(path: string, text: string): string | undefined {
  if (text !== '' && !text.endsWith('\n')) return undefined
  return `*** Add File: ${path}\n${splitLines(text)
    .map(line => `+${line}`)
    .join('')}`
}

/** Returns undefined if not representable: the newline at the end of the file cannot change. */
export function updateSection(
  path: string,
  to: string | undefined,
  [before, after]: readonly [string, string],
  changes: readonly TextChange[]
): string | undefined {
  const ends = (text: string) => text === '' || text.endsWith('\n')
  if (ends(before) !== ends(after)) return undefined
  const lines = splitLines(before).map(withNewline)
  const hunks = changes.map(change => formatHunk(lines, { ...change, lines: change.lines.map(withNewline) }))
  return [`*** Update File: ${path}\n`, ...(to === undefined ? [] : [`*** Move to: ${to}\n`]), ...hunks].join('')
}

const withNewline = (line: string) => (line.endsWith('\n') ? line : `${line}\n`)

function formatHunk(lines: readonly string[], change: TextChange): string {
  for (let around = CONTEXT_LINES; ; around++) {
    const [from, to] = [Math.max(0, change.from - around), Math.min(lines.length, change.to + around)]
    const places = findPlaces(lines, lines.slice(from, to))
    const anchor = places.length === 1 ? '' : findAnchor(lines, from, places)
    if (anchor === undefined) continue
    return [
      `@@${anchor === '' ? '\n' : ` ${anchor}`}`,
      ...lines.slice(from, change.from).map(line => ` ${line}`),
      ...lines.slice(change.from, change.to).map(line => `-${line}`),
      ...change.lines.map(line => `+${line}`),
      ...lines.slice(change.to, to).map(line => ` ${line}`),
      ...(to === lines.length ? ['*** End of File\n'] : [])
    ].join('')
  }
}

function findPlaces(lines: readonly string[], wanted: readonly string[]): number[] {
  const places: number[] = []
  for (let at = 0; at + wanted.length <= lines.length; at++)
    if (wanted.every((line, i) => line === lines[at + i])) places.push(at)
  return places
}

/** Returns the nearest unique line above after which the place is the first match. */
function findAnchor(lines: readonly string[], from: number, places: readonly number[]): string | undefined {
  for (let at = from - 1; at >= 0 && !places.includes(at); at--) {
    const line = lines[at]!
    if (line.trim() !== '' && lines.filter(other => other.trim() === line.trim()).length === 1) return line
  }
  return undefined
}
