// Describes the net change of one file: its diff, or the reason for a missing one, and whether it was changed since.
import { ToolError } from '../../errors.ts'
import type { SessionFile } from '../../protocol/session-changes.ts'
import type { WithheldReason } from '../../protocol/withheld-reasons.ts'
import { cutDiff } from '../../text/diff/cut-diff.ts'
import { decodeForDiff, hidesAsciiInDiff } from '../../text/diff/diff-text.ts'
import { shortenLongLines } from '../../text/diff/long-lines.ts'
import type { Side } from '../../text/diff/unified-diff.ts'
import type { ReadContext } from '../../tool/contexts.ts'
import type { EntryRecord, NetChange } from './net-changes.ts'

/** The services that describing a file needs. */
export interface FileContext extends Pick<ReadContext, 'canReveal' | 'signal'> {
  host: Pick<ReadContext['host'], 'files' | 'compute'>
  /** Redacts credentials in a diff. */
  redact(text: string): string
}

/** Maximum number of bytes of one side of a diff. */
const MAX_COMPARED_BYTES = 2 * 1024 * 1024
/** Maximum number of bytes of the diff of one file as JSON. */
const MAX_DIFF_BYTES = 128 * 1024
const DIFF_TIMEOUT_MS = 2_000

export async function describeFile(change: NetChange, context: FileContext): Promise<SessionFile> {
  const { path, operation, from, before, after, changedBetween, calls } = change
  const { kind } = after ?? before ?? {}
  const current = await readCurrent(path, after, context)
  return {
    path,
    operation,
    ...(kind && { kind }),
    ...(from !== undefined && { from }),
    ...(operation !== 'unchanged' && !kind && (await describeDiff(change, current?.bytes, context))),
    ...(changedBetween && { changed_between: true as const }),
    ...(current && { changed_since: current.changed }),
    calls
  }
}

type DiffFields = Pick<SessionFile, 'diff' | 'diff_truncated' | 'added' | 'removed' | 'withheld'>

async function describeDiff(
  { path, from = path, before, after, names }: NetChange,
  current: Buffer | undefined,
  context: FileContext
): Promise<DiffFields> {
  if (!names.every(name => context.canReveal({ path: name, literal: true }))) return { withheld: 'not_to_be_shown' }
  const was = before && (await readStored(before, undefined, context))
  const is = after && (await readStored(after, current, context))
  const withheld = [was, is].find(side => typeof side === 'string')
  if (typeof withheld === 'string') return { withheld }
  const [old, now] = [was as Buffer | undefined, is as Buffer | undefined]
  const texts = [old, now].map(bytes => bytes && decodeForDiff(bytes))
  const isText = (old === undefined || texts[0] !== undefined) && (now === undefined || texts[1] !== undefined)
  if (!isText || hidesAsciiInDiff(old, now)) return { withheld: 'not_text' }
  return compare(toSide(from, texts[0], before), toSide(path, texts[1], after), context)
}

async function compare(before: Side | undefined, after: Side | undefined, { host, signal, redact }: FileContext) {
  const changes = countLines(before) + countLines(after)
  const terms = { signal, deadlineMs: DIFF_TIMEOUT_MS }
  const found = await host.compute.run('fileDiff', { before, after, changes }, terms).catch(error => {
    if (signal.aborted || !(error instanceof ToolError) || error.code !== 'TIMEOUT') throw error
    return undefined
  })
  if (!found) return { withheld: 'too_large' as const }
  const whole = redact(found.diff)
  const shortened = shortenLongLines(whole)
  const { diff, missing } = cutDiff(shortened, MAX_DIFF_BYTES)
  const isCut = missing > 0 || shortened !== whole
  return {
    added: found.added,
    removed: found.removed,
    diff,
    ...(isCut && { diff_truncated: true as const })
  }
}

const toSide = (path: string, text: string | undefined, entry: EntryRecord | undefined): Side | undefined =>
  entry && { path, text, executable: isExecutable(entry) }

const isExecutable = ({ mode }: EntryRecord) => mode !== undefined && (Number.parseInt(mode, 8) & 0o100) !== 0

const countLines = (side: Side | undefined) => side?.text?.split('\n').length ?? 0

/** Returns the content of a recorded entry, or the reason for which there is none. `current` has the same hash, if it is given. */
async function readStored(
  { hash, purged }: EntryRecord,
  current: Buffer | undefined,
  { host, signal }: FileContext
): Promise<Buffer | WithheldReason> {
  if (hash === undefined) return purged ? 'purged' : 'not_stored'
  if (current) return current.length > MAX_COMPARED_BYTES ? 'too_large' : current
  const blob = host.files.findStored(hash)
  if (!blob) return 'not_stored'
  if (blob.size > MAX_COMPARED_BYTES) return 'too_large'
  return (await blob.bytes(signal)) ?? 'not_stored'
}

/** The entry at a path now. */
interface CurrentEntry {
  changed: boolean
  /** Content, if it is that after the last call. */
  bytes?: Buffer | undefined
}

/** Compares the entry at a path with that after the last call. Returns undefined if this is unknown. */
async function readCurrent(
  path: string,
  after: EntryRecord | undefined,
  { host: { files } }: FileContext
): Promise<CurrentEntry | undefined> {
  try {
    const entry = files.inspectLiteral(path)
    if (!entry || !after) return { changed: Boolean(entry) !== Boolean(after) }
    if (entry.type !== (after.kind ?? 'file')) return { changed: true }
    if (entry.type === 'symlink') return { changed: entry.target !== after.target }
    if (entry.type !== 'file') return { changed: false }
    if (after.hash === undefined) return undefined
    const found = await files.snapshot(path)
    if (!found) return { changed: true }
    // A large file has no hash.
    if (found.hash === undefined) return undefined
    return found.hash === after.hash ? { changed: false, bytes: found.bytes } : { changed: true }
  } catch (error) {
    if (error instanceof ToolError) return undefined
    throw error
  }
}
