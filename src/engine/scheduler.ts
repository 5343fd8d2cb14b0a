// Scheduler of queued calls: calls run in parallel; those on the same path run in queue order, with shared reads; and the number
// of concurrent calls is limited per kind of effect. Callers take turns, and none that may not approve takes all slots.
import type { Effect } from '../tool/request.ts'
import { FairQueue } from './fair-queue.ts'

/** A lock that a call holds while it runs. `list` uses promise no consistent view, so they take none. */
export interface PathLock {
  path: string
  access: 'read' | 'write'
  /** The lock also covers all descendants of the path. */
  tree: boolean
}

export type QueueName = 'read' | 'search' | 'write' | 'execute' | 'network'

export const QUEUE_BY_EFFECT: Record<Effect, QueueName> = {
  read: 'read',
  create: 'write',
  write: 'write',
  destructive: 'write',
  execute: 'execute',
  network: 'network'
}

/** At least so many searches run at once, so that one caller's never delays all of another's. */
const MIN_SEARCHES = 2

/** Returns the number of searches that run at once: each keeps all processors busy. */
export const searchLimit = (processors: number) => Math.max(MIN_SEARCHES, processors)

/** Releases these of the locks that a call was started with. */
export type ReleaseLocks = (locks: readonly PathLock[]) => void

/** The caller of queued work. */
interface QueuedFor {
  /** See `ActiveCall.share`. */
  owner?: string | undefined
  session?: string
  /** Aborts work that has not started. */
  signal?: AbortSignal
}

interface Ticket {
  queue: QueueName
  owner: string
  session: string
  locks: PathLock[]
  /** Earlier tickets that must end first. */
  blockedBy: Set<Ticket>
  /** Later tickets that wait for this one. */
  blocks: Set<Ticket>
  start(release: () => void): void
}

/** Share of the slots that one token which may not approve can hold: the rest is for others. */
const MAX_OWNER_SHARE = 0.75
/** Owner of the calls whose tokens may approve. */
const APPROVERS = ''

export class Scheduler {
  readonly #limits: Record<QueueName, number>
  /** Numbers of running calls by owner. */
  readonly #running = byQueue(() => new Map<string, number>())
  /** Tickets that wait only for a free slot. */
  readonly #ready = byQueue(() => new FairQueue<Ticket>())
  /** Tickets that have not ended, by locked path. */
  readonly #byPath = new Map<string, Set<Ticket>>()
  /** The subset that locks a whole tree. */
  readonly #trees = new Set<Ticket>()

  constructor(limits: Record<QueueName, number>) {
    this.#limits = limits
  }

  /** Returns the number of calls that hold or wait for a slot. */
  get queuedCount(): number {
    return Object.values(this.#ready).reduce((sum, { size }) => sum + size, 0)
  }

  /**
   * Runs `work` once no earlier conflicting work remains; if there is none, synchronously. If the signal aborts before the start,
   * the work is never started. The slot is freed when the work's promise settles. `work` receives `true` if it had to wait, and a
   * function that releases some of its locks earlier.
   */
  run<T>(
    queue: QueueName,
    locks: PathLock[],
    work: (waited: boolean, release: ReleaseLocks) => Promise<T>,
    { owner = APPROVERS, session = '', signal }: QueuedFor = {}
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    let waited = false
    const ticket: Ticket = {
      queue,
      owner,
      session,
      locks,
      blockedBy: this.#findConflicts(locks),
      blocks: new Set(),
      start: release => {
        work(waited, released => this.#releaseLocks(ticket, released))
          .then(resolve, reject)
          .finally(release)
      }
    }
    for (const earlier of ticket.blockedBy) earlier.blocks.add(ticket)
    this.#register(ticket)
    const leave = () => {
      this.#release(ticket)
      reject(signal!.reason)
    }
    if (signal?.aborted) {
      leave()
      return promise
    }
    signal?.addEventListener('abort', leave, { once: true })
    const { start } = ticket
    ticket.start = release => {
      signal?.removeEventListener('abort', leave)
      start(release)
    }
    if (ticket.blockedBy.size === 0) this.#makeReady(ticket)
    waited = true
    return promise
  }

  #makeReady(ticket: Ticket) {
    this.#ready[ticket.queue].add(ticket)
    this.#admit(ticket.queue)
  }

  #admit(kind: QueueName) {
    const running = this.#running[kind]
    const limit = this.#limits[kind]
    const share = Math.max(1, Math.floor(limit * MAX_OWNER_SHARE))
    const count = (owner: string) => running.get(owner) ?? 0
    const mayStart = (owner: string) => owner === APPROVERS || count(owner) < share
    while (sum(running.values()) < limit) {
      const ticket = this.#ready[kind].take(mayStart)
      if (!ticket) return
      const { owner } = ticket
      running.set(owner, count(owner) + 1)
      ticket.start(() => {
        if (count(owner) > 1) running.set(owner, count(owner) - 1)
        else running.delete(owner)
        this.#release(ticket)
        this.#admit(kind)
      })
    }
  }

