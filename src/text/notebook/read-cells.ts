// Reads the cells of a Jupyter notebook (format 4), with shortened outputs.
import { stripVTControlCharacters } from 'node:util'
import { isObject } from '../json-object.ts'
import { type JsonObject, joinMultiline, parseCells } from './notebook-text.ts'

interface NotebookCell {
  /** Counted from 1. */
  index: number
  type: string
  /** As `edit_notebook_cell` takes it. */
  id?: string
  source: string
  execution_count?: number
  outputs?: NotebookOutput[]
}

interface NotebookOutput {
  type: 'stream' | 'result' | 'display' | 'error'
  text?: string
  media_type?: string
  base64?: string
}

export interface NotebookQuery {
  text: string
  /** The first cell, counted from 1, or from the end if negative. */
  first: number
  limit: number
  /** No cell begins after so many characters; the source of a longer single one is truncated. */
  characters: number
  /** Maximum total size of the images, in base64. */
  image_characters: number
}

export interface Notebook {
  cells: NotebookCell[]
  total: number
  /** The requested range exceeds the limits. */
  cut: boolean
}

/** Returns undefined if the text is no such notebook. */
export function notebookCells({
  text,
  first,
  limit,
  characters,
  image_characters
}: NotebookQuery): Notebook | undefined {
  const all = parseCells(text)
  if (!all) return undefined
  const from = first < 0 ? Math.max(1, all.length + 1 + first) : first
  const room = { characters, image_characters }
  const cells: NotebookCell[] = []
  for (const [i, cell] of all.slice(from - 1, from - 1 + limit).entries()) {
    const read = readCell(cell, from + i, room)
    room.characters -= cellLength(read)
    if (room.characters < 0) {
      if (cells.length === 0) cells.push({ ...read, source: read.source.slice(0, characters), outputs: [] })
      return { cells, total: all.length, cut: true }
    }
    cells.push(read)
  }
  return { cells, total: all.length, cut: false }
}

type OutputBudget = Pick<NotebookQuery, 'image_characters'>

const HEAD_LINES = 30
const TAIL_LINES = 10
const LINE_CHARACTERS = 500
const IMAGES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']
const TEXTS = ['text/markdown', 'text/latex', 'text/plain']

function readCell(cell: JsonObject, index: number, room: OutputBudget): NotebookCell {
  const { cell_type, id, source, execution_count, outputs } = cell
  const read = { index, type: String(cell_type), ...(typeof id === 'string' && { id }), source: joinMultiline(source) }
  if (cell_type !== 'code') return read
  const given = Array.isArray(outputs) ? outputs.filter(isObject) : []
  return {
    ...read,
    ...(Number.isInteger(execution_count) && { execution_count: execution_count as number }),
    outputs: given.flatMap(output => OUTPUTS[String(output.output_type)]?.(output, room) ?? [])
  }
}

const OUTPUTS: Record<string, (output: JsonObject, room: OutputBudget) => NotebookOutput> = {
  stream: ({ text }) => ({ type: 'stream', text: shortenOutput(joinMultiline(text)) }),
  execute_result: ({ data }, room) => ({ type: 'result', ...readData(data, room) }),
  display_data: ({ data }, room) => ({ type: 'display', ...readData(data, room) }),
  error: ({ ename, evalue, traceback }) => {
    const name = `${ename}: ${evalue}`
    const trace = Array.isArray(traceback) ? traceback.join('\n') : ''
    return {
      type: 'error',
      text: shortenOutput(stripVTControlCharacters(trace).includes(name) ? trace : `${trace}\n${name}`)
    }
  }
}

/** Selects one of several representations: an image if there is one, else text. */
function readData(data: unknown, room: OutputBudget): Omit<NotebookOutput, 'type'> {
  if (!isObject(data)) return {}
  const text = TEXTS.find(type => type in data)
  const words = text === undefined ? {} : { text: shortenOutput(joinMultiline(data[text])) }
  const media_type = IMAGES.find(type => type in data)
  if (media_type === undefined) return text === undefined ? { media_type: Object.keys(data).join(', ') } : words
  const base64 = joinMultiline(data[media_type]).replace(/\s/g, '')
  if (base64.length > room.image_characters) return { ...words, media_type }
  room.image_characters -= base64.length
  return { ...words, media_type, base64 }
}

/** Renders the output as a terminal would finally show it, without its middle. */
function shortenOutput(text: string): string {
  const lines = stripVTControlCharacters(text)
    .replace(/\r\n/g, '\n')
    .replace(/\n$/, '')
    .split('\n')
    .map(line => line.slice(line.lastIndexOf('\r', line.length - 2) + 1))
    .map(line => (line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS)}…` : line))
  const left = lines.length - HEAD_LINES - TAIL_LINES
  if (left <= 1) return lines.join('\n')
  return [...lines.slice(0, HEAD_LINES), `… (${left} lines omitted)`, ...lines.slice(-TAIL_LINES)].join('\n')
}

const cellLength = ({ source, outputs = [] }: NotebookCell) =>
  outputs.reduce((sum, { text = '' }) => sum + text.length, source.length)
