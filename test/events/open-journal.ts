// Fixture: a journal on a fresh store, and sinks with limited capacity.
import path from 'node:path'
import type { Test } from 'tap'
import { SseParser } from '../../src/client/sse.ts'
import type { Sink } from '../../src/events/event-streams.ts'
import { Journal } from '../../src/events/journal.ts'
import type { NewEvent } from '../../src/protocol/events.ts'
import { Store } from '../../src/store/store.ts'
import { makeTestFolder } from '../support/test-folder.ts'

export async function openJournal(t: Test) {
  const store = await Store.open(path.join(makeTestFolder(t), 'journal.db'))
  t.teardown(() => store.close())
  return { store, journal: new Journal(store) }
}

export const progress = (n: number, more: Partial<NewEvent> = {}): NewEvent =>
  ({
    type: 'tool.progress',
    session_id: `s${n % 2}`,
    workspace: `w${n % 3}`,
    tool_call_id: `tc_${n % 5}`,
    message: `${n}`,
    ...more
  }) as NewEvent

export interface Frame {
  id: string | undefined
  event: string
  size: number
  // biome-ignore lint/suspicious/noExplicitAny: what comes over the wire is compared, not typed
  data: any
}

export class TestSink implements Sink {
  readonly frames: Frame[] = []
  readonly buffers: Buffer[] = []
  comments = 0
  bytes = 0
  /** While false, writes wait. */
  capacity = true
  maxPending = 0
  state: 'open' | 'ended' | 'destroyed' = 'open'
  readonly #parser = new SseParser()
  #pending = 0
  readonly #drains: (() => void)[] = []
  readonly #watchers = new Set<() => void>()

  write(bytes: Buffer) {
    this.buffers.push(bytes)
    this.bytes += bytes.length
    if (bytes[0] === 0x3a) this.comments += 1
    for (const { id, event, data } of this.#parser.push(bytes))
      this.frames.push({ id, event, size: Buffer.byteLength(data), data: JSON.parse(data) })
    if (!this.capacity) this.pending += bytes.length
    this.maxPending = Math.max(this.maxPending, this.pending)
    this.#changed()
  }

  onDrain(listener: () => void) {
    this.#drains.push(listener)
  }

  end() {
    this.state = 'ended'
    this.#changed()
  }

  destroy() {
    this.state = 'destroyed'
    this.#changed()
  }

  /** Accepts all waiting writes. */
  drain() {
    this.pending = 0
    for (const listener of this.#drains) listener()
  }

  /** Resolves when the condition holds. */
  async until(holds: (sink: this) => boolean): Promise<void> {
    if (holds(this)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const watcher = () => holds(this) && resolve()
    this.#watchers.add(watcher)
    await promise
    this.#watchers.delete(watcher)
  }

  /** Sequence numbers of the journal's events, in order of arrival. */
  get seqs(): number[] {
    return this.frames.filter(({ event }) => !event.startsWith('stream.')).map(({ data }) => data.seq)
  }

  get pending() {
    return this.#pending
  }

  set pending(bytes: number) {
    this.#pending = bytes
  }

  #changed() {
    for (const watcher of this.#watchers) watcher()
  }
}
