// The part in which two texts differ.

export interface TextChange {
  /** Offsets of the replaced part. */
  readonly start: number
  readonly end: number
  readonly inserted: string
}

/** Returns the smallest part of a text whose replacement makes it equal to the other. Characters are not split. */
export function findChange(before: string, after: string): TextChange {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  if (isWithinCharacter(before, start) || isWithinCharacter(after, start)) start--
  let rest = 0
  while (rest < shorter - start && before.at(-1 - rest) === after.at(-1 - rest)) rest++
  if (isWithinCharacter(before, before.length - rest) || isWithinCharacter(after, after.length - rest)) rest--
  return { start, end: before.length - rest, inserted: after.slice(start, after.length - rest) }
}

/** Returns true if the offset is between the halves of a character, or of a CRLF. */
const isWithinCharacter = (text: string, offset: number): boolean =>
  /^(?:[\ud800-\udbff][\udc00-\udfff]|\r\n)$/.test(text.slice(Math.max(0, offset - 1), offset + 1))
