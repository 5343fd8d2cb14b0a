// The stream of events of all servers to one reader, as server-sent events. It reads the table as fast as the reader takes.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type HubEvent, latestEvent, readEvents } from './archive.ts'
import type { Database } from './database/database.ts'
import type { Relay } from './relay.ts'

const PAGE = 500
const RETRY_MS = 1_000

/** Writes the events after a number, and later ones as they come, until the signal aborts. Without a number it begins with the next. */
export async function streamEvents(
  raw: ServerResponse,
  {
    database,
    relay,
    after,
    signal,
    format = formatData
  }: {
    database: Database
    relay: Relay
    after: number | undefined
    signal: AbortSignal
    /** Returns the data of an event, on one line. */
    format?: (event: HubEvent) => string
  }
) {
  let position = after ?? (await latestEvent(database))
  while (!signal.aborted) {
    const { wakes } = relay
    const events = await readEvents(database, position, PAGE)
    position = events.at(-1)?.id ?? position
    if (events.length > 0 && !raw.write(events.map(event => formatFrame(event, format(event))).join('')))
      await once(raw, 'drain', { signal }).catch(() => {})
    if (events.length === 0) await relay.changedAfter(wakes, signal)
  }
}

const formatFrame = ({ id, type }: HubEvent, data: string) =>
  `id: ${id}\nevent: ${type}\nretry: ${RETRY_MS}\ndata: ${data}\n\n`

/** The fields of the event, after those of where it came from. */
function formatData({ server_id, server_name, journal_id, received_at, data }: HubEvent): string {
  const origin = JSON.stringify({ server_id, server_name, journal_id, received_at })
  return `${origin.slice(0, -1)},${data.slice(1)}`
}
