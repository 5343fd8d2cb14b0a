// Requests with reconnection to a server that may be restarted in the meantime, even elsewhere.
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, ToolgateError } from '../client/client.ts'
import type { CliContext } from './context.ts'

const RETRY_MS = 300

/** Retries until there is an answer, with any client that reaches the server. Refusals are thrown. */
export async function withReconnect<T>(
  context: CliContext,
  known: Client,
  ask: (client: Client) => Promise<T>
): Promise<T> {
  const { terminal } = context
  let client = known
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask(client)
    } catch (error) {
      if (!isDisconnected(error)) throw error
      if (tries === 0) terminal.info('Connection lost. Reconnecting…')
      client = await reconnect(context)
    }
  }
}

/** Sends nothing while the server is not found: another program may answer at its address. */
async function reconnect(context: CliContext): Promise<Client> {
  for (;;) {
    await pause(RETRY_MS, undefined, { signal: context.signal })
    const client = await context.connect().catch(() => undefined)
    if (client) return client
  }
}

/** Returns true for no response, a truncated one, or an invalid token of a previous server. */
export const isDisconnected = (error: unknown) =>
  error instanceof ToolgateError && (error.status === 0 || error.status === 401 || error.code === 'BAD_ANSWER')
