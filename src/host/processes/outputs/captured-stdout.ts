// Reads a command's complete standard output from the output store. Live readers may miss bytes of a fast command; code that
// needs every byte reads here.
import type { OutputStore } from './output-store.ts'

const READ_CHUNK_BYTES = 1 << 20

export interface CapturedStdout {
  text: string
  /** `text` is complete. */
  isComplete: boolean
}

/** A range of a call's standard output, in bytes. */
interface StdoutRange {
  from: number
  to: number
}

/** Reads the range from its beginning, up to the first gap, and at most so many bytes. */
export async function readCapturedStdout(
  outputs: OutputStore,
  callId: string,
  { from, to }: StdoutRange,
  mostBytes: number
): Promise<CapturedStdout> {
  const texts: string[] = []
  const until = Math.min(to, from + mostBytes)
  let offset = from
  while (offset < until) {
    const limit = Math.min(READ_CHUNK_BYTES, until - offset)
    const part = await outputs.read(callId, { stream: 'stdout', offset, limit, wait_ms: 0 })
    if (!part || part.dropped || part.next_offset === offset) break
    texts.push(part.text)
    offset = part.next_offset
  }
  return { text: texts.join(''), isComplete: offset === to }
}
