// Follows the records of a chain in order, and finds where one is not the one that was written. Collects what they say of the rows.
import { isSignedBy } from './audit-key.ts'
import {
  type AnchorData,
  anchorText,
  type ChainContext,
  type ChainRecord,
  type CutData,
  digestData,
  type EpochData,
  hashRecord,
  NO_HASH,
  parseRanges,
  type RecordKind,
  type RemovalData
} from './chain-records.ts'
import { NumberRanges } from './number-ranges.ts'

/** A record at its place, known from elsewhere: the marker, or an earlier export. */
export interface KnownRecord {
  n: number
  hash: string
  /** The source, for the report. */
  from: string
}

/** The state of a row by the chain. */
export interface RowState {
  digest: string
  /** Number of the record. */
  n: number
  /** Newest event before the record, or the event itself. */
  seq: number | undefined
}

/** `seq`: the event, or the newest one before the place; undefined at the beginning. */
export type ReportFault = (problem: string, place: { seq?: number | undefined; record?: number | undefined }) => void

type Place = Pick<ChainRecord, 'n' | 'hash'>

export class ChainWalk {
  readonly rewrites = new Map<number, RowState>()
  readonly calls = new Map<number, RowState>()
  readonly removed = new NumberRanges()
  readonly epochs: Pick<EpochData, 'journal_id' | 'key' | 'reason' | 'at' | 'damage'>[] = []
  context: ChainContext | undefined
  first: Place | undefined
  last: Place | undefined
  anchors = 0
  /** Number of the last record that an anchor signs. */
  signedUpTo = 0
  readonly #report: ReportFault
  /** Those that were not met yet, by number. */
  readonly #known: Map<number, KnownRecord[]>
  readonly #unchecked: { place: Place; n: number; seq: number | undefined; data: AnchorData }[] = []
  /** The last record, and the hashes that the next one may follow: one of both is right where the record was changed. */
  #before: { n: number; hashes: string[] } | undefined
  #cutBase: Place | undefined
  #seq: number | undefined

  constructor(known: readonly KnownRecord[], report: ReportFault) {
    this.#report = report
    this.#known = Map.groupBy(known, ({ n }) => n)
  }

  take(record: ChainRecord) {
    const { n, kind, ref, hash } = record
    const parsed = this.#parseData(record)
    this.#checkPlace(record, parsed)
    if (kind === 'event') {
      if (this.#seq !== undefined && ref! <= this.#seq)
        this.#report('the record is in the wrong order', { seq: ref!, record: n })
      this.#seq = ref!
    } else if (kind === 'rewrite') this.rewrites.set(ref!, { digest: record.digest, n, seq: ref! })
    else if (kind === 'call') this.calls.set(ref!, { digest: record.digest, n, seq: this.#seq })
    else if (parsed !== undefined) TAKE_DATA[kind]?.(this, parsed as never, record)
    this.first ??= { n, hash }
    this.last = { n, hash }
    for (const known of this.#known.get(n) ?? [])
      if (known.hash !== hash)
        this.#report(`the record differs from that of ${known.from}`, { seq: this.#seq, record: n })
    this.#known.delete(n)
  }

  /** Checks what is known only at the end of the chain. */
  end() {
    if (!this.first || !this.last) return
    this.#checkAnchors(this.context)
    const isBegun =
      this.#cutBase === undefined || (this.#cutBase.n === this.first.n && this.#cutBase.hash === this.first.hash)
    if (!isBegun || (this.#cutBase === undefined && this.#isBased))
      this.#report('the chain does not begin where the history was last truncated', { record: this.first.n })
    // Older ones than the first were dropped since.
    for (const { n, from } of [...this.#known.values()].flat())
      if (n > this.first.n) this.#report(`the record ${n} of ${from} is missing`, { seq: this.#seq, record: n })
  }

  takeRemoval({ events }: RemovalData) {
    this.removed.add(events)
  }

  takeCut(data: CutData) {
    this.removed.add(data.events)
    for (const [first, last] of parseRanges(data.calls)) for (let n = first; n <= last; n += 1) this.calls.delete(n)
    this.#cutBase = data.base
    this.context = { journal_id: data.journal_id, key: data.key, uncovered: data.uncovered }
  }

  takeAnchor(data: AnchorData, { n }: ChainRecord) {
    if (this.last) this.#unchecked.push({ place: this.last, n, seq: this.#seq, data })
  }

  takeEpoch({ journal_id, key, uncovered, reason, at, damage, before }: EpochData) {
    this.#checkAnchors(before)
    this.context = { journal_id, key, uncovered }
    this.epochs.push({ journal_id, key, reason, at, ...(damage !== undefined && { damage }) })
  }

  #isBased = false

  #checkPlace(record: ChainRecord, data: unknown) {
    const { n, kind, hash } = record
    const before = this.#before
    if (!before && kind === 'base') {
      this.#isBased = true
      this.#before = { n, hashes: [hash] }
      if (record.ref !== null || record.digest !== '' || record.data !== null)
        this.#report('the record was changed', { record: n })
      return
    }
    const after = kind === 'epoch' ? (data as EpochData | undefined)?.after : n - 1
    const computed = (before?.hashes ?? [NO_HASH]).map(earlier => hashRecord(earlier, record))
    const missing = before ? n - before.n - 1 : n - 1
    if (after !== (before?.n ?? 0) && missing > 0)
      this.#report(`records ${n - missing} to ${n - 1} are missing`, { seq: this.#seq, record: n - missing })
    else if (!computed.includes(hash))
      this.#report('the record was changed or moved', {
        seq: isOfEvent(kind) ? record.ref! : this.#seq,
        record: n
      })
    this.#before = { n, hashes: [hash, ...computed.slice(0, 1)] }
  }

  #parseData({ n, kind, digest, data, ref }: ChainRecord): unknown {
    if (data === null) return undefined
    try {
      if (ref === null && digestData(data) === digest && Object.hasOwn(TAKE_DATA, kind)) return JSON.parse(data)
    } catch {
      // Invalid JSON is reported below, like any other change.
    }
    this.#report('the content of the record was changed', { seq: this.#seq, record: n })
    return undefined
  }

  #checkAnchors(context: Pick<ChainContext, 'journal_id' | 'key'> | null | undefined) {
    for (const { place, n, seq, data } of this.#unchecked.splice(0)) {
      const text = context && anchorText(context.journal_id, place.n, place.hash, data.at)
      if (!text || !isSignedBy(context.key, text, data.signature))
        this.#report('the signature does not match the preceding records', { seq, record: n })
      else this.signedUpTo = n
      this.anchors += 1
    }
  }
}

const isOfEvent = (kind: RecordKind) => kind === 'event' || kind === 'rewrite'

/** Records with content, by kind. Their content is as it was written if its digest is. */
const TAKE_DATA: Partial<Record<RecordKind, (walk: ChainWalk, data: never, record: ChainRecord) => void>> = {
  removal: (walk, data) => walk.takeRemoval(data),
  cut: (walk, data) => walk.takeCut(data),
  anchor: (walk, data, record) => walk.takeAnchor(data, record),
  epoch: (walk, data) => walk.takeEpoch(data)
}
