// Titles on one line, for lists of calls: they show that a text has more lines.

/** Maximum number of characters of a title, without the number of further lines. */
const MAX_TITLE_CHARACTERS = 200
const LINE_BREAK = ' ⏎ '

/** Joins the lines of a text, and shows their number: `npm test ⏎ touch x (+1 line)`. A long text is cut, which shows as `…`. */
export function summarizeLines(text: string): string {
  const lines = text.trim().split(/\r\n|[\n\r]/)
  const joined = joinLines(text)
  const title = joined.length > MAX_TITLE_CHARACTERS ? `${cutBefore(joined, MAX_TITLE_CHARACTERS)}…` : joined
  const more = lines.length - 1
  return more === 0 ? title : `${title} (+${more} ${more === 1 ? 'line' : 'lines'})`
}

/** Joins the lines of a text. */
export const joinLines = (text: string): string => text.trim().replace(/\s*(?:\r\n|[\n\r])\s*/g, LINE_BREAK)

/** Cuts a text without splitting a character. */
const cutBefore = (text: string, at: number) => text.slice(0, at).replace(/[\ud800-\udbff]$/, '')
