// Reads the content of a result piece by piece: what is odd about one piece costs that piece, and is noted.
import { isObject } from '../../text/json-object.ts'
import type { McpContentBlock } from './mcp-client.ts'
import { kindOf } from './odd-responses.ts'
import { sanitizeText } from './sanitize.ts'

export interface CallContent {
  blocks: McpContentBlock[]
  /** Sentences about pieces that are left out. */
  notes: string[]
}

const MAX_NOTES = 20
const MAX_TYPE_CHARACTERS = 60

type Piece = Record<string, unknown>

/** Reads the `content` of a result, which should be an array of pieces. */
export function readContent(content: unknown): CallContent {
  if (content === undefined || content === null) return { blocks: [], notes: [] }
  const pieces: unknown[] = Array.isArray(content) ? content : [content]
  const blocks: McpContentBlock[] = []
  const notes: string[] = []
  for (const [index, piece] of pieces.entries())
    try {
      blocks.push(readPiece(piece))
    } catch (error) {
      notes.push(`Part ${index + 1} of the result is omitted: ${(error as Error).message}.`)
    }
  const more = notes.length - MAX_NOTES
  return {
    blocks,
    notes: more > 0 ? [...notes.slice(0, MAX_NOTES), `${more} more parts of the result are omitted.`] : notes
  }
}

function readPiece(piece: unknown): McpContentBlock {
  if (typeof piece === 'string') return { type: 'text', text: piece }
  if (!isObject(piece)) throw new Error(`the part is ${kindOf(piece)}`)
  const read = PIECES[String(piece.type)]
  if (read) return read(piece)
  // A type of a later protocol may hold a text all the same.
  if (typeof piece.text === 'string') return { type: 'text', text: piece.text }
  throw new Error(
    typeof piece.type === 'string'
      ? `the type ${JSON.stringify(sanitizeText(piece.type, MAX_TYPE_CHARACTERS))} is unknown`
      : 'the part has no type'
  )
}

const PIECES: Readonly<Record<string, (piece: Piece) => McpContentBlock>> = {
  __proto__: null as never,
  text: ({ text }) => ({ type: 'text', text: readText(text) }),
  image: piece => readBinary('image', piece),
  audio: piece => readBinary('audio', piece),
  resource_link({ uri, name, description, mimeType }) {
    const address = requireText(uri, 'uri')
    return {
      type: 'link',
      uri: sanitizeText(address),
      name: sanitizeText(typeof name === 'string' && name !== '' ? name : address),
      ...(typeof description === 'string' && { description: sanitizeText(description) }),
      ...(typeof mimeType === 'string' && { media_type: sanitizeText(mimeType) })
    }
  },
  resource({ resource }) {
    if (!isObject(resource)) throw new Error('the resource of the part is not an object')
    const { uri, mimeType, text, blob } = resource
    const about = {
      type: 'resource' as const,
      uri: typeof uri === 'string' ? sanitizeText(uri) : '',
      ...(typeof mimeType === 'string' && { media_type: sanitizeText(mimeType) })
    }
    if (typeof text === 'string') return { ...about, text }
    return { ...about, bytes: readBase64(requireText(blob, 'blob')).bytes }
  }
}

function readText(text: unknown): string {
  if (text === undefined) throw new Error('the resource of the part has no text')
  return typeof text === 'string' ? text : JSON.stringify(text, null, 2)
}

function readBinary(type: 'image' | 'audio', { data, mimeType }: Piece): McpContentBlock {
  const { bytes, media_type } = readBase64(requireText(data, 'data'))
  return { type, media_type: typeof mimeType === 'string' ? sanitizeText(mimeType) : (media_type ?? ''), bytes }
}

const DATA_URL = /^data:([^,;]{0,100})(?:;[^,;]{0,100})*?(;base64)?,/i
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/** Reads base64, also that of a `data:` address, which some servers send in its place. */
function readBase64(given: string): { bytes: string; media_type?: string } {
  const [prefix = '', media_type, isBase64] = DATA_URL.exec(given) ?? []
  if (prefix !== '' && !isBase64) throw new Error('the data of the part is a data: address that is not base64')
  const bytes = given.slice(prefix.length).replaceAll(/\s+/g, '')
  if (!BASE64.test(bytes)) throw new Error('the data of the part is not base64')
  return { bytes, ...(media_type && { media_type }) }
}

function requireText(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  throw new Error(value === undefined ? `the part has no ${name}` : `the field ${name} of the part is ${kindOf(value)}`)
}
