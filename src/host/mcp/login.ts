// A person logs in to a remote server: the browser is sent to where that is done, and comes back to a port of this machine.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ToolError } from '../../errors.ts'
import { createServer } from '../http.ts'
import { faultOf } from './errors.ts'
import { expanded } from './expand-env.ts'
import { fetcher } from './http-client.ts'
import { LoginProvider } from './oauth.ts'
import type { Opening } from './open-connection.ts'
import type { Entry } from './workspace-mcp-server.ts'

export interface Login {
  /** Where the person is to go. */
  authorization_url: string
  expires_at: string
  /** Rejects with why it did not come about. */
  done: Promise<void>
  /** Nobody waits for it any more. */
  end(): void
}

/** How long a person may take. */
const LOGIN_MS = 5 * 60_000

const kept = ({ name, config }: Entry, { environment, logins }: Opening) => {
  const url = expanded(config.url!, environment)
  return { login: logins.to(name, url), place: { url, environment, logins } }
}

/** Begins a login; throws what is in its way. */
export async function beginLogin(entry: Entry, opening: Opening): Promise<Login> {
  if (entry.config.url === undefined)
    throw new ToolError('CONFLICT', `${entry.name} is a program that we start: there is nothing to log in to.`)
  if (entry.config.oauth?.grant === 'client_credentials')
    throw new ToolError('CONFLICT', `${entry.name} is spoken to with a secret of its own: nobody needs to log in.`)
  const { login, place } = kept(entry, opening)
  const back = createServer()
  back.listen(entry.config.oauth?.redirect_port ?? 0, '127.0.0.1')
  try {
    await once(back, 'listening')
    return await going(entry, opening, { login, place, back })
  } catch (error) {
    back.close()
    if (error instanceof ToolError) throw error
    throw new ToolError(
      'MCP_ERROR',
      `The login to ${entry.name} cannot begin: ${beforePage((await faultOf(error)).message)}.`
    )
  }
}

/** A server that knows nothing of logins answers with a page. */
const beforePage = (text: string) => text.split(/[\n<]/, 1)[0]!.replace(/[\s.:]+$/, '')

export function forgetLogin(entry: Entry, opening: Opening) {
  if (entry.config.url !== undefined) kept(entry, opening).login.forget()
}

interface Going extends ReturnType<typeof kept> {
  back: HttpServer
}

async function going(entry: Entry, opening: Opening, { login, place, back }: Going): Promise<Login> {
  const { auth } = await import('@modelcontextprotocol/client')
  const { environment, settings } = opening
  const state = randomBytes(24).toString('base64url')
  const url = `http://127.0.0.1:${(back.address() as AddressInfo).port}/callback`
  const provider = new LoginProvider(entry, place, login, { url, state })
  const { fetch, close } = await fetcher({
    environment,
    home: place.url,
    named_by_others: entry.from_workspace,
    guarding: opening.guarding(),
    max_bytes: settings.max_result_bytes
  })
  // Each login comes back to a port of its own, which an earlier registration does not know.
  if (entry.config.oauth?.client_id === undefined) login.keep({ client: undefined })
  const options = { serverUrl: place.url, fetchFn: fetch, forceReauthorization: true }
  const scope = entry.config.oauth?.scope
  await auth(provider, { ...options, ...(scope !== undefined && { scope }) })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  promise.catch(() => {})
  const timer = setTimeout(() => end(`Nobody has logged in within ${LOGIN_MS / 60_000} minutes.`), LOGIN_MS).unref()
  const over = async () => {
    clearTimeout(timer)
    back.close()
    back.closeAllConnections()
    await close()
  }
  const end = (why: string) => {
    reject(new ToolError('MCP_ERROR', why))
    void over()
  }
  back.on('request', async (request, response) => {
    const came = new URL(request.url ?? '/', url)
    if (came.pathname !== '/callback' || !isSame(came.searchParams.get('state') ?? '', state)) {
      response.writeHead(404).end()
      return
    }
    const told = await redeemed(came.searchParams)
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
    response.end(told ?? `Logged in to ${entry.name}. You can close this page.`, () => void over())
    if (told === undefined) resolve()
    else reject(new ToolError('MCP_ERROR', told))
  })

  async function redeemed(given: URLSearchParams): Promise<string | undefined> {
    const code = given.get('code')
    if (code === null) return `The login to ${entry.name} was refused.`
    const iss = given.get('iss')
    try {
      const result = await auth(provider, { ...options, authorizationCode: code, ...(iss !== null && { iss }) })
      return result === 'AUTHORIZED' ? undefined : `The login to ${entry.name} was not taken.`
    } catch (error) {
      return `The login to ${entry.name} failed: ${beforePage((await faultOf(error)).message)}.`
    }
  }

  return {
    authorization_url: provider.authorization_url!,
    expires_at: new Date(Date.now() + LOGIN_MS).toISOString(),
    done: promise,
    end: () => end('Another login was begun.')
  }
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
