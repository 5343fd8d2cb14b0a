// The database of the hub: PostgreSQL, or one that runs within the process. Rows are objects; integers of 8 bytes are numbers.

export interface Queries {
  query<R extends object = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<R[]>
}

/** Receives the text of a notification; undefined when some may have been missed, as after a lost connection. */
export type NotificationListener = (text: string | undefined) => void

export interface Database extends Queries {
  /** Runs work in one transaction, which is rolled back if the work fails. Rejects with DATABASE_UNAVAILABLE without a connection. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>
  /** Listens to notifications of all processes of the hub on a channel. Reconnects by itself. */
  listen(channel: string, listener: NotificationListener): Promise<void>
  close(): Promise<void>
}

/** Channels of notifications. Their texts are ids alone: rows are read from tables. */
export const CHANNELS = {
  /** New events. */
  events: 'toolgate_events',
  /** The id of the server for which there is a decision. */
  decisions: 'toolgate_decisions',
  /** Tokens or codes were added or removed. */
  access: 'toolgate_access',
  /** A rule set was saved. */
  rules: 'toolgate_rules'
} as const
