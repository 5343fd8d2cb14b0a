// Replaces, inserts or deletes a cell of a notebook. Every character of the file that does not belong to the change stays.
import { createHash } from 'node:crypto'
import { type ChangedText, changeText } from '../edit/change-text.ts'
import { decodeEditable, describeUnencodable, detectEol, type Encoding, encode, withEol } from '../encoding.ts'
import { type Member, splice, type TextSpan } from '../json-spans.ts'
import { cellDiff, nameCell } from './cell-diff.ts'
import { printJson } from './json-style.ts'
import { type CellText, findMember, type NotebookText, type OtherText, parseNotebook } from './notebook-text.ts'
import { printSource, replaceSource, splitLines } from './source-value.ts'

export const CELL_TYPES = ['code', 'markdown', 'raw'] as const
export type CellType = (typeof CELL_TYPES)[number]

/** The id of a cell, or its number, counted from 1, or from the end if negative. */
export type CellAddress = string | number

export type CellChange =
  | { mode: 'replace'; cell: CellAddress; source: string; type?: CellType | undefined; outputs: 'clear' | 'keep' }
  /** After a cell, or at the beginning. */
  | { mode: 'insert'; cell?: CellAddress | undefined; source: string; type: CellType }
  | { mode: 'delete'; cell: CellAddress }

/** Input of the plan. Exported because the declarations of the job table name it. */
export interface CellChangeInput {
  path: string
  bytes: Uint8Array
  change: CellChange
}

/** The cell that was changed. Its number is the one after the change, or before it if the cell is deleted. */
export interface ChangedCell {
  index: number
  id?: string
  type: string
  /** Number of cells after the change. */
  total: number
  /** The kinds of the outputs that it had. */
  outputs: string[]
  /** It had another type. */
  formerType?: string
  /** Names of the attachments that it loses. */
  attachments: string[]
}

export type CellChangePlan =
  | (ChangedText & { outcome: 'changed'; cell: ChangedCell })
  | OtherText
  | { outcome: 'not_text' }
  | { outcome: 'inexact'; encoding: Encoding }
  | { outcome: 'no_cell'; total: number; ids: string[] }
  | { outcome: 'several_cells'; cells: number[] }
  | { outcome: 'unchanged' }
  | { outcome: 'unwritable'; encoding: Encoding; character: string }

const MAX_LISTED_IDS = 20

