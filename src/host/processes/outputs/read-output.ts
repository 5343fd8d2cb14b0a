// Reads a range of a captured output from its pages, some of which may be missing.
import type { CapturePage, OutputStream, StreamOffsets } from './capture-page.ts'

const MAX_UTF8_BYTES = 4

export interface OutputReadOptions {
  stream: OutputStream
  /** In bytes of that stream. */
  offset: number
  limit: number
  /** Maximum time in milliseconds to wait for bytes if there are none yet and the output has not ended. */
  wait_ms: number
  signal?: AbortSignal
}

export interface OutputPart {
  /** Whole characters only; invalid UTF-8 becomes replacement characters. */
  text: string
  /** Start of `text`: the requested offset, or a later one if bytes were dropped. */
  offset: number
  next_offset: number
  /** Nothing follows `next_offset`, now or later. */
  ended: boolean
  /** The gap that was skipped. */
  dropped?: { from: number; bytes: number }
}

/** A page in memory or on disk. Both methods return undefined if it is gone. */
export interface PageHandle {
  start(): StreamOffsets | undefined | Promise<StreamOffsets | undefined>
  load(): CapturePage | undefined | Promise<CapturePage | undefined>
}

/** Reads the requested range from pages in order. `over`: no more output will come. */
export async function readOutputPart(
  pages: readonly PageHandle[],
  { stream, offset, limit }: OutputReadOptions,
  over: boolean
): Promise<OutputPart> {
  const atMost = Math.max(limit, MAX_UTF8_BYTES)
  const found: Uint8Array[] = []
  let start = offset
  let length = 0
  let end = 0
  let dropped: OutputPart['dropped']
  let atHole = false
  for (let i = await lastPageStartingBefore(pages, stream, offset); i < pages.length; i += 1) {
    const page = await pages[i]!.load()
    if (!page) continue
    const hole = page.start[stream] > Math.max(end, start + length)
    // A gap ends a text that has begun; the next read starts after it.
    atHole = hole && length > 0
    if (atHole) break
    if (hole) {
      const from = Math.max(start, end)
      dropped = { from, bytes: page.start[stream] - from }
      start = page.start[stream]
    }
    end = page.end[stream]
    for (const one of page.read(stream, start + length, atMost - length)) {
      found.push(one)
      length += one.length
    }
    if (start + length < end) break
  }
  const reachedEnd = !atHole && start + length >= end
  const bytes = Buffer.concat(found, length)
  // The first bytes of a character wait for its rest, unless none can come.
  const taken = atHole || (over && reachedEnd) ? length : length - trailingIncompleteBytes(bytes)
  return {
    text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, taken)),
    offset: start,
    next_offset: start + taken,
    ended: over && reachedEnd,
    ...(dropped && { dropped })
  }
}

/** Returns the last page that starts at or before the offset, so that a large offset costs no more. */
async function lastPageStartingBefore(
  pages: readonly PageHandle[],
  stream: OutputStream,
  offset: number
): Promise<number> {
  let low = 0
  let high = pages.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const start = await pages[middle]!.start()
    if (start && start[stream] <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** Counts the leading bytes that belong to a previous character. */
export function leadingContinuationBytes(bytes: Uint8Array): number {
  let count = 0
  while (count < MAX_UTF8_BYTES - 1 && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1
  return count
}

/** Counts the trailing bytes of an incomplete character. */
export function trailingIncompleteBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back]!
    if (byte < 0x80) return 0
    if (byte < 0xc0) continue
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return needed > back ? back : 0
  }
  return 0
}
