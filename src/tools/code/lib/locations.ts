// Formats locations with the text of their lines, but only for files that the caller may read.
import { type Static, Type } from 'typebox'
import { ToolError } from '../../../errors.ts'
import type { SourceLocation } from '../../../host/lsp/language-service.ts'
import { truncateLines } from '../../../text/truncate-lines.ts'
import type { ReadContext } from '../../../tool/contexts.ts'
import { lineReader } from './line-reader.ts'

const WIDTH = 200
/** Number of characters shown before the location in a long line. */
const BEFORE = 60

export const LOCATION_FIELDS = {
  path: Type.String({
    description: 'File path, relative to the workspace root; absolute if the file is outside the workspace.'
  }),
  line: Type.Integer({ description: 'From 1.' }),
  column: Type.Integer({ description: 'Column in characters, from 1.' }),
  end_line: Type.Integer({ description: 'Line on which the location ends.' }),
  end_column: Type.Integer({ description: 'Column after the last character of the location.' }),
  text: Type.Optional(
    Type.String({ description: 'Text of the line where the location starts; a long line is shortened.' })
  ),
  outside: Type.Optional(
    Type.Boolean({ description: 'True if the file is outside the workspace, so its text is not shown.' })
  ),
  withheld: Type.Optional(
    Type.Boolean({ description: 'True if reading the file requires approval, so its text is not shown.' })
  )
}

export const LocationOutput = Type.Object(LOCATION_FIELDS)
export type LocationOutput = Static<typeof LocationOutput>

export const limitParam = (limit: number, most: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: most, description: `Maximum results. Default: ${limit}.` }))

/** Returns a function that adds its line to a location. */
export function locationPresenter(ctx: ReadContext): (place: SourceLocation) => Promise<LocationOutput> {
  const lines = lineReader(ctx)
  const shown = new Map<string, boolean>()
  const mayShow = (path: string) => {
    const known = shown.get(path) ?? canRevealPath(path, ctx)
    shown.set(path, known)
    return known
  }
  return async ({ path, start, end, outside }) => {
    const at = { path, line: start.line, column: start.column, end_line: end.line, end_column: end.column }
    if (outside) return { ...at, outside }
    if (!mayShow(path)) return { ...at, withheld: true }
    const text = await lines.line(path, start.line)
    return { ...at, ...(text !== undefined && { text: excerptAround(text, start.column) }) }
  }
}

function canRevealPath(path: string, { canReveal }: ReadContext) {
  try {
    return canReveal({ path })
  } catch (error) {
    if (error instanceof ToolError) return false
    throw error
  }
}

function excerptAround(text: string, column: number) {
  const characters = [...text]
  if (characters.length <= WIDTH) return text
  const start = Math.max(0, Math.min(column - 1 - BEFORE, characters.length - WIDTH))
  const part = characters.slice(start, start + WIDTH).join('')
  return `${start > 0 ? '…' : ''}${part}${start + WIDTH < characters.length ? '…' : ''}`
}

/** Formats one location per line, as far as they fit in an answer. */
export const formatLocations = (places: readonly LocationOutput[]) => truncateLines(places.map(formatLocation))

export const formatLocation = ({ path, line, column, text, outside, withheld }: LocationOutput) =>
  `${path}:${line}:${column}${outside ? ' (outside the workspace)' : ''}${withheld ? ' (reading requires approval)' : ''}${text === undefined ? '' : `: ${text.trim()}`}`

export const compareLocations = (a: SourceLocation, b: SourceLocation) =>
  a.path === b.path ? a.start.line - b.start.line || a.start.column - b.start.column : a.path < b.path ? -1 : 1
