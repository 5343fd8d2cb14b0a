// The text of a Jupyter notebook (format 4), and where its cells stand in it.
import { isObject } from '../json-object.ts'
import { itemsOf, type Member, membersOf, skipSpace, type TextSpan } from '../json-spans.ts'
import { detectJsonStyle, type JsonStyle } from './json-style.ts'

export interface NotebookText {
  outcome: 'notebook'
  text: string
  /** The list of cells. */
  list: TextSpan
  cells: CellText[]
  /** Cells have ids. */
  hasIds: boolean
  style: JsonStyle
}

export interface CellText extends TextSpan {
  type: string
  id: string | undefined
  /** Undefined if it is missing, or no text. */
  source: string | undefined
  members: Member[]
}

/** A text that is no notebook of format 4. */
export type OtherText =
  | { outcome: 'not_json' }
  | { outcome: 'not_notebook' }
  | { outcome: 'other_format'; format: number }

const NAME = /\.ipynb$/i
export const isNotebook = (path: string): boolean => NAME.test(path)

/** The first minor version of format 4 whose cells have ids. */
const FIRST_MINOR_WITH_IDS = 5

export function parseNotebook(text: string): NotebookText | OtherText {
  const root = parse(text)
  if (root === undefined) return { outcome: 'not_json' }
  if (!isObject(root)) return { outcome: 'not_notebook' }
  const { nbformat, nbformat_minor, cells } = root
  if (typeof nbformat === 'number' && nbformat !== 4) return { outcome: 'other_format', format: nbformat }
  if (nbformat !== 4 || !areCells(cells)) return { outcome: 'not_notebook' }
  const start = skipSpace(text, 0)
  // Of members with one name, the last one counts.
  const list = membersOf(text, start).findLast(({ name }) => name === 'cells')!.value
  return {
    outcome: 'notebook',
    text,
    list,
    cells: itemsOf(text, list.start).map((span, i) => locateCell(text, span, cells[i]!)),
    hasIds: typeof nbformat_minor === 'number' && nbformat_minor >= FIRST_MINOR_WITH_IDS,
    style: detectJsonStyle(text, start)
  }
}

/** Returns the cells of a notebook; undefined if the text is no notebook of format 4. */
export function parseCells(text: string): JsonObject[] | undefined {
  const root = parse(text)
  return isObject(root) && root.nbformat === 4 && areCells(root.cells) ? root.cells : undefined
}

/** Joins a text that is stored whole, or as a list of lines with their ends. */
export const joinMultiline = (text: unknown): string =>
  Array.isArray(text) ? text.join('') : typeof text === 'string' ? text : ''

/** Returns the member that counts. */
export const findMember = ({ members }: Pick<CellText, 'members'>, name: string): Member | undefined =>
  members.findLast(member => member.name === name)

export type JsonObject = Record<string, unknown>

function locateCell(text: string, span: TextSpan, { cell_type, id, source }: JsonObject): CellText {
  const isText = typeof source === 'string' || (Array.isArray(source) && source.every(line => typeof line === 'string'))
  return {
    ...span,
    type: String(cell_type),
    id: typeof id === 'string' ? id : undefined,
    source: isText ? joinMultiline(source) : undefined,
    members: membersOf(text, span.start)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const areCells = (cells: unknown): cells is JsonObject[] =>
  Array.isArray(cells) && cells.every(cell => isObject(cell) && typeof cell.cell_type === 'string')
