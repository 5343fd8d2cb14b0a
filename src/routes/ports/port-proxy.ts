// Serves the ports of running jobs, each at a separate host name, beside the routes: its own authentication precedes everything.
// The code behind a port is not trusted: it never gets a token of the server or a cookie of this proxy, and its pages have no access to
// the routes, since they are of another origin and another site.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { FORWARDED_HOST, type ForwardedPort } from '../../engine/jobs/forwarded-ports.ts'
import { ToolError } from '../../errors.ts'
import type { HttpForwarder, UpgradeForwarder } from '../../host/ports/forward-http.ts'
import type { PortLogins } from '../../server/port-logins.ts'
import type { Principal, Tokens } from '../../server/tokens.ts'
import { readCookie } from '../http/cookies.ts'
import { endWithPortProblem, sendLoggedIn, sendPortProblem } from './port-answers.ts'
import { removeOwnCredentials } from './port-headers.ts'

interface PortProxyServices {
  /** Finds the port of a host name, while its job runs. */
  find(host: string): ForwardedPort | undefined
  canSee(task_id: string, principal: Principal): boolean
  tokens: Pick<Tokens, 'authenticate'>
  logins: PortLogins
  forwardHttp: HttpForwarder
  forwardUpgrade: UpgradeForwarder
}

/** An authenticated request. */
interface AdmittedRequest {
  forwarded: ForwardedPort
  principal: Principal
}

/** Paths that are the proxy's own at every port. */
const OWN_PATHS = '/.toolgate/'
const OPEN_PATH = `${OWN_PATHS}open`
const PORT_COOKIE = 'toolgate-port'
const BEARER = /^Bearer ([\x21-\x7e]+)$/i

/** Returns the path of a link that opens a port with a code. */
export const openPath = (code: string): string => `${OPEN_PATH.slice(1)}?code=${code}`

export class PortProxy {
  readonly #services: PortProxyServices

  constructor(services: PortProxyServices) {
    this.#services = services
  }

  /** Returns true for a request to a forwarded port, by its host name. */
  isForPort = ({ headers }: IncomingMessage): boolean => FORWARDED_HOST.test(getHostName(headers.host))

  /** Returns true for a request to a forwarded port that opens a WebSocket. */
  isUpgrade = (request: IncomingMessage): boolean =>
    request.headers.upgrade?.toLowerCase() === 'websocket' && this.isForPort(request)

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const forwarded = this.#findPort(request)
      if (request.url!.startsWith(OWN_PATHS)) return this.#open(request, response, forwarded)
      const admitted = this.#admit(request, forwarded)
      const target = await this.#connect(request, admitted)
      endWithToken(admitted.principal, response, request.socket)
      await this.#services.forwardHttp(request, response, target)
    } catch (error) {
      sendPortProblem(request, response, error)
    }
  }

  upgrade = async (request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> => {
    // A client may break off before it is connected.
    client.on('error', () => {})
    try {
      const admitted = this.#admit(request, this.#findPort(request))
      const target = await this.#connect(request, admitted)
      endWithToken(admitted.principal, client, client)
      await this.#services.forwardUpgrade(request, client, head, target)
    } catch (error) {
      endWithPortProblem(client, error)
    }
  }

  /** Finds the port of a request that is well-formed, and not of another site. */
  #findPort({ url, headers, rawHeaders }: IncomingMessage): ForwardedPort {
    if (url?.[0] !== '/') throw new ToolError('INVALID_PARAMS', 'The request target must be a path, not a whole URL.')
    const names = rawHeaders.filter((_, i) => i % 2 === 0).map(name => name.toLowerCase())
    const twice = SINGLE_HEADERS.find(name => names.filter(one => one === name).length > 1)
    if (twice) throw new ToolError('INVALID_PARAMS', `The header ${twice} was sent twice. Send it once.`)
    const { host = '', origin } = headers
    if (origin !== undefined && origin !== `http://${host.toLowerCase()}`)
      throw new ToolError('FORBIDDEN', 'Requests from other origins are not allowed.')
    const site = headers['sec-fetch-site']
    if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isTopLevelNavigation(headers))
      throw new ToolError('FORBIDDEN', 'Requests from other origins are not allowed.')
    const found = this.#services.find(getHostName(host))
    if (!found) throw new ToolError('NOT_FOUND', 'No running job serves this address. List jobs with: toolgate jobs')
    return found
  }

  #admit({ headers }: IncomingMessage, forwarded: ForwardedPort): AdmittedRequest {
    const { logins, tokens, canSee } = this.#services
    const cookie = readCookie(headers.cookie, PORT_COOKIE)
    const session = cookie === undefined ? undefined : logins.find(forwarded, cookie)
    // Browsers name the origin of each WebSocket.
    if (session && headers.upgrade !== undefined && headers.origin === undefined)
      throw new ToolError('FORBIDDEN', 'A WebSocket request from a browser must have the header Origin.')
    const bearer = BEARER.exec(headers.authorization ?? '')?.[1]
    const principal = session ?? (bearer === undefined ? undefined : tokens.authenticate(bearer))
    if (!principal?.rights.has('call'))
      throw new ToolError(
        'UNAUTHORIZED',
        `This port of a job requires authentication. To open it in a browser, run: toolgate open ${forwarded.task_id} — ` +
          'or send a token as "Authorization: Bearer <token>".'
      )
    if (!canSee(forwarded.task_id, principal))
      throw new ToolError('NOT_FOUND', 'No running job serves this address. List jobs with: toolgate jobs')
    return { forwarded, principal }
  }

  /** Connects to the port; the headers for it have no credential of this server. */
  async #connect({ rawHeaders }: IncomingMessage, { forwarded }: AdmittedRequest) {
    const isOwnToken = (value: string) => {
      const bearer = BEARER.exec(value)?.[1]
      return bearer !== undefined && this.#services.tokens.authenticate(bearer) !== undefined
    }
    const headers = removeOwnCredentials(rawHeaders, { cookie: PORT_COOKIE, isOwnToken })
    return { socket: await forwarded.connect(forwarded.port), headers }
  }

  /** Trades the code of a link for a session. */
  #open({ method, url }: IncomingMessage, response: ServerResponse, forwarded: ForwardedPort) {
    const { pathname, searchParams } = new URL(url!, 'http://localhost')
    if (pathname !== OPEN_PATH || method !== 'GET') throw new ToolError('NOT_FOUND', 'Not found.')
    const session = this.#services.logins.redeem(forwarded, searchParams.get('code') ?? '')
    if (session === undefined)
      throw new ToolError(
        'UNAUTHORIZED',
        `The link was already used or has expired. For a new link, run: toolgate open ${forwarded.task_id}`
      )
    sendLoggedIn(response, `${PORT_COOKIE}=${session}; Path=/; HttpOnly; SameSite=Strict`)
  }
}

const SINGLE_HEADERS = ['host', 'origin', 'authorization', 'sec-fetch-site', 'content-length']

/** The name without the port, which may differ where another port leads to the server. */
const getHostName = (host = '') => host.toLowerCase().replace(/:\d{1,5}$/, '')

const isTopLevelNavigation = (headers: IncomingMessage['headers']) =>
  headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'

/** Ends a connection when the token that it was admitted with is revoked or expires. */
function endWithToken({ issued }: Principal, exchange: NodeJS.EventEmitter, connection: { destroy(): unknown }) {
  const end = () => connection.destroy()
  issued?.revoked.addEventListener('abort', end, { once: true })
  exchange.once('close', () => issued?.revoked.removeEventListener('abort', end))
}
