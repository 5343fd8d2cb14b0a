// Exports of a journal's chain and of the rows that it covers: JSON Lines with a signature at the end, verified without the server's state.
import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { type AuditKey, isSignedBy } from './audit-key.ts'
import type { CallRow, ChainRecord, EventRow } from './chain-records.ts'
import { addFault, type ChainReport, type ChainSource, verifyChain } from './chain-verification.ts'
import type { KnownRecord } from './chain-walk.ts'
import { readChainContext, readLastRecord } from './event-chain.ts'
import { toChainSource } from './journal-verification.ts'

const FORMAT = 'toolgate-audit/1'
const CHUNK_BYTES = 256 * 1024

/** The first line. */
interface ExportHeader {
  format: string
  journal_id: string
  /** The key that signs the export. */
  key: string
  at: string
  /** The last record. */
  last: { n: number; hash: string }
}

type Line = { record: ChainRecord } | { event: EventRow } | { call: CallRow }

/** A file that is no export, or not a whole one. */
export class ExportError extends Error {
  constructor(file: string, problem: string) {
    super(`The file ${file} ${problem}.`)
    this.name = 'ExportError'
  }
}

function* formatLines(source: ChainSource): Generator<Line> {
  for (const record of source.records()) yield { record }
  for (const event of source.events()) yield { event }
  for (const call of source.calls()) yield { call }
}

/** Writes an export into a new file. */
export function writeExport(db: DatabaseSync, key: AuditKey, file: string): ExportHeader {
  const { journal_id } = readChainContext(db)!
  const header = {
    format: FORMAT,
    journal_id,
    key: key.publicKey,
    at: new Date().toISOString(),
    last: readLastRecord(db)!
  }
  const digest = createHash('sha256')
  const fd = openSync(file, 'wx', 0o600)
  try {
    let chunk = `${JSON.stringify(header)}\n`
    const flush = () => {
      digest.update(chunk)
      writeWhole(fd, Buffer.from(chunk))
      chunk = ''
    }
    for (const line of formatLines(toChainSource(db))) {
      chunk += `${JSON.stringify(line)}\n`
      if (chunk.length > CHUNK_BYTES) flush()
    }
    flush()
    const signature = key.sign(signedText(digest.digest('base64url')))
    writeWhole(fd, Buffer.from(`${JSON.stringify({ signature })}\n`))
    fsyncSync(fd)
    return header
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
}

const signedText = (digest: string) => `${FORMAT}\n${digest}`

function writeWhole(fd: number, bytes: Buffer) {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
}

/** Reads the header of an export, for a comparison with a journal. */
function readExportHeader(file: string): ExportHeader {
  for (const line of readLines(file)) {
    const header = parseLine(file, line) as Partial<ExportHeader>
    if (header.format === FORMAT && header.last && header.key !== undefined) return header as ExportHeader
    break
  }
  throw new ExportError(file, 'was not written by toolgate audit export')
}

/** Verifies an export by itself. The signature is that of the key in its header, which the caller compares with one that is trusted. */
export function verifyExport(
  file: string,
  known: readonly KnownRecord[] = []
): { header: ExportHeader; report: ChainReport } {
  const header = readExportHeader(file)
  const isSigned = hasValidSignature(file, header)
  const source: ChainSource = {
    records: () => takeLines<ChainRecord>(file, 'record'),
    events: () => takeLines<EventRow>(file, 'event'),
    calls: () => takeLines<CallRow>(file, 'call')
  }
  const report = verifyChain(source, [...known, { ...header.last, from: 'the first line of the export' }])
  if (!isSigned) addFault(report, { event_id: null, problem: 'the signature of the export does not match its content' })
  return { header, report }
}

function hasValidSignature(file: string, { key }: ExportHeader): boolean {
  const digest = createHash('sha256')
  let last: Buffer | undefined
  for (const line of readLines(file)) {
    if (last) digest.update(last)
    last = line
  }
  const { signature } = parseLine(file, last!) as { signature?: unknown }
  return typeof signature === 'string' && isSignedBy(key, signedText(digest.digest('base64url')), signature)
}

function* takeLines<T>(file: string, name: 'record' | 'event' | 'call'): Generator<T> {
  const start = `{"${name}":`
  for (const line of readLines(file)) {
    if (line.toString('latin1', 0, start.length) !== start) continue
    yield (parseLine(file, line) as Record<typeof name, T>)[name]
  }
}

function parseLine(file: string, line: Buffer): object {
  try {
    const parsed: unknown = JSON.parse(line.toString())
    if (typeof parsed === 'object' && parsed !== null) return parsed
  } catch {
    // Reported below.
  }
  throw new ExportError(file, 'has an invalid line, so the file was changed or truncated')
}

/** Reads lines with their ends. */
function* readLines(file: string): Generator<Buffer> {
  const fd = openSync(file, 'r')
  try {
    const parts: Buffer[] = []
    for (;;) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
      const chunk = buffer.subarray(0, readSync(fd, buffer))
      if (chunk.length === 0) break
      let start = 0
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        yield Buffer.concat([...parts.splice(0), chunk.subarray(start, end + 1)])
        start = end + 1
      }
      if (start < chunk.length) parts.push(chunk.subarray(start))
    }
    if (parts.length > 0) yield Buffer.concat(parts)
  } finally {
    closeSync(fd)
  }
}
