// Records of the chain: each carries the hash of the one before, and a digest of what it is about. The content itself stands in the rows
// of events and calls, with a salt: once both are gone, the digest shows nothing of them, and the chain stays valid.
import { hash, randomFillSync } from 'node:crypto'

/**
 * `event`: an event was appended. `rewrite`: the row of an event is another one now, or was entered again. `call`: the row of a call is
 * this one now. `removal`: events are gone whose call has ended. `cut`: the oldest history was dropped. `anchor`: a signature of all
 * before it. `epoch`: the journal was made, migrated, restored or repaired, or has a new key. `base`: what is left of the last record that
 * was dropped, its hash.
 */
export type RecordKind = 'event' | 'rewrite' | 'call' | 'removal' | 'cut' | 'anchor' | 'epoch' | 'base'

export interface ChainRecord {
  n: number
  kind: RecordKind
  /** Number of the event or call; null for kinds with `data`. */
  ref: number | null
  /** Digest of the row, or of `data`. */
  digest: string
  hash: string
  data: string | null
}

/** Why an epoch began. */
export type EpochReason = 'created' | 'migrated' | 'restored' | 'repaired' | 'key_replaced'

/** The facts that hold from a record on: enough to verify what follows when all before it is gone. */
export interface ChainContext {
  journal_id: string
  /** The public key of the anchors. */
  key: string
  /** Newest event and call that were there before the chain began; those up to them are not covered unless they have a record. */
  uncovered: { seq: number; n: number }
}

export interface EpochData extends ChainContext {
  reason: EpochReason
  at: string
  version: number
  /** The facts that held until then; null at the beginning of a chain. */
  before: Pick<ChainContext, 'journal_id' | 'key'> | null
  /** Number of the record before, since numbers of lost records are not used again; 0 at the beginning of a chain. */
  after: number
  /** Damage that a repair found in the chain before, which is not continued. */
  damage?: string
}

export interface RemovalData {
  /** Numbers of the events, as ranges. */
  events: string
}

export interface CutData extends ChainContext, RemovalData {
  /** Numbers of the calls, as ranges. */
  calls: string
  at: string
  /** The last record that was dropped; its hash stays as the beginning of the chain. */
  base: { n: number; hash: string }
}

export interface AnchorData {
  at: string
  signature: string
}

export const FORMAT_VERSION = 1
/** The hash before the first record. */
export const NO_HASH = ''

type Value = string | number | null

/** Columns of an event that its digest covers, in order. */
export const EVENT_COLUMNS = ['seq', 'time', 'type', 'session_id', 'workspace', 'tool_call_id', 'data'] as const
export const CALL_COLUMNS = [
  'n',
  'tool_call_id',
  'tool',
  'status',
  'session_id',
  'workspace',
  'created_at',
  'paths',
  'head',
  'result',
  'result_of',
  'owner'
] as const

export type EventRow = Record<(typeof EVENT_COLUMNS)[number] | 'salt' | 'chained', Value>
export type CallRow = Record<(typeof CALL_COLUMNS)[number] | 'salt' | 'chained', Value>

const sha256 = (text: string) => hash('sha256', text, 'base64url')

/** Returns the digest of a row's columns. Each has its length before it, so that none can pass for parts of another. */
export function digestValues(salt: string, values: readonly Value[]): string {
  let text = salt
  for (const value of values) text += value === null ? '\n-' : `\n${String(value).length}:${value}`
  return sha256(text)
}

export const digestEvent = (row: EventRow) =>
  digestValues(
    String(row.salt),
    EVENT_COLUMNS.map(name => row[name])
  )

export const digestCall = (row: CallRow) =>
  digestValues(
    String(row.salt),
    CALL_COLUMNS.map(name => row[name])
  )

export const digestData = (data: string) => sha256(data)

/** Returns the hash of a record, which includes that of the one before. */
export const hashRecord = (before: string, { n, kind, ref, digest }: Omit<ChainRecord, 'hash' | 'data'>) =>
  sha256(`${before}\n${n}\n${kind}\n${ref ?? ''}\n${digest}`)

/** Returns the text that an anchor signs. */
export const anchorText = (journal_id: string, n: number, hash: string, at: string) =>
  `toolgate-anchor/${FORMAT_VERSION}\n${journal_id}\n${n}\n${hash}\n${at}`

const SALT_BYTES = 16
const salts = Buffer.alloc(SALT_BYTES * 256)
let saltsUsed = salts.length

/** Returns a random text that keeps a short content from being guessed by its digest. */
export function createSalt(): string {
  if (saltsUsed === salts.length) {
    randomFillSync(salts)
    saltsUsed = 0
  }
  const salt = salts.toString('base64url', saltsUsed, saltsUsed + SALT_BYTES)
  salts.fill(0, saltsUsed, saltsUsed + SALT_BYTES)
  saltsUsed += SALT_BYTES
  return salt
}

/** Formats ascending numbers as ranges, such as `1-4,9`. */
export function formatRanges(numbers: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last && number === last[1] + 1) last[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join()
}

export const parseRanges = (text: string): [number, number][] =>
  text === ''
    ? []
    : text.split(',').map(range => {
        const [first, last = first] = range.split('-').map(Number)
        return [first!, last!]
      })

/** The id of a journal, as clients see it. */
export const formatJournalId = (id: number) => id.toString(16).padStart(12, '0')
