// Finds where the values of a JSON text stand, so that one is replaced and every other character stays as it is.

export interface TextSpan {
  start: number
  end: number
}

/** A name of an object with its value; `start` is that of the name. */
export interface Member extends TextSpan {
  name: string
  value: TextSpan
}

/** Returns the members of the object at `at` in a valid JSON text, in the order of the text, names that repeat included. */
export function membersOf(text: string, at: number): Member[] {
  const members: Member[] = []
  for (let start = skipSpace(text, at + 1); text[start] === '"'; ) {
    const nameEnd = skipString(text, start)
    const valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1)
    const end = skipValue(text, valueStart)
    members.push({ name: JSON.parse(text.slice(start, nameEnd)), start, end, value: { start: valueStart, end } })
    start = skipComma(text, end)
  }
  return members
}

/** Returns the items of the array at `at` in a valid JSON text. */
export function itemsOf(text: string, at: number): TextSpan[] {
  const items: TextSpan[] = []
  for (let start = skipSpace(text, at + 1); text[start] !== ']'; ) {
    const end = skipValue(text, start)
    items.push({ start, end })
    start = skipComma(text, end)
  }
  return items
}

/** Returns the start of the first value. */
export function skipSpace(text: string, at: number): number {
  let end = at
  while (SPACES.has(text[end]!)) end++
  return end
}

/** Replaces parts of a text, which do not overlap. */
export function splice(text: string, parts: readonly (TextSpan & { now: string })[]): string {
  const pieces: string[] = []
  let at = 0
  for (const { start, end, now } of parts.toSorted((a, b) => a.start - b.start)) {
    pieces.push(text.slice(at, start), now)
    at = end
  }
  return pieces.join('') + text.slice(at)
}

const SPACES: ReadonlySet<string> = new Set(' \t\n\r')
const ENDS: ReadonlySet<string> = new Set(' \t\n\r,]}')

/** Returns the start of the next member or item, or the closing bracket. */
function skipComma(text: string, at: number): number {
  const end = skipSpace(text, at)
  return text[end] === ',' ? skipSpace(text, end + 1) : end
}

/** Returns the end of the value at `at`. It reads each character once, however deep the value is. */
function skipValue(text: string, at: number): number {
  if (text[at] === '"') return skipString(text, at)
  if (text[at] !== '{' && text[at] !== '[') return skipWord(text, at)
  let depth = 0
  for (let end = at; ; end++) {
    const character = text[end]
    if (character === '"') end = skipString(text, end) - 1
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    if (depth === 0) return end + 1
  }
}

function skipWord(text: string, at: number): number {
  let end = at
  while (end < text.length && !ENDS.has(text[end]!)) end++
  return end
}

function skipString(text: string, at: number): number {
  let end = at
  do end = text.indexOf('"', end + 1)
  while (isEscaped(text, end))
  return end + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}
