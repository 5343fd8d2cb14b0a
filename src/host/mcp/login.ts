// Interactive OAuth login to a remote server: the browser is sent to the authorization page, and redirected back to a local port.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ToolError } from '../../errors.ts'
import { isTimingSafeEqual } from '../../text/timing-safe-equal.ts'
import { createServer } from '../http.ts'
import { provokeChallenge, rememberChallenges } from './challenge.ts'
import { classifyMcpError } from './errors.ts'
import { expandEnv } from './expand-env.ts'
import { createMcpHttpClient } from './http-client.ts'
import { OAuthLoginProvider } from './oauth.ts'
import type { McpConnectOptions } from './open-connection.ts'
import type { AuthChallenge, StoredLogin } from './token-store.ts'
import type { McpServerEntry } from './workspace-mcp-server.ts'

export interface PendingLogin {
  /** Authorization page for the browser. */
  authorization_url: string
  expires_at: string
  /** Rejects with the reason of a failure. */
  done: Promise<void>
  /** Cancels the login. */
  cancel(): void
}

/** Time limit of a login. */
const LOGIN_TIMEOUT_MS = 5 * 60_000

const loginContext = ({ name, config }: McpServerEntry, { environment, tokenStore }: McpConnectOptions) => {
  const url = expandEnv(config.url!, environment)
  return { login: tokenStore.forServer(name, url), place: { url, environment, tokenStore } }
}

/** Starts a login; throws if it is impossible. */
export async function startLogin(entry: McpServerEntry, opening: McpConnectOptions): Promise<PendingLogin> {
  if (entry.config.url === undefined)
    throw new ToolError('CONFLICT', `${entry.name} is a local program, so it needs no login.`)
  if (entry.config.oauth?.grant === 'client_credentials')
    throw new ToolError('CONFLICT', `${entry.name} uses configured credentials, so it needs no login.`)
  const { login, place } = loginContext(entry, opening)
  const callbackServer = createServer()
  callbackServer.listen(entry.config.oauth?.redirect_port ?? 0, '127.0.0.1')
  try {
    await once(callbackServer, 'listening')
    return await openLoginFlow(entry, opening, { login, place, callbackServer })
  } catch (error) {
    callbackServer.close()
    if (error instanceof ToolError) throw error
    throw new ToolError(
      'MCP_ERROR',
      `The login to ${entry.name} could not be started: ${firstLineOf((await classifyMcpError(error)).message)}.`
    )
  }
}

/** A server without logins answers with a page. */
const firstLineOf = (text: string) => text.split(/[\n<]/, 1)[0]!.replace(/[\s.:]+$/, '')

export function forgetLogin(entry: McpServerEntry, opening: McpConnectOptions) {
  if (entry.config.url !== undefined) loginContext(entry, opening).login.remove()
}

/** Returns what a login asks for: the configured scope, or else what the server says; more where that was too little for it. */
function loginTerms({ config: { oauth } }: McpServerEntry, login: StoredLogin): AuthChallenge {
  const { resource_metadata, scope, widened } = login.read().challenge ?? {}
  return { resource_metadata, scope: widened ? scope : (oauth?.scope ?? scope) }
}

interface LoginFlow extends ReturnType<typeof loginContext> {
  callbackServer: HttpServer
}

async function openLoginFlow(
  entry: McpServerEntry,
  opening: McpConnectOptions,
  { login, place, callbackServer }: LoginFlow
): Promise<PendingLogin> {
  const { auth } = await import('@modelcontextprotocol/client')
  const { environment, settings } = opening
  const state = randomBytes(24).toString('base64url')
  const url = `http://127.0.0.1:${(callbackServer.address() as AddressInfo).port}/callback`
  const provider = new OAuthLoginProvider(entry, place, login, { url, state })
  const httpClient = await createMcpHttpClient({
    environment,
    serverUrl: place.url,
    isUntrustedUrl: entry.isFromWorkspace,
    egressPolicy: opening.egressPolicy(),
    maxBytes: settings.max_result_bytes
  })
  const { close } = httpClient
  const fetch = rememberChallenges(httpClient.fetch, place.url, login)
  if (!login.read().challenge) await provokeChallenge(fetch, place.url)
  const { resource_metadata, scope } = loginTerms(entry, login)
  // The authorization server may be another one by now. Each login uses its own port as redirect URI, which an earlier registration
  // does not include.
  login.save({
    discovery: undefined,
    requested_scope: scope,
    ...(entry.config.oauth?.client_id === undefined && { client: undefined })
  })
  const options = {
    ...{ serverUrl: place.url, fetchFn: fetch, forceReauthorization: true },
    ...(resource_metadata !== undefined && { resourceMetadataUrl: new URL(resource_metadata) })
  }
  await auth(provider, { ...options, ...(scope !== undefined && { scope }) })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  promise.catch(() => {})
  const timer = setTimeout(
    () => end(`No one logged in within ${LOGIN_TIMEOUT_MS / 60_000} minutes.`),
    LOGIN_TIMEOUT_MS
  ).unref()
  const over = async () => {
    clearTimeout(timer)
    callbackServer.close()
    callbackServer.closeAllConnections()
    await close()
  }
  const end = (why: string) => {
    reject(new ToolError('MCP_ERROR', why))
    void over()
  }
  callbackServer.on('request', async (request, response) => {
    const came = new URL(request.url ?? '/', url)
    if (came.pathname !== '/callback' || !isTimingSafeEqual(came.searchParams.get('state') ?? '', state)) {
      response.writeHead(404).end()
      return
    }
    const error = await redeemed(came.searchParams)
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
    response.end(error ?? `Logged in to ${entry.name}. You can close this page.`, () => void over())
    if (error === undefined) resolve()
    else reject(new ToolError('MCP_ERROR', error))
  })

  async function redeemed(given: URLSearchParams): Promise<string | undefined> {
    const code = given.get('code')
    if (code === null) return `The login to ${entry.name} was denied.`
    const iss = given.get('iss')
    try {
      const result = await auth(provider, { ...options, authorizationCode: code, ...(iss !== null && { iss }) })
      return result === 'AUTHORIZED' ? undefined : `The login to ${entry.name} was not accepted.`
    } catch (error) {
      return `The login to ${entry.name} failed: ${firstLineOf((await classifyMcpError(error)).message)}.`
    }
  }

  return {
    authorization_url: provider.authorizationUrl!,
    expires_at: new Date(Date.now() + LOGIN_TIMEOUT_MS).toISOString(),
    done: promise,
    cancel: () => end('Another login was started.')
  }
}
