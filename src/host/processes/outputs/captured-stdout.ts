// What a command has printed to standard output, read back from where all output is kept. Those who follow a command are
// told the newest where it prints fast; whoever needs every byte reads here.
import type { Outputs } from './output-store.ts'

const PART_BYTES = 1 << 20

export interface Printed {
  text: string
  /** `text` is all there was. */
  whole: boolean
}

/** A stretch of a call's standard output, in bytes. */
interface Stretch {
  from: number
  to: number
}

/** The stretch from its beginning, up to what is missing of it, and at most so many bytes. */
export async function printedIn(
  outputs: Outputs,
  callId: string,
  { from, to }: Stretch,
  mostBytes: number
): Promise<Printed> {
  const texts: string[] = []
  const until = Math.min(to, from + mostBytes)
  let offset = from
  while (offset < until) {
    const limit = Math.min(PART_BYTES, until - offset)
    const part = await outputs.read(callId, { stream: 'stdout', offset, limit, wait_ms: 0 })
    if (!part || part.dropped || part.next_offset === offset) break
    texts.push(part.text)
    offset = part.next_offset
  }
  return { text: texts.join(''), whole: offset === to }
}
