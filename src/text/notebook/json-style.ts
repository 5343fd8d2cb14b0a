// Detects the layout of a JSON text, and prints values in it.
import { membersOf, skipSpace } from '../json-spans.ts'

export interface JsonStyle {
  /** White space before the names of the outermost object, with the line end; undefined if all is on one line. */
  newline: string | undefined
  /** One level of indentation. */
  indent: string
  /** Between a name and its value. */
  colon: string
  /** Between two values on one line. */
  comma: string
  /** Characters other than ASCII are escaped. */
  isAscii: boolean
}

/** Detects the style of a valid JSON text by the object at `at`. */
export function detectJsonStyle(text: string, at: number): JsonStyle {
  const [first, second] = membersOf(text, at)
  const space = text.slice(at + 1, skipSpace(text, at + 1))
  const lineEnd = space.lastIndexOf('\n')
  const name = first && JSON.stringify(first.name)
  return {
    newline: lineEnd < 0 ? undefined : space[lineEnd - 1] === '\r' ? '\r\n' : '\n',
    indent: lineEnd < 0 ? '' : space.slice(lineEnd + 1),
    colon:
      first && text.startsWith(name!, first.start) ? text.slice(first.start + name!.length, first.value.start) : ': ',
    comma: first && second ? text.slice(first.end, second.start) : ',',
    isAscii: !hasOtherThanAscii(text) && ESCAPED_LETTER.test(text)
  }
}

/** Writes a value at a depth of the text. */
export function printJson(value: unknown, style: JsonStyle, depth: number): string {
  if (Array.isArray(value))
    return wrap(
      '[]',
      value.map(item => printJson(item, style, depth + 1)),
      style,
      depth
    )
  if (typeof value !== 'object' || value === null) return printScalar(value, style)
  const members = Object.entries(value).map(
    ([name, member]) => `${printScalar(name, style)}${style.colon}${printJson(member, style, depth + 1)}`
  )
  return wrap('{}', members, style, depth)
}

function wrap([open, close]: string, parts: readonly string[], { newline, indent, comma }: JsonStyle, depth: number) {
  if (parts.length === 0) return `${open}${close}`
  if (newline === undefined) return `${open}${parts.join(comma)}${close}`
  const [inner, outer] = [newline + indent.repeat(depth + 1), newline + indent.repeat(depth)]
  return `${open}${inner}${parts.join(`,${inner}`)}${outer}${close}`
}

export function printScalar(value: unknown, { isAscii }: Pick<JsonStyle, 'isAscii'>): string {
  const printed = JSON.stringify(value)
  return isAscii
    ? printed.replace(OTHER_THAN_ASCII, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : printed
}

/** Control characters are escaped in every text. */
const ESCAPED_LETTER = /[^\\](?:\\\\)*\\u(?!00[01])[\da-fA-F]{4}/
const OTHER_THAN_ASCII = /[\u0080-\uffff]/g
const hasOtherThanAscii = (text: string) => /[\u0080-\uffff]/.test(text)
