// Parses JSON with comments, and finds the lines of its values.
import type { ParseError } from 'jsonc-parser'
import { PolicyFileError } from './policy-entry.ts'

interface JsonFile {
  value: unknown
  /** Returns the line of a value, from 1. */
  findLine(location: readonly (string | number)[]): number
}

/** Throws a PolicyFileError with the place of the first error. */
export async function parseJsonFile(text: string): Promise<JsonFile> {
  const { findNodeAtLocation, getNodeValue, parseTree, printParseErrorCode } = await import('jsonc-parser')
  const errors: ParseError[] = []
  const tree = parseTree(text.replace(/^\ufeff/, ' '), errors, { allowTrailingComma: true })
  const [error] = errors
  if (error) {
    const words = printParseErrorCode(error.error).replaceAll(/(?<=[a-z])[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
    throw new PolicyFileError(toPosition(text, error.offset), `the file is not valid JSON: ${words.toLowerCase()}`)
  }
  if (tree?.type !== 'object') throw new PolicyFileError('1:1', 'the file must contain a JSON object')
  return {
    value: getNodeValue(tree),
    findLine(location) {
      const node = findNodeAtLocation(tree, [...location])
      const place = node?.parent?.type === 'property' ? node.parent : node
      return countLines(text, place?.offset ?? 0)
    }
  }
}

const countLines = (text: string, offset: number) => text.slice(0, offset).split('\n').length

/** Formats an offset as line and column, from 1. */
export const toPosition = (text: string, offset: number): string =>
  `${countLines(text, offset)}:${offset - (text.lastIndexOf('\n', offset - 1) + 1) + 1}`
