// Edits one setting in the text of a configuration file and preserves everything else, including comments.
import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser'

export class InvalidJsonError extends Error {}

/** Returns the text with the setting at that path; removes it if the value is undefined. */
export function editSetting(text: string, path: readonly string[], value: unknown): string {
  const before = text.trim() === '' ? '{}\n' : text
  assertJsonObject(before)
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: before.includes('\r\n') ? '\r\n' : '\n' }
  const after = applyEdits(before, modify(before, [...path], value, { formattingOptions }))
  assertJsonObject(after)
  return after.endsWith('\n') ? after : `${after}\n`
}

function assertJsonObject(text: string) {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  if (errors.length > 0 || typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidJsonError('The file is not a valid JSON object.')
}
