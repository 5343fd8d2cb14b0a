// Splits a program's output into records, each ended by one byte; oversized ones are skipped and counted. `decode` makes text of several
// records with what ends them.

const MAX_RECORD_BYTES = 1 << 20

export interface RecordFormat {
  /** Byte that ends each record. */
  end: number
  decode(bytes: Buffer): string
}

export interface SkippedRecords {
  records: number
}

export async function* splitRecords(
  chunks: AsyncIterable<Buffer>,
  { end, decode }: RecordFormat,
  skipped: SkippedRecords
): AsyncGenerator<string[], void, void> {
  let rest: Buffer[] = []
  let restBytes = 0
  for await (const chunk of chunks) {
    const last = chunk.lastIndexOf(end)
    if (last < 0) {
      restBytes += chunk.length
      // Buffered only until it is known to be oversized.
      if (restBytes <= MAX_RECORD_BYTES) rest.push(chunk)
      else rest = []
      continue
    }
    let whole = chunk.subarray(0, last)
    const tooLong = restBytes > MAX_RECORD_BYTES
    if (tooLong) {
      skipped.records += 1
      whole = whole.subarray(chunk.indexOf(end) + 1)
    } else if (rest.length > 0) whole = Buffer.concat([...rest, whole])
    rest = [chunk.subarray(last + 1)]
    restBytes = rest[0]!.length
    if (!(tooLong && whole.length === 0)) yield decode(whole).split(String.fromCharCode(end))
  }
}
