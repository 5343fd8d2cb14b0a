// Responses with the bytes of a file: ranges and conditions of RFC 9110.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import parseRange from 'range-parser'
import { ToolError } from '../../errors.ts'
import type { ByteRange, Download } from '../../host/transfers/downloads.ts'

interface ConditionHeaders {
  range?: string | undefined
  'if-match'?: string | undefined
  'if-none-match'?: string | undefined
  'if-range'?: string | undefined
}

/** Formats a content hash as an entity tag. */
export const toETag = (hash: string) => `"${hash}"`

/** Sends the file, a range of it, or 304. Several ranges at once are answered with the whole file. */
export function sendFile(reply: FastifyReply, file: Download, headers: ConditionHeaders, signal: AbortSignal) {
  const etag = toETag(file.hash)
  const { 'if-match': wanted, 'if-none-match': known } = headers
  if (wanted !== undefined && !listsTag(wanted, etag))
    throw new ToolError('PRECONDITION_FAILED', 'The file has changed: its ETag is not the one in If-Match.', {
      found: file.hash
    })
  reply.headers({ etag, 'last-modified': file.modified.toUTCString(), 'accept-ranges': 'bytes', ...UNINTERPRETED })
  if (known !== undefined && listsTag(known, etag)) return reply.code(304).send()
  const range = selectRange(file, headers, etag)
  const { start, end } = range ?? { start: 0, end: file.size }
  reply.header('content-length', end - start)
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${file.size}`)
  if (reply.request.method === 'HEAD') return reply.send()
  return reply.send(Readable.from(file.read({ start, end }, signal), { objectMode: false }))
}

/** No browser interprets what may be any file of the workspace. */
const UNINTERPRETED = {
  'content-type': 'application/octet-stream',
  'content-disposition': 'attachment',
  'x-content-type-options': 'nosniff',
  'content-security-policy': 'sandbox',
  'cache-control': 'private, no-cache'
}

/** Returns the requested range; undefined for the whole file. */
function selectRange({ size }: Download, { range, 'if-range': condition }: ConditionHeaders, etag: string) {
  if (range === undefined || (condition !== undefined && condition.trim() !== etag)) return undefined
  const ranges = parseRange(size, range)
  if (ranges === -1)
    throw new ToolError('RANGE_NOT_SATISFIABLE', `The requested range is outside the file, which has ${size} bytes.`, {
      size
    })
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return undefined
  const { start, end } = ranges[0]!
  return { start, end: end + 1 } satisfies ByteRange
}

/** Checks if a list of entity tags has this one. Weak tags do not count: contents are compared byte for byte. */
const listsTag = (list: string, etag: string) =>
  list.trim() === '*' || list.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag)
