// Reads configuration in JSON, with or without comments, without ever throwing.
import { isObject } from '../../text/json-object.ts'

/** Returns the object in a text; undefined if it holds none. */
export function parseJsonObject(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined
  return asRecord(parse(text) ?? parse(stripComments(text)))
}

/** Returns a value if it is an object. */
export const asRecord = (value: unknown): Record<string, unknown> | undefined => (isObject(value) ? value : undefined)

/** Returns a property that the object itself has. */
export const ownProperty = (object: Record<string, unknown> | undefined, name: string): unknown =>
  object && Object.hasOwn(object, name) ? object[name] : undefined

/** Formats a value as the text of an entry. */
export const formatEntry = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const COMMENT_OR_STRING = /"(?:\\[\s\S]?|[^"\\])*"?|\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*$)|,(?=\s{0,200}[}\]])/g

const stripComments = (text: string) => text.replace(COMMENT_OR_STRING, match => (match.startsWith('"') ? match : ''))
