// Rebuilds a damaged write-ahead log of SQLite: recovery ends at the first frame whose checksum is wrong, although those that follow may
// be whole. See https://sqlite.org/fileformat2.html#walformat.

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** Bytes of each header that the checksum covers. */
const SUMMED_HEADER_BYTES = 24
const SUMMED_FRAME_BYTES = 8
/** First bytes of a log: the lowest bit selects big-endian checksums. */
const MAGIC = 0x377f0682
const FORMAT_VERSION = 3_007_000
/** Frames with foreign salts after which a log counts as ended: they are left from earlier use of the file. */
const MAX_FOREIGN_FRAMES = 4

interface RebuiltLog {
  log: Buffer
  frames: number
  /** Frames whose own checksum was wrong. */
  damaged: number
}

/** Returns the log with right checksums; undefined if nothing in it is damaged, or nothing is left of it. */
export function rebuildLog(given: Buffer, pageSize: number): RebuiltLog | undefined {
  const frameBytes = FRAME_HEADER_BYTES + pageSize
  const count = Math.floor((given.length - HEADER_BYTES) / frameBytes)
  if (count < 1) return undefined
  const frames = Array.from({ length: count }, (_, n) =>
    given.subarray(HEADER_BYTES + n * frameBytes, HEADER_BYTES + (n + 1) * frameBytes)
  )
  const salts = findSalts(given, frames)
  const used = frames.slice(0, countUsed(frames, salts))
  const isBig = given.readUInt32BE(0) === MAGIC + 1
  const isHeaderWhole =
    [MAGIC, MAGIC + 1].includes(given.readUInt32BE(0)) &&
    given.readUInt32BE(8) === pageSize &&
    given.subarray(16, 24).equals(salts) &&
    sum(given.subarray(0, SUMMED_HEADER_BYTES), [0, 0], isBig).join() === readSums(given, 24).join()
  const isWhole = used.map((frame, n) => {
    const before = n === 0 ? readSums(given, 24) : readSums(used[n - 1]!, 16)
    return frame.subarray(8, 16).equals(salts) && sumFrame(frame, before, isBig).join() === readSums(frame, 16).join()
  })
  // The frame after one with a damaged checksum looks damaged too, and is kept all the same.
  const damaged = isWhole.filter(whole => !whole).length
  if (damaged === 0 && isHeaderWhole) return undefined

  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE(isBig ? MAGIC + 1 : MAGIC, 0)
  header.writeUInt32BE(FORMAT_VERSION, 4)
  header.writeUInt32BE(pageSize, 8)
  given.copy(header, 12, 12, 16)
  salts.copy(header, 16)
  let sums = sum(header.subarray(0, SUMMED_HEADER_BYTES), [0, 0], isBig)
  writeSums(header, 24, sums)
  const parts: Buffer[] = [header]
  for (const [n, frame] of used.entries()) {
    if (!isWhole[n] && !isPlausible(frame, used.slice(n + 1))) continue
    const copy = Buffer.from(frame)
    salts.copy(copy, 8)
    sums = sumFrame(copy, sums, isBig)
    writeSums(copy, 16, sums)
    parts.push(copy)
  }
  return { log: Buffer.concat(parts), frames: used.length, damaged }
}

/** Returns the pair of salts that most of the first frames share with the header or each other. */
function findSalts(given: Buffer, frames: readonly Buffer[]): Buffer {
  const candidates = [given.subarray(16, 24), ...frames.slice(0, 8).map(frame => frame.subarray(8, 16))]
  const votes = (salts: Buffer) => candidates.filter(other => other.equals(salts)).length
  return candidates.reduce((best, each) => (votes(each) > votes(best) ? each : best))
}

/** Counts the frames up to the last one of this use of the file. */
function countUsed(frames: readonly Buffer[], salts: Buffer): number {
  let used = 0
  for (const [n, frame] of frames.entries()) {
    if (frame.subarray(8, 16).equals(salts)) used = n + 1
    else if (n - used >= MAX_FOREIGN_FRAMES) break
  }
  return used
}

/** Returns true unless the number of the page is beyond the size of the database at the next commit. */
function isPlausible(frame: Buffer, following: readonly Buffer[]): boolean {
  const page = frame.readUInt32BE(0)
  const pages = following.find(next => next.readUInt32BE(4) > 0)?.readUInt32BE(4) ?? Number.POSITIVE_INFINITY
  return page > 0 && page <= pages
}

type Sums = [number, number]
const readSums = (bytes: Buffer, at: number): Sums => [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]

function writeSums(bytes: Buffer, at: number, [first, second]: Sums) {
  bytes.writeUInt32BE(first, at)
  bytes.writeUInt32BE(second, at + 4)
}

const sumFrame = (frame: Buffer, before: Sums, isBig: boolean): Sums =>
  sum(frame.subarray(FRAME_HEADER_BYTES), sum(frame.subarray(0, SUMMED_FRAME_BYTES), before, isBig), isBig)

function sum(bytes: Buffer, [first, second]: Sums, isBig: boolean): Sums {
  let [a, b] = [first, second]
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + (isBig ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + b) >>> 0
    b = (b + (isBig ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + a) >>> 0
  }
  return [a, b]
}
