// What a command tried to reach, so that whoever wonders why an installation failed can see it.
import type { Socket } from 'node:net'

interface Reached {
  host: string
  port: number
  connections: number
  /** Bytes that went out and came back, as far as it was connected. */
  sent_bytes: number
  received_bytes: number
}

interface Refused {
  /** As it was asked for, without what a screen would obey. */
  host: string
  /** 0 where none was named. */
  port: number
  attempts: number
  reason: string
}

/** Each host once; refusals once for each reason. */
export interface Attempts {
  allowed: Reached[]
  refused: Refused[]
  /** Attempts at further hosts, which are counted alone. */
  more?: number
}

/** Hosts told by name; a program that tries a thousand gets no thousand rows. */
const MOST_ROWS = 100
const LONGEST_HOST = 253

export class AttemptLog {
  #allowed = new Map<string, Reached>()
  #refused = new Map<string, Refused>()
  #open = new Map<Socket, Reached>()
  #more = 0

  /** Counts what passes through the connection until it is closed. */
  reached(host: string, port: number, socket: Socket) {
    const row = this.#row(this.#allowed, `${host} ${port}`, () => ({
      host,
      port,
      connections: 0,
      sent_bytes: 0,
      received_bytes: 0
    }))
    if (!row) return
    row.connections += 1
    this.#open.set(socket, row)
    socket.once('close', () => this.#count(socket))
  }

  refused(host: string, port: number, reason: string) {
    const shown = host.slice(0, LONGEST_HOST).replaceAll(/[^\x21-\x7e]/g, '\ufffd')
    const key = `${shown} ${port} ${reason}`
    const row = this.#row(this.#refused, key, () => ({ host: shown, port, attempts: 0, reason }))
    if (row) row.attempts += 1
  }

  /** All until now, with what open connections have carried so far. */
  told(): Attempts {
    for (const socket of this.#open.keys()) this.#count(socket)
    return {
      allowed: [...this.#allowed.values()],
      refused: [...this.#refused.values()],
      ...(this.#more > 0 && { more: this.#more })
    }
  }

  #row<Row>(rows: Map<string, Row>, key: string, make: () => Row): Row | undefined {
    const known = rows.get(key)
    if (known) return known
    if (rows.size >= MOST_ROWS) {
      this.#more += 1
      return undefined
    }
    const row = make()
    rows.set(key, row)
    return row
  }

  #count(socket: Socket) {
    const row = this.#open.get(socket)
    if (!row) return
    this.#open.delete(socket)
    row.sent_bytes += socket.bytesWritten
    row.received_bytes += socket.bytesRead
  }
}
