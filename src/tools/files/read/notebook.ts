// Reads notebooks, cell by cell.
import { hashBytes } from '../../../host/files/content-source.ts'
import type { OpenFile } from '../../../host/files/open-file.ts'
import type { Host } from '../../../host/host.ts'
import { decode } from '../../../text/encoding.ts'
import type { Presented } from '../../../tool/result.ts'
import { ANSWER_BUDGET, type Cell, type CellOutput, fileFacts, type ReadInput, type ReadOutput } from './schemas.ts'

export const NOTEBOOK = 'application/x-ipynb+json'

const DEFAULT_CELLS = 100
const PARSE_TIMEOUT_MS = 4_000
/** Maximum total size of the images of an answer: 5 MB. */
const IMAGE_CHARACTERS = 7 * 1024 * 1024

/** Returns undefined if the content is no notebook, whatever the file's name. */
export async function readNotebook(
  { offset = 1, limit = DEFAULT_CELLS }: ReadInput,
  file: OpenFile,
  bytes: Buffer,
  { compute }: Host,
  signal: AbortSignal
): Promise<ReadOutput | undefined> {
  const text = decode(bytes)?.text
  if (text === undefined) return undefined
  const room = { characters: ANSWER_BUDGET.size, image_characters: IMAGE_CHARACTERS }
  const query = { text, first: offset, limit, ...room }
  const notebook = await compute.run('notebook', query, { signal, deadlineMs: PARSE_TIMEOUT_MS })
  if (!notebook) return undefined
  const { cells, total, cut } = notebook
  return {
    content: cells.map(({ source }) => source).join('\n\n'),
    ...fileFacts(file, bytes, hashBytes(bytes)),
    lines: 0,
    encoding: 'utf-8',
    media_type: NOTEBOOK,
    cells,
    total_cells: total,
    ...(cut && { truncated: true })
  }
}

export function presentNotebook(output: ReadOutput, { path }: ReadInput): Presented {
  const { cells = [], total_cells = 0, truncated, hash } = output
  const shown = cells.flatMap(cell => formatCell(cell, total_cells))
  const last = cells.at(-1)?.index
  if (last === undefined)
    shown.push(total_cells === 0 ? '(The notebook is empty.)' : `(The notebook has only ${total_cells} cells.)`)
  if (truncated && cells.length === 1 && cells[0]!.outputs?.length === 0)
    shown.push(`(Cell ${last} may be too long for one result: read the file with \`encoding\` utf-8.)`)
  if (last !== undefined && last < total_cells)
    shown.push(`(Cells ${cells[0]!.index} to ${last} of ${total_cells}. Continue with offset ${last + 1}.)`)
  shown.push(
    "(To change part of a cell, use edit_file with the cell's text as shown here. To replace, insert or delete cells, use edit_notebook_cell.)"
  )
  const attachments = cells.flatMap(({ outputs = [] }) => outputs.flatMap(toAttachments))
  return {
    title: path,
    content: shown.join('\n'),
    metadata: { hash, media_type: NOTEBOOK, total_cells },
    ...(attachments.length > 0 && { attachments }),
    ...(truncated && { truncated })
  }
}

function formatCell({ index, type, id, source, execution_count, outputs = [] }: Cell, total: number): string[] {
  const named = id === undefined ? '' : `, id ${id}`
  const ran = execution_count === undefined ? '' : `, run as ${execution_count}`
  return [`--- Cell ${index} of ${total}: ${type}${named}${ran} ---`, source, ...outputs.flatMap(formatCellOutput)]
}

function formatCellOutput({ type, text, media_type, base64 }: CellOutput): string[] {
  const picture = media_type && `(${media_type}, ${base64 === undefined ? 'omitted' : 'attached'})`
  return [`--- ${WORDS[type]} ---`, ...(text ? [text] : []), ...(picture ? [picture] : [])]
}

const WORDS = { stream: 'Printed', result: 'Result', display: 'Shown', error: 'Error' } as const

const toAttachments = ({ media_type, base64 }: CellOutput) =>
  media_type && base64 !== undefined ? [{ media_type, data_url: `data:${media_type};base64,${base64}` }] : []
