// Decodes the content encoding of a body. The size is limited for the result, for each intermediate encoding, and for the
// received data.
import type { Readable, Transform } from 'node:stream'
import { pipeline, Readable as Readables, Transform as Transforms } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress
} from 'node:zlib'
import { ToolError } from '../../errors.ts'

interface DecodedBody {
  bytes: Buffer
  /** The body was longer. */
  truncated: boolean
}

const MAX_ENCODINGS = 5
/** Encoded data is hardly ever larger than its content. */
const OVERHEAD_FACTOR = 2
const ZSTD_WINDOW_LOG = 23

/** A partial body is better than none. */
const LENIENT_OPTIONS = { finishFlush: constants.Z_SYNC_FLUSH }

const DECODERS: Readonly<Record<string, (head: Uint8Array) => Transform>> = {
  gzip: () => createGunzip(LENIENT_OPTIONS),
  // Two formats have this name.
  deflate: head => (isZlib(head) ? createInflate(LENIENT_OPTIONS) : createInflateRaw(LENIENT_OPTIONS)),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } })
}

export const ACCEPT_ENCODING = Object.keys(DECODERS).join(', ')

/** `packed` is the value of the header Content-Encoding. */
export async function decodeBody(body: Readable, packed: string, most: number): Promise<DecodedBody> {
  const names = packed
    .toLowerCase()
    .split(',')
    .map(name => name.trim().replace(/^x-/, ''))
    .filter(name => name !== '' && name !== 'identity')
  if (names.length > MAX_ENCODINGS)
    throw new ToolError(
      'TOO_LARGE',
      `The response has ${names.length} content encodings; the maximum is ${MAX_ENCODINGS}.`
    )
  const unknown = names.find(name => !Object.hasOwn(DECODERS, name))
  if (unknown !== undefined)
    throw new ToolError(
      'EXECUTION_ERROR',
      `The response has the content encoding ${JSON.stringify(unknown)}, which is not supported.`
    )
  let stream = body
  try {
    for (const name of names.reverse())
      stream = await pipeThroughDecoder(stream, DECODERS[name]!, OVERHEAD_FACTOR * most)
    return await readUpTo(stream, most)
  } finally {
    stream.destroy()
    body.destroy()
  }
}

async function readUpTo(stream: Readable, most: number): Promise<DecodedBody> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of stream as AsyncIterable<Buffer>) {
    const room = most - size
    parts.push(part.subarray(0, room))
    size += part.length
    if (size > most) break
  }
  return { bytes: Buffer.concat(parts), truncated: size > most }
}

async function pipeThroughDecoder(
  source: Readable,
  unpack: (head: Uint8Array) => Transform,
  most: number
): Promise<Readable> {
  const pieces = (source as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  const first = await pieces.next()
  if (first.done) return Readables.from([])
  const stream = unpack(first.value)
  async function* all() {
    yield first.value as Buffer
    for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) yield piece.value
  }
  // Errors are reported to the reader of the stream.
  pipeline(Readables.from(all(), { objectMode: false }), limitBytes(most), stream, () => source.destroy())
  return stream
}

function limitBytes(most: number): Transform {
  let size = 0
  return new Transforms({
    transform(part: Buffer, _encoding, done) {
      size += part.length
      if (size > most) done(new ToolError('TOO_LARGE', `The compressed response has more than ${most} bytes.`))
      else done(null, part)
    }
  })
}

const isZlib = ([first = 0, second = 0]: Uint8Array) => (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
