// Queue that takes turns between owners, and between the sessions of an owner: one with many entries delays no other.

interface QueueEntry {
  /** The token that the call belongs to; all callers that may approve share one. */
  owner: string
  session: string
}

export class FairQueue<E extends QueueEntry> {
  /** By owner and session; whose turn is next comes first. */
  readonly #turns = new Map<string, Map<string, Set<E>>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(entry: E) {
    const sessions = this.#turns.get(entry.owner) ?? new Map<string, Set<E>>()
    this.#turns.set(entry.owner, sessions)
    sessions.set(entry.session, (sessions.get(entry.session) ?? new Set()).add(entry))
    this.#size += 1
  }

  delete(entry: E) {
    const sessions = this.#turns.get(entry.owner)
    const entries = sessions?.get(entry.session)
    if (!sessions || !entries?.delete(entry)) return
    this.#size -= 1
    if (entries.size === 0) sessions.delete(entry.session)
    if (sessions.size === 0) this.#turns.delete(entry.owner)
  }

  /** Removes and returns the next entry of the next owner that may start one; the others of both have their turns first then. */
  take(mayStart: (owner: string) => boolean): E | undefined {
    for (const [owner, sessions] of this.#turns) {
      if (!mayStart(owner)) continue
      const [session, entries] = sessions.entries().next().value!
      const [entry] = entries as Set<E>
      this.#turns.delete(owner)
      this.#turns.set(owner, sessions)
      sessions.delete(session)
      sessions.set(session, entries)
      this.delete(entry!)
      return entry
    }
    return undefined
  }
}
