// Parameters for a position in a file: line and column, or a symbol on that line, which callers usually know.
import { Type } from 'typebox'
import { invalidParam, ToolError } from '../../../errors.ts'
import type { SourcePosition } from '../../../host/lsp/language-service.ts'
import type { ReadContext } from '../../../tool/contexts.ts'
import { lineReader } from './line-reader.ts'

export const POSITION_PARAMS = {
  path: Type.String({ minLength: 1, description: 'Workspace-relative path.' }),
  line: Type.Integer({ minimum: 1, description: 'Line, from 1.' }),
  col: Type.Optional(Type.Integer({ minimum: 1, description: 'Column in characters, from 1. Or give symbol.' })),
  symbol: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'Name in the line, instead of `col`; a.b selects the b.'
    })
  )
}

interface PositionParams {
  path: string
  line: number
  col?: number
  symbol?: string
}

/** Resolves the position in the file that the path leads to. */
export async function resolvePosition(
  { path: given, line, col, symbol }: PositionParams,
  ctx: ReadContext
): Promise<SourcePosition> {
  const path = resolveFile(given, ctx)
  if (col !== undefined && symbol !== undefined)
    throw invalidParam('symbol', 'cannot be combined with `col`: give only one of them.')
  if (col !== undefined) return { path, line, column: col }
  if (symbol === undefined)
    throw invalidParam('col', 'is required. Instead of `col`, you can give a name on the line as `symbol`.')
  const text = await lineReader(ctx).line(path, line)
  if (text === undefined) throw invalidParam('line', `is past the end of ${given}, or ${given} is not a text file.`)
  return { path, line, column: findSymbolColumn(symbol, text) ?? throwSymbolNotFound(symbol, text, line) }
}

/** Returns the canonical path of a file, including one that exists only in an editor. */
export function resolveFile(given: string, { host: { files } }: ReadContext): string {
  const { path, kind } = files.peek(given)
  if (kind === 'file' || (kind === 'missing' && files.unsaved(given))) return path
  if (kind === 'missing') throw new ToolError('FILE_NOT_FOUND', `${given} does not exist.`, { path: given })
  throw new ToolError('NOT_A_FILE', `${given} is ${kind === 'directory' ? 'a folder' : 'not a regular file'}.`, {
    path: given
  })
}

const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/gu
const PART_OF_NAME = /[\p{ID_Continue}$]/u
const MAX_LISTED_NAMES = 30

/** Finds a whole symbol in a line, counted in characters from 1; for a qualified name, the position of its last part. */
export function findSymbolColumn(symbol: string, text: string): number | undefined {
  for (let at = text.indexOf(symbol); at >= 0; at = text.indexOf(symbol, at + 1)) {
    const end = at + symbol.length
    if (isOneIdentifier(text.slice(0, at), symbol) || isOneIdentifier(symbol, text.slice(end))) continue
    const last = [...symbol.matchAll(NAME)].at(-1)?.index ?? 0
    return [...text.slice(0, at + last)].length + 1
  }
  return undefined
}

/** Checks if an identifier would continue from one text into the next. */
function isOneIdentifier(before: string, after: string) {
  const [last, first] = [[...before.slice(-2)].at(-1), [...after.slice(0, 2)][0]]
  return last !== undefined && first !== undefined && PART_OF_NAME.test(last) && PART_OF_NAME.test(first)
}

function throwSymbolNotFound(symbol: string, text: string, line: number): never {
  const names = [...new Set(text.match(NAME))]
  const listed = names.slice(0, MAX_LISTED_NAMES).join(', ')
  const there =
    names.length === 0 ? 'which has no names' : `which has ${listed}${names.length > MAX_LISTED_NAMES ? ' …' : ''}`
  throw invalidParam('symbol', `${JSON.stringify(symbol.slice(0, 100))} is not on line ${line}, ${there}.`)
}
