// Store of the server in one SQLite file: the event journal, calls, rules and session values. Writes are batched while the
// previous batch is being committed (group commit), and durable when their promise resolves; reads see only durable data.
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { ToolError } from '../errors.ts'
import {
  type CallQuery,
  type LogPage,
  MAX_PAGE_LENGTH,
  SELECT_CALL,
  type StoredCall,
  type StoredCallHead
} from './call-log.ts'
import { type EpochReason, formatJournalId } from './chain-records.ts'
import { toDatabaseError } from './database-error.ts'
import { DiskRoom } from './disk-room.ts'
import { readJournalState } from './journal-marker.ts'
import { assertUsable, checkInBackground } from './journal-start.ts'
import { LogReader } from './log-reader.ts'
import { preparePrivateDatabase } from './private-database.ts'
import { Statements } from './statements.ts'
import { type ClockReading, LATEST_SEQ, type StoreWrite } from './store-schema.ts'
import type { RetentionLimits, WriterRequest, WriterResponse } from './store-worker.ts'

/** A stored event. `data` is JSON; the result of a `tool.result` is stored once, with its call, and joined as `result`. */
export interface StoredEvent {
  seq: number
  type: string
  session_id: string | null
  workspace: string | null
  tool_call_id: string | null
  data: string
  result: string | null
}

/** A stored call that had not ended. `params` is the JSON of its params where these hold credentials, which `head` does not. */
interface OpenCall extends Pick<StoredCall, 'tool_call_id' | 'head' | 'owner'> {
  params: string | null
}

/** A stored task: a job's JSON; null for a background call, which has its own row. */
interface StoredTask {
  task_id: string
  workspace: string
  job: string | null
}

const EVENT_COLUMNS = `e.seq, e.type, e.session_id, e.workspace, e.tool_call_id, e.data,
  CASE WHEN e.type = 'tool.result' THEN coalesce(c.result, o.result) END AS result`
const EVENT_TABLES = `events e LEFT JOIN calls c ON e.type = 'tool.result' AND c.tool_call_id = e.tool_call_id
  LEFT JOIN calls o ON o.tool_call_id = c.result_of`
const IS_OPEN = `c.status IN ('awaiting_approval', 'queued', 'running')`

interface Batch {
  writes: (() => StoreWrite[])[]
  /** As sent to the thread. */
  sent?: StoreWrite[]
  durable: Promise<void>
  resolve(): void
  reject(error: Error): void
}

/** Opens or creates the store of a state folder. Throws a DamagedJournalError if its journal lacks what was acknowledged. */
export async function openStore(stateDir: string): Promise<Store> {
  const file = path.join(stateDir, 'journal.db')
  assertUsable(file)
  const store = await Store.open(file).catch(error => {
    throw toDatabaseError(error, file)
  })
  checkInBackground(file, error => store.fail(error))
  return store
}

export class Store {
  readonly #worker: Worker
  readonly #db: DatabaseSync
  readonly #log: LogReader
  readonly #statements: Statements
  #next: Batch = newBatch()
  #inFlight: Batch | undefined
  #failure: Error | undefined
  #scheduled = false
  /** Resolvers of pending retention requests, in order. */
  #pendingRetentions: ((retained: { dropped: number; size: number }) => void)[] = []
  /** Characters written since the size was looked at. */
  #grown = 0
  #onGrowth: () => void = () => {}
  #isTooLarge = false
  #closing: Promise<void> | undefined
  /** Resolves once the thread has ended, with the file closed if that was possible. */
  readonly #closed = Promise.withResolvers<void>()
  #onFailure: (error: Error) => void = () => {}
  /** Room on the disk that the store is on. */
  readonly room: DiskRoom
  /** Id of the journal, which is another one after a restore, a repair or a loss. */
  readonly journalId: string
  /** Why this start gave the journal another id, if it did. */
  readonly epoch: EpochReason | undefined

