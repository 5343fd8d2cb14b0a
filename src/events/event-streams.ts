// Server-sent event streams: publishes the events of the journal to all subscribers, with keep-alive comments. A live reader
// receives shared frames as they become durable. A lagging one is only a position in the journal: it is read from there when it
// drains, and disconnected, to resume, when it stalls.
import type { Event, EventType, GapReason } from '../protocol/events.ts'
import {
  encodeEventFrame,
  encodeTransientFrame,
  formatEventId,
  type JournalEntry,
  MAX_FRAME_BYTES,
  type StreamPosition
} from './frame.ts'
import type { Journal } from './journal.ts'

export interface EventFilter {
  session_id?: string | undefined
  workspace?: string | undefined
  tool_call_id?: string | undefined
  calls?: CallSelection | undefined
  types?: readonly EventType[] | undefined
  /** Only events that this token may follow, and those about no call and no session. */
  owner?: string | undefined
}

/** Calls to follow, to which more may be added while a stream is open. Its name is that of no other selection. */
export interface CallSelection {
  name: string
  has(tool_call_id: string): boolean
}

/** The call and the session that an event is about, if any. */
export interface EventScope {
  tool_call_id?: string | null
  session_id?: string | null
}

/** Representation of events for some readers, such as in the names of a toolset. Readers with the same name share frames. */
export interface EventFormat {
  name: string
  format(event: { type: string }): object
}

/** Destination of a reader's bytes. */
export interface Sink {
  write(bytes: Buffer): void
  /** Bytes written that the client has not yet received. */
  readonly pending: number
  onDrain(listener: () => void): void
  end(): void
  /** Closes the connection, so that the client notices and resumes. */
  destroy(): void
}

export interface StreamLimits {
  heartbeat_ms: number
  reader_bytes: number
  stall_ms: number
}

/** Returns the current state for the first frame, as far as that owner may see it. */
type SnapshotSource = (
  owner: string | undefined
) => Omit<Extract<Event, { type: 'stream.snapshot' }>, 'type' | 'seq' | 'time' | 'journal_id'>

export interface Reader {
  close(): void
  /** Writes a frame for this reader alone. */
  send(frame: Buffer): void
  /** Ends the stream with a last frame, after the events up to now. */
  end(frame: Buffer): void
}

interface OpenReader {
  sink: Sink
  filter: EventFilter
  format: EventFormat | undefined
  /** Sequence number of the last written event. */
  position: number
  state: 'live' | 'catching-up' | 'closed'
  /** Time at which the sink last accepted data, while its backlog exceeds the limit. */
  stalledSince: number | undefined
  /** Size of the backlog at that time. */
  pendingAtStall: number
  /** Ends the stream after this event has been written. */
  until: ((event: { type: string }) => boolean) | undefined
  /** The last frame of the stream, and the event after which it is written. */
  ending: { after: number; frame: Buffer } | undefined
}

interface LiveGroup extends Pick<OpenReader, 'filter' | 'format'> {
  readers: Set<OpenReader>
}

interface FramedEntry {
  entry: JournalEntry
  frame: Buffer
}

type EncodedEntry = Pick<JournalEntry, 'seq' | 'json'> & { event: { type: string }; result?: string | null | undefined }

/** An event of a page that is read from a reader's position. */
interface LazyFrame {
  seq: number
  type: string
  make(): Buffer
}

const PAGE_SIZE = 256
const MAX_RECENT_FRAMES = 4_096
const MAX_RECENT_BYTES = 16_777_216

export class Streams {
  readonly #journal: Journal
  readonly #limits: StreamLimits
  readonly #snapshot: SnapshotSource
  readonly #canFollow: (owner: string, scope: EventScope) => boolean
  readonly #readers = new Set<OpenReader>()
  /** Live readers by filter and format: those with the same share the same bytes. */
  readonly #liveGroups = new Map<string, LiveGroup>()
  /** The newest frames, buffered while there are readers, so that a slightly lagging one needs no disk read. */
  #recent: FramedEntry[] = []
  #recentBytes = 0
  readonly #timer: NodeJS.Timeout
  readonly #unlisten: () => void

