// The stream of decisions to one server, as server-sent events. Those without an answer are sent again when the server connects again.
import type { ServerResponse } from 'node:http'
import type { Database } from './database/database.ts'
import { listSent } from './decisions.ts'
import type { Relay } from './relay.ts'

interface DecisionStreamOptions {
  database: Database
  relay: Relay
  serverId: string
  signal: AbortSignal
}

/** Writes the decisions for a server, as they are made, until the signal aborts. */
export async function streamDecisions(
  raw: ServerResponse,
  { database, relay, serverId, signal }: DecisionStreamOptions
) {
  let last = 0
  while (!signal.aborted) {
    const { wakes } = relay
    for (const decision of await listSent(database, serverId, last)) {
      raw.write(`event: decision\ndata: ${JSON.stringify(decision)}\n\n`)
      last = decision.decision_id
    }
    await relay.changedAfter(wakes, signal)
  }
}