  private constructor(worker: Worker, file: string, epoch: EpochReason | undefined) {
    this.#worker = worker
    this.#db = new DatabaseSync(file, { readOnly: true })
    this.#statements = new Statements(this.#db)
    this.#log = new LogReader(file)
    this.journalId = formatJournalId(readJournalState(this.#db).journal!)
    this.epoch = epoch
    this.room = new DiskRoom(path.dirname(file))
    worker.on('message', (message: WriterResponse) => this.#onMessage(message))
    worker.on('error', error => this.#fail(error))
    worker.on('exit', () => this.#closed.resolve())
  }

  /** Opens or creates the store. `onFailed` is called once a write could not be made durable: from then on every write fails. */
  static async open(file: string, onFailed: (error: Error) => void = () => {}): Promise<Store> {
    preparePrivateDatabase(file)
    const worker = startWriter()
    const first = await new Promise<WriterResponse>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.postMessage({ open: file } satisfies WriterRequest)
    })
    if ('failed' in first) {
      await worker.terminate()
      throw new Error(`cannot open the journal ${file}: ${first.failed}`)
    }
    const store = new Store(worker, file, 'ready' in first ? first.epoch : undefined)
    store.#onFailure = onFailed
    return store
  }

  /** Registers a listener, called once a write could not be made durable: from then on every write fails. */
  onFailure(listener: (error: Error) => void) {
    this.#onFailure = listener
    if (this.#failure) listener(this.#failure)
  }

  /** Registers a listener, called whenever some megabytes have been written. */
  onGrowth(listener: () => void) {
    this.#onGrowth = listener
  }

  /** Returns true if the store is over its size limit, and holds only what cannot be dropped: calls that have not ended. */
  get isTooLarge(): boolean {
    return this.#isTooLarge
  }

  /** Throws DISK_FULL if the disk has no room for new work, OVERLOADED if the size limit is reached with calls that have not ended. */
  assertRoom() {
    this.room.assertRoom()
    if (!this.#isTooLarge) return
    throw new ToolError(
      'OVERLOADED',
      'The journal has reached `journal.max_bytes` with calls that have not ended. Decide about some of them or cancel ' +
        'some, or increase the limit.',
      { retry_after_s: RETRY_AFTER_S }
    )
  }

  /** Ends writing, for damage that was found otherwise. */
  fail(error: Error) {
    if (!this.#closing) this.#fail(error)
  }

  /** Returns the error after which no write is possible, if any. */
  get failure(): Error | undefined {
    return this.#failure
  }

  /**
   * Adds writes to the next batch. They are built when the batch is sent, so that a value which changes twice is written once.
   * Resolves when they are durable.
   */
  write(make: () => StoreWrite[]): Promise<void> {
    if (this.#failure) return Promise.reject(unwritableError(this.#failure))
    if (this.#closing) return Promise.reject(unwritableError(new Error('The store is closed.')))
    this.#next.writes.push(make)
    if (!this.#inFlight && !this.#scheduled) {
      this.#scheduled = true
      setImmediate(() => this.#send())
    }
    return this.#next.durable
  }

  /** Sends what was written in this turn already now: someone waits for it, and goes on with other work. */
  sendNow() {
    if (this.#scheduled) this.#send()
  }

  /** Gives up writes that wait for room on the disk, so that the server can end: they fail, and so does every later one. */
  abandonBlocked() {
    if (this.room.isBlocked) this.#fail(new Error('The disk is full.'))
  }

  /** Resolves when everything written so far is durable. */
  flushed(): Promise<void> {
    if (this.#next.writes.length > 0) return this.#next.durable
    return this.#inFlight?.durable ?? Promise.resolve()
  }

  /** Returns the newest event's number; 0 in a new store. */
  latestSeq(): number {
    return (this.#statements.prepare(LATEST_SEQ).get() as { seq: number }).seq
  }

  /** Returns the number from which on no event has been dropped. */
  oldestSeq(): number {
    const mark = this.#statements.prepare("SELECT value FROM marks WHERE name = 'dropped'").get() as
      | { value: number }
      | undefined
    return (mark?.value ?? 0) + 1
  }

  /** Returns the events that follow a number, in order: at most `limit`, and fewer if they are large. */
  events(after: number, limit: number): StoredEvent[] {
    const sql = `SELECT ${EVENT_COLUMNS} FROM ${EVENT_TABLES} WHERE e.seq > ? ORDER BY e.seq LIMIT ?`
    return takeEvents(this.#statements.prepare(sql).iterate(after, limit))
  }

  /** Returns those of a call, in the same way. */
  eventsOfCall(tool_call_id: string, after: number, limit: number): StoredEvent[] {
    const sql = `SELECT ${EVENT_COLUMNS} FROM ${EVENT_TABLES} WHERE e.tool_call_id = ? AND e.seq > ? ORDER BY e.seq LIMIT ?`
    return takeEvents(this.#statements.prepare(sql).iterate(tool_call_id, after, limit))
  }

  call(tool_call_id: string): StoredCall | undefined {
    return this.#statements.prepare(`${SELECT_CALL} WHERE c.tool_call_id = ?`).get(tool_call_id) as
      | StoredCall
      | undefined
  }

  /** Returns the token that a call belongs to; undefined if that may approve, or there is no such call. */
  callOwner(tool_call_id: string): string | undefined {
    const row = this.#statements.prepare('SELECT owner FROM calls WHERE tool_call_id = ?').get(tool_call_id)
    return (row?.owner as string | null | undefined) ?? undefined
  }

  /** Checks if a token has made calls in a session. */
  hasCalledIn(owner: string, session_id: string): boolean {
    const sql = 'SELECT 1 FROM calls WHERE owner = ? AND session_id = ? LIMIT 1'
    return this.#statements.prepare(sql).get(owner, session_id) !== undefined
  }

  /** Returns calls that had not ended at the last write, oldest first, with the params that hold credentials. */
  openCalls(): OpenCall[] {
    const sql = `SELECT c.tool_call_id, c.head, c.owner, p.params FROM calls c LEFT JOIN open_params p USING (tool_call_id)
      WHERE ${IS_OPEN} ORDER BY c.n`
    return this.#statements.prepare(sql).all() as unknown as OpenCall[]
  }

  /** Lists the calls whose content is to be removed by that time. */
  expiredContent(time: string): string[] {
    const sql = 'SELECT tool_call_id FROM content_expiry JOIN calls USING (tool_call_id) WHERE remove_at <= ?'
    return this.#statements
      .prepare(sql)
      .all(time)
      .map(row => row.tool_call_id as string)
  }

  /** Queries the log, newest first. */
  calls(query: CallQuery): Promise<LogPage<StoredCall>> {
    return this.#log.read('calls', query)
  }

  /** Queries the log without results, newest first. */
  callHeads(query: CallQuery): Promise<LogPage<StoredCallHead>> {
    return this.#log.read('heads', query)
  }

  /**
   * Yields the heads of a session's calls that changed files and ended with or after a call, if one is given, in journal order, newest first.
   * Events are dropped in order: if that of the call's end is gone, the remaining ones are later.
   */
  *changingCalls(workspace: string, session_id: string, since = ''): Generator<string> {
    const rows = this.#statements
      .prepare(
        `SELECT c.head FROM events e JOIN calls c ON c.tool_call_id = e.tool_call_id
       WHERE e.seq >= coalesce((SELECT seq FROM events WHERE tool_call_id = ? AND type = 'tool.result'), 0)
         AND e.type = 'tool.result' AND e.session_id = ? AND e.workspace = ? AND c.head ->> '$.changes' IS NOT NULL
       ORDER BY e.seq DESC`
      )
      .iterate(since, session_id, workspace)
    for (const { head } of rows) yield head as string
  }

  /** Returns the heads of calls that ended after one and moved something, oldest first; see `changingCalls`. */
  movingCalls(workspace: string, after: string): string[] {
    return this.#statements
      .prepare(
        `SELECT c.head FROM events e JOIN calls c ON c.tool_call_id = e.tool_call_id
       WHERE e.seq > coalesce((SELECT seq FROM events WHERE tool_call_id = ? AND type = 'tool.result'), 0)
         AND e.type = 'tool.result' AND e.workspace = ? AND instr(c.head, '"operation":"moved"') > 0
       ORDER BY e.seq`
      )
      .all(after, workspace)
      .map(row => row.head as string)
  }

  /** Returns the stored readings of the clocks, in order. */
  clockReadings(): ClockReading[] {
    const sql = 'SELECT seen_ms, system_ms, seq, n FROM clock_readings ORDER BY seen_ms'
    return this.#statements.prepare(sql).all() as unknown as ClockReading[]
  }

  key(key: string): { body_hash: string; tool_call_id: string } | undefined {
    return this.#statements.prepare('SELECT body_hash, tool_call_id FROM keys WHERE key = ?').get(key) as
      | { body_hash: string; tool_call_id: string }
      | undefined
  }

  /** Lists tasks, newest first. */
  tasks(): StoredTask[] {
    const sql = 'SELECT task_id, workspace, job FROM tasks ORDER BY n DESC'
    return this.#statements.prepare(sql).all() as unknown as StoredTask[]
  }

  task(task_id: string): StoredTask | undefined {
    const sql = 'SELECT task_id, workspace, job FROM tasks WHERE task_id = ?'
    return this.#statements.prepare(sql).get(task_id) as StoredTask | undefined
  }

  /** Returns the modes of sessions as JSON, in the order in which they were set. */
  sessionModes(): string[] {
    return this.#statements
      .prepare('SELECT mode FROM session_modes ORDER BY rowid')
      .all()
      .map(row => row.mode as string)
  }

  /** Returns the values of a kind of state by key, as JSON. */
  state(kind: string): Map<string, string> {
    const sql = 'SELECT key, value FROM state WHERE kind = ? ORDER BY key'
    return new Map(
      this.#statements
        .prepare(sql)
        .all(kind)
        .map(row => [row.key as string, row.value as string])
    )
  }

  /** Returns the tokens that made the calls of a session in a workspace; null for those that may approve. */
  sessionOwners(workspace: string, session_id: string): (string | null)[] {
    return this.#statements
      .prepare('SELECT DISTINCT owner FROM calls WHERE workspace = ? AND session_id = ?')
      .all(workspace, session_id)
      .map(row => row.owner as string | null)
  }

  rules(): string[] {
    return this.#statements
      .prepare('SELECT rule FROM rules ORDER BY rule_id')
      .all()
      .map(row => row.rule as string)
  }

  /** Returns the content of an executed file, or of an entry of it, that a person approved last; `entry` is empty for a whole file. */
  approvedSource(root: string, path: string, entry: string): { hash: string; text?: string } | undefined {
    const row = this.#statements
      .prepare('SELECT hash, text FROM approved_sources WHERE root = ? AND path = ? AND entry = ?')
      .get(root, path, entry)
    return row && { hash: row.hash as string, ...(row.text !== null && { text: row.text as string }) }
  }

  /** Lists the paths whose file or folder a call deleted or moved away, oldest call first. */
  vacatedPaths(): { path: string; tool_call_id: string; moved_to: string | null }[] {
    const rows = this.#statements
      .prepare('SELECT path, tool_call_id, moved_to FROM vacated_paths ORDER BY tool_call_id')
      .all()
    return rows.map(({ path, tool_call_id, moved_to }) => ({
      path: path as string,
      tool_call_id: tool_call_id as string,
      moved_to: moved_to as string | null
    }))
  }

  note(workspace: string, session_id: string, key: string): string | undefined {
    const row = this.#statements
      .prepare('SELECT value FROM notes WHERE workspace = ? AND session_id = ? AND key = ?')
      .get(workspace, session_id, key)
    return row?.value as string | undefined
  }

  /** Lists the notes of a session whose keys begin with a text, by key. */
  notes(workspace: string, session_id: string, prefix: string): { key: string; value: string }[] {
    const rows = this.#statements
      .prepare(
        'SELECT key, value FROM notes WHERE workspace = ? AND session_id = ? AND substr(key, 1, ?) = ? ORDER BY key'
      )
      .all(workspace, session_id, prefix.length, prefix)
    return rows.map(({ key, value }) => ({ key: key as string, value: value as string }))
  }

  /**
   * Drops expired rows and those over the size limit, in slices so that writes can proceed in between. Returns the number of
   * dropped rows.
   */
  async retain(retention: RetentionLimits): Promise<number> {
    let total = 0
    while (!this.#failure && !this.#closing) {
      const { promise, resolve } = Promise.withResolvers<{ dropped: number; size: number }>()
      this.#pendingRetentions.push(resolve)
      this.#post({ retain: retention })
      const { dropped, size } = await promise
      total += dropped
      this.#isTooLarge = dropped === 0 && size > retention.max_bytes
      if (dropped === 0) break
    }
    return total
  }

  /** Flushes pending writes and closes the file. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close() {
    await this.flushed().catch(() => {})
    await this.#log.close()
    this.room.close()
    this.#post({ close: true })
    await this.#closed.promise
    this.#endRetaining()
    this.#statements.clear()
    this.#db.close()
  }

  #send() {
    this.#scheduled = false
    if (this.#inFlight || this.#failure || this.#next.writes.length === 0) return
    const batch = this.#next
    this.#inFlight = batch
    this.#next = newBatch()
    batch.sent = batch.writes.flatMap(make => make())
    this.#post({ writes: batch.sent })
    for (const value of batch.sent.flat()) if (typeof value === 'string') this.#grown += value.length
    if (this.#grown < GROWTH) return
    this.#grown = 0
    setImmediate(() => this.#onGrowth())
  }

  #onMessage(message: WriterResponse) {
    if ('committed' in message) {
      this.room.noteWritten()
      const batch = this.#inFlight
      this.#inFlight = undefined
      this.#send()
      batch?.resolve()
    } else if ('retained' in message)
      this.#pendingRetentions.shift()?.({ dropped: message.retained, size: message.size })
    else if ('full' in message) this.room.noteFull(() => this.#resend())
    else if ('failed' in message) this.#fail(new Error(message.failed))
  }

  /** Sends the batch again that the thread could not write. */
  #resend() {
    const sent = this.#inFlight?.sent
    if (sent) this.#post({ writes: sent })
  }

  #fail(error: Error) {
    if (this.#failure) return
    this.#failure = error
    this.room.close()
    for (const batch of [this.#inFlight, this.#next]) batch?.reject(unwritableError(error))
    this.#inFlight = undefined
    this.#endRetaining()
    this.#onFailure(error)
  }

  #endRetaining() {
    for (const resolve of this.#pendingRetentions.splice(0)) resolve({ dropped: 0, size: 0 })
  }

  #post(message: WriterRequest) {
    this.#worker.postMessage(message)
  }
}

/** Starts the thread that writes. Its objects live for one batch: a larger heap would only be retained. */
function startWriter(): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const limits = { maxYoungGenerationSizeMb: 8 }
  return new Worker(new URL(`./store-worker.${extension}`, import.meta.url), { resourceLimits: limits })
}

function takeEvents(rows: Iterable<unknown>): StoredEvent[] {
  const taken: StoredEvent[] = []
  let length = 0
  for (const row of rows as Iterable<StoredEvent>) {
    taken.push(row)
    length += row.data.length + (row.result?.length ?? 0)
    if (length > MAX_PAGE_LENGTH) break
  }
  return taken
}

function newBatch(): Batch {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  promise.catch(() => {})
  return { writes: [], durable: promise, resolve, reject }
}

/** Characters after which the size is looked at again. */
const GROWTH = 4 * 1024 * 1024
const RETRY_AFTER_S = 10

const unwritableError = (cause: Error) =>
  new ToolError(
    'OVERLOADED',
    'The server cannot write its journal, so it accepts no calls. The server log contains the cause.',
    undefined,
    {
      cause
    }
  )
