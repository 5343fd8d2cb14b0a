// Asking a server that may be stopped and started anew meanwhile, elsewhere even.
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, ToolgateError } from '../client/client.ts'
import type { CliContext } from './context.ts'

const RETRY_MS = 300

/** Asks until there is an answer, by whichever client reaches the server. What the server refuses is thrown. */
export async function withReconnect<T>(
  context: CliContext,
  known: Client,
  ask: (client: Client) => Promise<T>
): Promise<T> {
  const { terminal, signal } = context
  let client = known
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask(client)
    } catch (error) {
      if (!isDisconnected(error)) throw error
      if (tries === 0) terminal.info('Connection lost. Reconnecting…')
      await pause(RETRY_MS, undefined, { signal })
      client = await context.connect().catch(() => client)
    }
  }
}

/** No answer, one cut short, or one to a token of the server that was there before. */
export const isDisconnected = (error: unknown) =>
  error instanceof ToolgateError && (error.status === 0 || error.status === 401 || error.code === 'BAD_ANSWER')