export function planCellChange({ path, bytes, change }: CellChangeInput): CellChangePlan {
  const before = decodeEditable(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (!before) return { outcome: 'not_text' }
  if (!before.exact) return { outcome: 'inexact', encoding: before.encoding }
  const notebook = parseNotebook(before.text)
  if (notebook.outcome !== 'notebook') return notebook
  const found = change.cell === undefined ? [-1] : findCells(notebook, change.cell)
  const [at] = found
  if (at === undefined) return { outcome: 'no_cell', ...describeCells(notebook) }
  if (found.length > 1) return { outcome: 'several_cells', cells: found.map(i => i + 1) }
  const { text, cell, source } = applyChange(notebook, at, change)
  if (text === before.text) return { outcome: 'unchanged' }
  if (!encode(text, before.encoding))
    return { outcome: 'unwritable', encoding: before.encoding, character: describeUnencodable(text, before.encoding) }
  const diff = cellDiff(path, [{ name: nameCell(cell.index, cell.type), ...source }])
  return { outcome: 'changed', ...changeText({ path, bytes, before, text, diff }), cell }
}

/** Estimates the maximum cost of a plan, in steps of some ten nanoseconds. */
export const estimateCellSteps = ({ bytes }: CellChangeInput): number => bytes.length * 2

/** Returns the indexes of the cells with an id, or of the one with this number, which may be given as a text. */
function findCells({ cells }: NotebookText, address: CellAddress): number[] {
  const withId = cells.flatMap(({ id }, i) => (id === address ? [i] : []))
  if (withId.length > 0) return withId
  if (typeof address === 'string' && !/^-?\d{1,9}$/.test(address)) return []
  const number = Number(address)
  const at = number < 0 ? cells.length + number : number - 1
  return at in cells ? [at] : []
}

const describeCells = ({ cells }: NotebookText) => ({
  total: cells.length,
  ids: cells.flatMap(({ id }) => id ?? []).slice(0, MAX_LISTED_IDS)
})

interface Change {
  text: string
  cell: ChangedCell
  /** The source of the cell. */
  source: { before: string; after: string }
}

function applyChange(notebook: NotebookText, at: number, change: CellChange): Change {
  if (change.mode === 'insert') return insertCell(notebook, at, change)
  return change.mode === 'delete' ? deleteCell(notebook, at) : replaceCell(notebook, at, change)
}

function replaceCell(
  notebook: NotebookText,
  at: number,
  { source, type: given, outputs }: Extract<CellChange, { mode: 'replace' }>
): Change {
  const { text, cells, style } = notebook
  const cell = cells[at]!
  const type = given ?? cell.type
  const before = cell.source ?? ''
  const now = source.includes('\r\n') ? source : withEol(source, detectEol(before))
  const old = findMember(cell, 'source')?.value
  const values = new Map<string, string | undefined>([
    ['source', old ? replaceSource(text.slice(old.start, old.end), now, style) : printSource(now, style)],
    ...(type === cell.type ? [] : ([['cell_type', JSON.stringify(type)]] as const)),
    ...outputValues(cell, type, outputs),
    ...(type === 'code' ? ([['attachments', undefined]] as const) : [])
  ])
  return {
    text: splice(text, setMembers(notebook, cell, values)),
    cell: {
      ...describe(notebook, at),
      type,
      ...(type !== cell.type && { formerType: cell.type }),
      ...(type !== 'code' && { attachments: [] })
    },
    source: { before, after: now }
  }
}

/** Returns the new outputs of a cell: only code has any. */
function outputValues(cell: CellText, type: string, outputs: 'clear' | 'keep'): [string, string | undefined][] {
  const names = ['execution_count', 'outputs']
  if (type !== 'code') return names.map(name => [name, undefined])
  const isNew = cell.type !== 'code'
  if (!isNew && outputs === 'keep') return []
  return [
    ['execution_count', 'null'],
    ['outputs', '[]']
  ].flatMap(([name, value]) => (isNew || findMember(cell, name!) ? [[name!, value]] : []))
}

/** Replaces, adds and removes members of a cell. Members that stay are written as they were. */
function setMembers(
  { text, style }: NotebookText,
  cell: CellText,
  values: ReadonlyMap<string, string | undefined>
): (TextSpan & { now: string })[] {
  const has = (name: string) => cell.members.some(member => member.name === name)
  const isWithin = [...values].every(([name, value]) => has(name) === (value !== undefined))
  if (isWithin)
    return [...values].flatMap(([name, value]) =>
      value === undefined ? [] : [{ ...findMember(cell, name)!.value, now: value }]
    )
  const { members } = cell
  const written = ({ name, start, end, value }: Member) =>
    values.has(name) ? `${text.slice(start, value.start)}${values.get(name)}` : text.slice(start, end)
  const stay = members.filter(({ name }) => !values.has(name) || values.get(name) !== undefined)
  const fresh = [...values].filter(([name, value]) => value !== undefined && !has(name))
  const all = [...stay.map(written), ...fresh.map(([name, value]) => `${JSON.stringify(name)}${style.colon}${value}`)]
  const [first, second] = members
  const open = text.slice(cell.start + 1, first!.start)
  const between = second ? text.slice(first!.end, second.start) : `,${open}`
  return [{ start: first!.start, end: members.at(-1)!.end, now: all.join(between) }]
}

function insertCell(
  notebook: NotebookText,
  after: number,
  { source, type }: Extract<CellChange, { mode: 'insert' }>
): Change {
  const { text, cells, list, style, hasIds } = notebook
  const at = after + 1
  const id = hasIds ? createId(notebook, at, source) : undefined
  const code = type === 'code'
  // The order of the names is the one in which nbformat writes them.
  const printed = printJson(
    {
      cell_type: type,
      ...(code && { execution_count: null }),
      ...(id !== undefined && { id }),
      metadata: {},
      ...(code && { outputs: [] }),
      source: splitLines(source)
    },
    style,
    CELL_DEPTH
  )
  const cell = {
    index: at + 1,
    ...(id !== undefined && { id }),
    type,
    total: cells.length + 1,
    outputs: [],
    attachments: []
  }
  const part = addItem(text, list, at, printed, notebook)
  return { text: splice(text, [part]), cell, source: { before: '', after: source } }
}

const CELL_DEPTH = 2

/** Adds an item to a list, with the white space that the others have. */
function addItem(
  text: string,
  list: TextSpan,
  at: number,
  item: string,
  { cells, style }: NotebookText
): TextSpan & { now: string } {
  const [first, second] = cells
  if (!first) {
    const [open, close] =
      style.newline === undefined ? ['', ''] : [2, 1].map(n => style.newline + style.indent.repeat(n))
    return { ...list, now: `[${open}${item}${close}]` }
  }
  const open = text.slice(list.start + 1, first.start)
  const between = second ? text.slice(first.end, second.start) : open.includes('\n') ? `,${open}` : style.comma
  const before = cells[at - 1]
  return before
    ? { start: before.end, end: before.end, now: between + item }
    : { start: first.start, end: first.start, now: item + between }
}

/**
 * Returns an id that no cell has, as nbformat 4.5 asks for. It follows from the notebook and the source, so that what is approved is
 * what is written.
 */
function createId({ text, cells }: NotebookText, at: number, source: string): string {
  const taken = new Set(cells.map(({ id }) => id))
  for (let round = 0; ; round++) {
    const hash = createHash('sha256')
      .update(JSON.stringify([round, at, source]))
      .update(text.toWellFormed())
    const id = hash.digest('hex').slice(0, ID_LENGTH)
    if (!taken.has(id)) return id
  }
}

const ID_LENGTH = 8

function deleteCell(notebook: NotebookText, at: number): Change {
  const { text, cells, list } = notebook
  const { start, end } = cells[at]!
  const [before, next] = [cells[at - 1], cells[at + 1]]
  const gone = before
    ? { start: before.end, end }
    : next
      ? { start, end: next.start }
      : { start: list.start + 1, end: list.end - 1 }
  const { source: was } = cells[at]!
  return {
    text: splice(text, [{ ...gone, now: '' }]),
    cell: { ...describe(notebook, at), total: cells.length - 1 },
    source: { before: was ?? '', after: '' }
  }
}

/** Describes a cell as it is. */
function describe({ text, cells }: NotebookText, at: number): ChangedCell {
  const cell = cells[at]!
  const { id, type } = cell
  const parseMember = (name: string): unknown => {
    const value = findMember(cell, name)?.value
    return value && JSON.parse(text.slice(value.start, value.end))
  }
  const [outputs, attachments] = [parseMember('outputs'), parseMember('attachments')]
  return {
    index: at + 1,
    ...(id !== undefined && { id }),
    type,
    total: cells.length,
    outputs: Array.isArray(outputs) ? outputs.map(output => String(output?.output_type)) : [],
    attachments: typeof attachments === 'object' && attachments !== null ? Object.keys(attachments) : []
  }
}
