// When a queued call may run. Calls run in parallel; those that touch the same path run in the order they were queued,
// except that readers share; and of each kind of effect only so many run at once.
import type { Effect } from '../tool/tool.ts'

/** What a call holds while it runs. `list` uses promise no consistent view, so they hold nothing. */
export interface Hold {
  path: string
  access: 'read' | 'write'
  /** Covers everything beneath the path too. */
  tree: boolean
}

export type Kind = 'read' | 'write' | 'execute' | 'network'

export const KIND: Record<Effect, Kind> = {
  read: 'read',
  create: 'write',
  write: 'write',
  destructive: 'write',
  execute: 'execute',
  network: 'network'
}

interface Ticket {
  kind: Kind
  holds: Hold[]
  /** Earlier tickets that must end first. */
  waitsFor: Set<Ticket>
  /** Later tickets that wait for this one. */
  holdsUp: Set<Ticket>
  start(release: () => void): void
}

export class Scheduler {
  readonly #limits: Record<Kind, number>
  readonly #running: Record<Kind, number> = { read: 0, write: 0, execute: 0, network: 0 }
  /** Ready but for a free place, by kind, first come first served. */
  readonly #ready: Record<Kind, Set<Ticket>> = {
    read: new Set(),
    write: new Set(),
    execute: new Set(),
    network: new Set()
  }
  /** Tickets that have not ended, by the path they hold. */
  readonly #byPath = new Map<string, Set<Ticket>>()
  /** Those of them that hold a whole tree. */
  readonly #trees = new Set<Ticket>()

  constructor(limits: Record<Kind, number>) {
    this.#limits = limits
  }

  /** Calls that hold or wait for a place. */
  get waiting(): number {
    return Object.values(this.#ready).reduce((sum, { size }) => sum + size, 0)
  }

  /** Runs `work` once nothing earlier stands in its way; at once, before this returns, where nothing does. `left` tells
   * that the work is no longer wanted: then it is never started. The place is free again when the work's promise settles. The work is
   * told whether it had to wait. */
  run<T>(kind: Kind, holds: Hold[], work: (waited: boolean) => Promise<T>, left?: AbortSignal): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    let waited = false
    const ticket: Ticket = {
      kind,
      holds,
      waitsFor: this.#conflicts(holds),
      holdsUp: new Set(),
      start: release => {
        work(waited).then(resolve, reject).finally(release)
      }
    }
    for (const earlier of ticket.waitsFor) earlier.holdsUp.add(ticket)
    this.#enter(ticket)
    const leave = () => {
      this.#end(ticket)
      reject(left!.reason)
    }
    if (left?.aborted) {
      leave()
      return promise
    }
    left?.addEventListener('abort', leave, { once: true })
    const { start } = ticket
    ticket.start = release => {
      left?.removeEventListener('abort', leave)
      start(release)
    }
    if (ticket.waitsFor.size === 0) this.#makeReady(ticket)
    waited = true
    return promise
  }

  #makeReady(ticket: Ticket) {
    this.#ready[ticket.kind].add(ticket)
    this.#admit(ticket.kind)
  }

  #admit(kind: Kind) {
    for (const ticket of this.#ready[kind]) {
      if (this.#running[kind] >= this.#limits[kind]) return
      this.#ready[kind].delete(ticket)
      this.#running[kind] += 1
      ticket.start(() => {
        this.#running[kind] -= 1
        this.#end(ticket)
        this.#admit(kind)
      })
    }
  }

  #enter(ticket: Ticket) {
    for (const { path, tree } of ticket.holds) {
      const tickets = this.#byPath.get(path) ?? new Set()
      this.#byPath.set(path, tickets.add(ticket))
      if (tree) this.#trees.add(ticket)
    }
  }

  #end(ticket: Ticket) {
    this.#ready[ticket.kind].delete(ticket)
    this.#trees.delete(ticket)
    for (const { path } of ticket.holds) {
      const tickets = this.#byPath.get(path)
      if (tickets?.delete(ticket) && tickets.size === 0) this.#byPath.delete(path)
    }
    for (const earlier of ticket.waitsFor) earlier.holdsUp.delete(ticket)
    for (const later of ticket.holdsUp) {
      later.waitsFor.delete(ticket)
      if (later.waitsFor.size === 0) this.#makeReady(later)
    }
  }

  #conflicts(holds: Hold[]): Set<Ticket> {
    const found = new Set<Ticket>()
    for (const hold of holds) {
      for (const ticket of this.#byPath.get(hold.path) ?? []) if (clash(hold, ticket)) found.add(ticket)
      for (const ticket of this.#trees) if (clash(hold, ticket)) found.add(ticket)
      if (!hold.tree) continue
      for (const tickets of this.#byPath.values())
        for (const ticket of tickets) if (clash(hold, ticket)) found.add(ticket)
    }
    return found
  }
}

const clash = (hold: Hold, ticket: Ticket) => ticket.holds.some(other => clashes(hold, other))

/** Whether two uses may not happen at once. */
export const clashes = (one: Hold, other: Hold) =>
  (one.access === 'write' || other.access === 'write') &&
  (one.path === other.path ||
    (one.tree && beneath(other.path, one.path)) ||
    (other.tree && beneath(one.path, other.path)))

const beneath = (path: string, folder: string) =>
  folder === '.' || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
