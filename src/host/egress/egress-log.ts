// Log of a command's network access, to explain failed installations, for instance.
import type { Socket } from 'node:net'

interface AllowedHost {
  host: string
  port: number
  connections: number
  /** Bytes sent and received, as far as it was connected. */
  sent_bytes: number
  received_bytes: number
}

interface RefusedHost {
  /** As requested, sanitized for display. */
  host: string
  /** 0 if missing. */
  port: number
  attempts: number
  reason: string
}

/** Lists each host once, and refusals once for each reason. */
export interface EgressReport {
  allowed: AllowedHost[]
  refused: RefusedHost[]
  /** Number of attempts at further hosts. */
  more?: number
}

/** Maximum number of listed hosts. */
const MAX_HOSTS = 100
const MAX_HOST_CHARACTERS = 253

export class EgressLog {
  #allowed = new Map<string, AllowedHost>()
  #refused = new Map<string, RefusedHost>()
  #open = new Map<Socket, AllowedHost>()
  #more = 0

  /** Counts the connection's bytes until it is closed. */
  recordConnection(host: string, port: number, socket: Socket) {
    const row = this.#rowFor(this.#allowed, `${host} ${port}`, () => ({
      host,
      port,
      connections: 0,
      sent_bytes: 0,
      received_bytes: 0
    }))
    if (!row) return
    row.connections += 1
    this.#open.set(socket, row)
    socket.once('close', () => this.#addTraffic(socket))
  }

  recordRefusal(host: string, port: number, reason: string) {
    const shown = host.slice(0, MAX_HOST_CHARACTERS).replaceAll(/[^\x21-\x7e]/g, '\ufffd')
    const key = `${shown} ${port} ${reason}`
    const row = this.#rowFor(this.#refused, key, () => ({ host: shown, port, attempts: 0, reason }))
    if (row) row.attempts += 1
  }

  /** Reports all attempts so far, including the bytes of open connections. */
  report(): EgressReport {
    for (const socket of this.#open.keys()) this.#addTraffic(socket)
    return {
      allowed: [...this.#allowed.values()],
      refused: [...this.#refused.values()],
      ...(this.#more > 0 && { more: this.#more })
    }
  }

  #rowFor<Row>(rows: Map<string, Row>, key: string, make: () => Row): Row | undefined {
    const known = rows.get(key)
    if (known) return known
    if (rows.size >= MAX_HOSTS) {
      this.#more += 1
      return undefined
    }
    const row = make()
    rows.set(key, row)
    return row
  }

  #addTraffic(socket: Socket) {
    const row = this.#open.get(socket)
    if (!row) return
    this.#open.delete(socket)
    row.sent_bytes += socket.bytesWritten
    row.received_bytes += socket.bytesRead
  }
}
