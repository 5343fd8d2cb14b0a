// The way to one server, while it lasts: its process, or an address.
import type { Transport } from '@modelcontextprotocol/client'

/** How a server came to its end. */
export interface Ending {
  why: string
  /** We have ended it, since it is not needed. */
  stopped: boolean
}

export interface Link {
  transport: Transport
  /** Resolves when nothing of it is left. */
  ended: Promise<Ending>
  pid?: number
  /** The last that it printed besides messages. */
  printed(): string
  /** Ends it at once. */
  kill(why: string): void
  /** Asks it to end, and ends it where it does not. */
  stop(why: string): Promise<void>
}