  /** `canFollow` checks if an owner may see an event. */
  constructor(
    journal: Journal,
    limits: StreamLimits,
    { snapshot, canFollow }: { snapshot: SnapshotSource; canFollow: (owner: string, scope: EventScope) => boolean }
  ) {
    this.#journal = journal
    this.#canFollow = canFollow
    this.#limits = limits
    this.#snapshot = snapshot
    this.#unlisten = journal.listen(entries => this.#publish(entries))
    this.#timer = setInterval(() => this.#heartbeat(), Math.min(limits.heartbeat_ms, Math.max(limits.stall_ms / 2, 10)))
    this.#timer.unref()
  }

  get readers(): number {
    return this.#readers.size
  }

  /**
   * Opens a stream: a snapshot, then events after `after` (default: from now on), then live events. Where the journal lacks what
   * followed that point, a gap follows the snapshot; after a point in another journal, or beyond the head, events come from now on.
   */
  open(
    sink: Sink,
    options: {
      after?: StreamPosition | undefined
      filter: EventFilter
      format?: EventFormat | undefined
      until?: OpenReader['until']
    }
  ): Reader {
    const { id, head, oldest } = this.#journal
    const { after, filter, format, until } = options
    const gapReason = after && findGapReason(after, this.#journal)
    const reader: OpenReader = {
      sink,
      filter,
      format,
      position: after === undefined || gapReason === 'other_journal' || gapReason === 'ahead' ? head : after.seq,
      state: 'catching-up',
      stalledSince: undefined,
      pendingAtStall: 0,
      until,
      ending: undefined
    }
    this.#readers.add(reader)
    const time = new Date().toISOString()
    // Only a stream that starts here may have an id in its snapshot: on a resumed one, older ids follow.
    const place = reader.position === head ? formatEventId(id, head) : undefined
    const snapshot = limitSnapshot({
      type: 'stream.snapshot' as const,
      seq: head,
      time,
      journal_id: id,
      ...this.#snapshot(filter.owner)
    })
    const first = encodeTransientFrame('stream.snapshot', format?.format(snapshot) ?? snapshot, place)
    const gap = { type: 'stream.gap', seq: reader.position, time, reason: gapReason, asked: after?.seq, oldest }
    const frames = gapReason ? [first, encodeTransientFrame('stream.gap', gap)] : [first]
    sink.write(Buffer.concat([Buffer.from('retry: 1000\n\n'), ...frames]))
    sink.onDrain(() => this.#resume(reader))
    this.#catchUp(reader)
    return {
      close: () => this.#close(reader),
      send: frame => reader.state !== 'closed' && sink.write(frame),
      end: frame => {
        reader.ending = { after: this.#journal.last, frame }
        if (reader.state === 'live') this.#endIfDue(reader)
      }
    }
  }

  /** Ends every stream; clients resume from their last id. */
  close() {
    clearInterval(this.#timer)
    this.#unlisten()
    for (const reader of this.#readers) {
      reader.sink.end()
      this.#close(reader)
    }
  }

  #publish(entries: readonly JournalEntry[]) {
    if (this.#readers.size === 0) {
      this.#dropRecent()
      return
    }
    // Earlier frames may hold the content: readers that lag read them from the journal.
    if (entries.some(({ event }) => event.type === 'tool.content_removed')) this.#dropRecent()
    const fresh = entries.map(entry => ({
      entry,
      frame: this.#encode(entry)
    }))
    this.#cacheRecent(fresh)
    const last = entries.at(-1)!.seq
    for (const { filter, format, readers } of [...this.#liveGroups.values()]) {
      const matching = fresh.filter(({ entry }) => this.#matches(filter, entry.event))
      const wanted = format
        ? matching.map(framed => ({ ...framed, frame: this.#encode(framed.entry, format) }))
        : matching
      // More than a reader's backlog limit: each reader catches up at its own pace.
      if (totalBytes(wanted) > this.#limits.reader_bytes) {
        for (const reader of [...readers]) this.#fallBehind(reader)
        continue
      }
      const bytes = wanted.length === 1 ? wanted[0]!.frame : Buffer.concat(wanted.map(({ frame }) => frame))
      for (const reader of [...readers]) {
        reader.position = last
        if (wanted.length > 0) reader.sink.write(bytes)
        if (this.#endIfDue(reader) || wanted.length === 0) continue
        if (reader.until && wanted.some(({ entry }) => reader.until!(entry.event))) this.#finish(reader)
        else if (this.#isFull(reader)) this.#leaveLive(reader)
      }
    }
  }

  #encode({ seq, event, json, result }: EncodedEntry, format?: EventFormat): Buffer {
    const data = format ? formatJson(json, format) : json
    return encodeEventFrame(formatEventId(this.#journal.id, seq), event.type, data, result)
  }

  #matches(filter: EventFilter, event: { type: string } & EventScope): boolean {
    return matchesFilter(filter, event) && (filter.owner === undefined || this.#canFollow(filter.owner, event))
  }

  #dropRecent() {
    this.#recent = []
    this.#recentBytes = 0
  }

  #cacheRecent(fresh: readonly FramedEntry[]) {
    this.#recent.push(...fresh)
    this.#recentBytes += totalBytes(fresh)
    if (this.#recent.length <= 2 * MAX_RECENT_FRAMES && this.#recentBytes <= 2 * MAX_RECENT_BYTES) return
    let first = this.#recent.length
    let bytes = 0
    while (first > 0 && this.#recent.length - first < MAX_RECENT_FRAMES) {
      bytes += this.#recent[first - 1]!.frame.length
      if (bytes > MAX_RECENT_BYTES) break
      first -= 1
    }
    this.#recent = this.#recent.slice(first)
    this.#recentBytes = totalBytes(this.#recent)
  }

  /** Reads from the reader's position until it reaches the head or its limit. One page per turn, for fairness. */
  #catchUp(reader: OpenReader) {
    if (reader.state !== 'catching-up' || reader.stalledSince !== undefined) return
    const { wanted, next } = this.#readPage(reader)
    const frames: Buffer[] = []
    let bytes = reader.sink.pending
    let ended = false
    reader.position = next
    for (const { seq, type, make } of wanted) {
      const made = make()
      frames.push(made)
      bytes += made.length
      ended = reader.until?.({ type }) ?? false
      if (!ended && bytes <= this.#limits.reader_bytes) continue
      reader.position = seq
      break
    }
    if (frames.length > 0) reader.sink.write(Buffer.concat(frames))
    if (ended) this.#finish(reader)
    else if (this.#isFull(reader)) markStalled(reader)
    else if (reader.position >= this.#journal.head) this.#goLive(reader)
    else setImmediate(() => this.#catchUp(reader))
  }

  /** Returns the matching events of the next page, and the position after that page. */
  #readPage({ position, filter, format }: OpenReader): { wanted: LazyFrame[]; next: number } {
    const { head } = this.#journal
    const oldest = this.#recent[0]?.entry.seq
    if (oldest !== undefined && oldest <= position + 1) {
      const from = this.#recent.findIndex(({ entry }) => entry.seq > position)
      const page = from < 0 ? [] : this.#recent.slice(from, from + PAGE_SIZE)
      const wanted = page.filter(({ entry }) => this.#matches(filter, entry.event))
      return {
        wanted: wanted.map(framed => ({
          seq: framed.entry.seq,
          type: framed.entry.event.type,
          make: () => (format ? this.#encode(framed.entry, format) : framed.frame)
        })),
        next: page.at(-1)?.entry.seq ?? head
      }
    }
    const id = filter.tool_call_id
    const page =
      id === undefined ? this.#journal.since(position, PAGE_SIZE) : this.#journal.sinceOfCall(id, position, PAGE_SIZE)
    // The disk may be ahead of the published events.
    const published = page.filter(({ seq }) => seq <= head)
    return {
      wanted: published
        .filter(event => this.#matches(filter, event))
        .map(({ seq, type, data, result }) => ({
          seq,
          type,
          make: () => this.#encode({ seq, event: { type }, json: data, result }, format)
        })),
      next: page.length === 0 || published.length < page.length ? head : published.at(-1)!.seq
    }
  }

  #resume(reader: OpenReader) {
    if (reader.stalledSince === undefined || reader.sink.pending > 0) return
    reader.stalledSince = undefined
    this.#catchUp(reader)
  }

  #goLive(reader: OpenReader) {
    reader.state = 'live'
    const key = toGroupKey(reader)
    const group = this.#liveGroups.get(key) ?? { filter: reader.filter, format: reader.format, readers: new Set() }
    group.readers.add(reader)
    this.#liveGroups.set(key, group)
    this.#endIfDue(reader)
  }

  #leaveLive(reader: OpenReader) {
    this.#dropLive(reader)
    reader.state = 'catching-up'
    markStalled(reader)
  }

  #fallBehind(reader: OpenReader) {
    this.#dropLive(reader)
    reader.state = 'catching-up'
    setImmediate(() => this.#catchUp(reader))
  }

  #dropLive(reader: OpenReader) {
    const key = toGroupKey(reader)
    const group = this.#liveGroups.get(key)
    if (group?.readers.delete(reader) && group.readers.size === 0) this.#liveGroups.delete(key)
  }

  #isFull(reader: OpenReader) {
    return reader.sink.pending > this.#limits.reader_bytes
  }

  /** Ends a stream whose last event has been written. */
  #endIfDue(reader: OpenReader): boolean {
    const { ending, position, sink } = reader
    if (!ending || position < ending.after) return false
    sink.write(ending.frame)
    this.#finish(reader)
    return true
  }

  #finish(reader: OpenReader) {
    this.#close(reader)
    reader.sink.end()
  }

  #close(reader: OpenReader) {
    if (reader.state === 'live') this.#dropLive(reader)
    reader.state = 'closed'
    this.#readers.delete(reader)
  }

  #lastHeartbeat = performance.now()

  #heartbeat() {
    const now = performance.now()
    const due = now - this.#lastHeartbeat >= this.#limits.heartbeat_ms - 5
    if (due) this.#lastHeartbeat = now
    for (const reader of this.#readers) {
      if (reader.stalledSince !== undefined && reader.sink.pending < reader.pendingAtStall) markStalled(reader)
      if (reader.stalledSince !== undefined && now - reader.stalledSince > this.#limits.stall_ms) {
        this.#close(reader)
        reader.sink.destroy()
      } else if (due && reader.state === 'live') reader.sink.write(HEARTBEAT)
    }
  }
}

const toGroupKey = ({ filter, format }: OpenReader) => JSON.stringify([filter, format?.name])

const formatJson = (json: string, { format }: EventFormat) => JSON.stringify(format(JSON.parse(json)))

/** Returns why the journal lacks what followed a point; undefined if it has all. */
function findGapReason({ journal_id, seq }: StreamPosition, { id, head, oldest }: Journal): GapReason | undefined {
  if (journal_id !== undefined && journal_id !== id) return 'other_journal'
  if (seq > head) return 'ahead'
  return seq + 1 < oldest ? 'dropped' : undefined
}

function markStalled(reader: OpenReader) {
  reader.stalledSince = performance.now()
  reader.pendingAtStall = reader.sink.pending
}

const totalBytes = (framed: readonly FramedEntry[]) => framed.reduce((sum, { frame }) => sum + frame.length, 0)

/** Drops lists from a snapshot that exceeds the frame size; clients can read /state instead. */
const limitSnapshot = <S extends { pending: unknown[]; running: unknown[]; jobs: unknown[]; delegations: unknown[] }>(
  snapshot: S
): S =>
  Buffer.byteLength(JSON.stringify(snapshot)) <= MAX_FRAME_BYTES
    ? snapshot
    : { ...snapshot, pending: [], running: [], jobs: [], delegations: [], truncated: true, href: '/state' }

const HEARTBEAT = Buffer.from(`: keep-alive\n`)

/** Returns true if an event matches the filter. */
export const matchesFilter = (
  { session_id, workspace, tool_call_id, calls, types }: EventFilter,
  event: { type: string; session_id?: string | null; workspace?: string | null; tool_call_id?: string | null }
) =>
  (session_id === undefined || event.session_id === session_id) &&
  (workspace === undefined || event.workspace === workspace) &&
  (tool_call_id === undefined || event.tool_call_id === tool_call_id) &&
  (calls === undefined || calls.has(event.tool_call_id ?? '')) &&
  (types === undefined || types.includes(event.type as EventType))