  #register(ticket: Ticket) {
    for (const { path, tree } of ticket.locks) {
      const tickets = this.#byPath.get(path) ?? new Set()
      this.#byPath.set(path, tickets.add(ticket))
      if (tree) this.#trees.add(ticket)
    }
  }

  #release(ticket: Ticket) {
    this.#ready[ticket.queue].delete(ticket)
    for (const earlier of ticket.blockedBy) earlier.blocks.delete(ticket)
    this.#releaseLocks(ticket, ticket.locks)
  }

  /** Releases some of the locks of a ticket; later tickets that these alone kept from starting become ready. */
  #releaseLocks(ticket: Ticket, released: readonly PathLock[]) {
    const gone = new Set(released)
    ticket.locks = ticket.locks.filter(lock => !gone.has(lock))
    if (!ticket.locks.some(({ tree }) => tree)) this.#trees.delete(ticket)
    for (const { path } of released) {
      if (ticket.locks.some(lock => lock.path === path)) continue
      const tickets = this.#byPath.get(path)
      if (tickets?.delete(ticket) && tickets.size === 0) this.#byPath.delete(path)
    }
    for (const later of [...ticket.blocks]) {
      if (later.locks.some(lock => conflictsWith(lock, ticket))) continue
      ticket.blocks.delete(later)
      later.blockedBy.delete(ticket)
      if (later.blockedBy.size === 0) this.#makeReady(later)
    }
  }

  #findConflicts(holds: PathLock[]): Set<Ticket> {
    const found = new Set<Ticket>()
    for (const hold of holds) {
      for (const ticket of this.#byPath.get(hold.path) ?? []) if (conflictsWith(hold, ticket)) found.add(ticket)
      for (const ticket of this.#trees) if (conflictsWith(hold, ticket)) found.add(ticket)
      if (!hold.tree) continue
      for (const tickets of this.#byPath.values())
        for (const ticket of tickets) if (conflictsWith(hold, ticket)) found.add(ticket)
    }
    return found
  }
}

const byQueue = <T>(make: () => T): Record<QueueName, T> => ({
  read: make(),
  search: make(),
  write: make(),
  execute: make(),
  network: make()
})

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, one) => total + one, 0)

const conflictsWith = (hold: PathLock, ticket: Ticket) => ticket.locks.some(other => locksConflict(hold, other))

/** Returns true if two locks exclude each other. */
export const locksConflict = (one: PathLock, other: PathLock) =>
  (one.access === 'write' || other.access === 'write') &&
  (one.path === other.path ||
    (one.tree && isWithin(other.path, one.path)) ||
    (other.tree && isWithin(one.path, other.path)))

const isWithin = (path: string, folder: string) =>
  folder === '.' || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
