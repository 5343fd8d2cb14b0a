// Requests to a hub by commands, with the token of an account.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { messageWithCause } from '../../../errors.ts'
import { createFetch } from '../../../host/egress/proxied-fetch.ts'
import { xdgFolder } from '../../../server/xdg.ts'
import { parseHubUrl } from '../../../uplink/hub-client.ts'
import type { CliContext } from '../../context.ts'
import { CliError, EXIT } from '../../exit.ts'

export const DEFAULT_PORT = '7780'
export const DEFAULT_HUB = `http://127.0.0.1:${DEFAULT_PORT}`
/** File of the token that is made when the hub starts, in its state folder. */
export const TOKEN_FILE = 'hub-admin-token'

const EXIT_BY_STATUS: Readonly<Record<number, number>> = { 401: EXIT.auth, 403: EXIT.auth, 409: EXIT.conflict }

export interface HubAddress {
  hub: string
  tokenFile?: string
}

/** Adds the options of a command that sends requests to a hub. */
export const addHubOptions = (command: Command): Command =>
  command
    .option('--hub <url>', 'address of the hub', DEFAULT_HUB)
    .option('--token-file <file>', 'file that contains the token of an administrator')

export interface HubCommandClient {
  url: string
  /** Rejects if the hub cannot be reached, or refuses. */
  ask<T>(method: string, target: string, body?: object): Promise<T>
}

export const hubFolder = (env: CliContext['runtime']['env']) =>
  path.join(xdgFolder(env, 'XDG_STATE_HOME', '.local/state'), 'toolgate', 'hub')

/** Returns a client with the token of the file, or of the hub on this machine. Throws if there is no token. */
export function openHubClient({ runtime, signal }: CliContext, { hub, tokenFile }: HubAddress): HubCommandClient {
  const url = parseHubUrl(hub)
  const file = tokenFile ?? path.join(hubFolder(runtime.env), TOKEN_FILE)
  if (!existsSync(file))
    throw new CliError(`${file} contains no hub token.`, {
      exit: EXIT.auth,
      code: 'UNAUTHORIZED',
      hint: 'Start the hub on this machine, or give the file with --token-file.'
    })
  const token = readFileSync(file, 'utf8').trim()
  const ask: HubCommandClient['ask'] = async <T>(method: string, target: string, body?: object) => {
    const response = await createFetch(runtime.env)(`${url}${target}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' })
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal
    }).catch((error: Error) => {
      throw new CliError(`The hub ${url} cannot be reached: ${messageWithCause(error)}`, {
        exit: EXIT.unreachable,
        code: 'UNREACHABLE'
      })
    })
    const text = await response.text()
    const answer = text === '' ? undefined : (JSON.parse(text) as { detail?: string; code?: string })
    if (response.ok) return answer as T
    throw new CliError(`The hub rejected the request: ${answer?.detail}`, {
      exit: EXIT_BY_STATUS[response.status] ?? EXIT.failed,
      code: answer?.code ?? 'FAILED'
    })
  }
  return { url, ask }
}
