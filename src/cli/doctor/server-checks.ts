// Checks of the project's server, as any client sees it.
import { type Client, connect } from '../../client/client.ts'
import type { DiscoveredServer } from '../../node-client/discover.ts'
import type { CliContext } from '../context.ts'
import { CliError } from '../exit.ts'
import { type CheckResult, type DoctorCheck, failResult, passResult, warnResult } from './check-result.ts'
import { checkServerHub, type ReportedHub } from './hub-checks.ts'
import { checkDeliveries } from './notification-checks.ts'

const SERVER_TIMEOUT_MS = 5_000
const SLOW_RESPONSE_MS = 500
const MAX_CLOCK_SKEW_MS = 5_000

/** The part of `GET /capabilities` that is checked. */
interface ReportedLevel {
  level: string
  holds: boolean
  backend?: string
  reason?: string
  lacks?: string[]
}

interface ReportedCapabilities {
  isolation: { default: string; levels: ReportedLevel[] }
  front_ends: { client_id: string; effects?: string[] }[]
  mcp_servers: { name: string; state: string; reason?: string }[]
  hub?: ReportedHub
}

const checkServer: DoctorCheck = async context => {
  let found: DiscoveredServer
  try {
    found = await context.findServer()
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return [warnResult('server', error.message, error.hint ?? 'Start a server with: toolgate serve')]
  }
  const client = connect({ ...found, client: 'toolgate-doctor' })
  const findings: CheckResult[] = []
  for (const look of [health, clock, stream, able, notifications])
    try {
      findings.push(...(await look(client, found, context)))
    } catch (error) {
      findings.push(
        failResult(
          look.name,
          (error as Error).message,
          'See the log of the server, or restart it: toolgate serve --replace'
        )
      )
    }
  return findings
}

const serverTimeout = () => AbortSignal.timeout(SERVER_TIMEOUT_MS)

async function health(client: Client, { url }: DiscoveredServer, { version }: CliContext) {
  const began = performance.now()
  const answer = await client.health({ signal: serverTimeout() })
  const took = Math.round(performance.now() - began)
  const words = `${answer.version} at ${url}, response in ${took} ms`
  return [
    took > SLOW_RESPONSE_MS
      ? warnResult('server', words, 'The machine or the server is busy; see: toolgate status')
      : passResult('server', words),
    ...(answer.version === version
      ? []
      : [
          warnResult(
            'version',
            `the server is ${answer.version}, this client is ${version}`,
            'Restart the server: toolgate serve --replace'
          )
        ])
  ]
}

async function clock(_: Client, { url }: DiscoveredServer) {
  const answer = await fetch(`${url}/health`, { signal: serverTimeout() })
  const skew = Date.parse(answer.headers.get('date') ?? '') - Date.now()
  if (Number.isNaN(skew) || Math.abs(skew) < MAX_CLOCK_SKEW_MS) return [passResult('clock', 'in sync with the server')]
  const hint = 'Synchronize the clocks of both machines: approvals expire by the clock of the server.'
  return [warnResult('clock', `differs from the server by ${Math.round(skew / 1_000)} s`, hint)]
}

async function stream(client: Client) {
  const began = performance.now()
  for await (const event of client.events({ signal: serverTimeout() }))
    if (event.type === 'stream.snapshot')
      return [passResult('events', `first event after ${Math.round(performance.now() - began)} ms`)]
  return [
    failResult(
      'events',
      'no event received',
      'Check for a proxy that buffers responses between this machine and the server.'
    )
  ]
}

async function able(client: Client): Promise<CheckResult[]> {
  const capabilities = (await client.capabilities({ signal: serverTimeout() })) as unknown as ReportedCapabilities
  return [
    checkIsolation(capabilities.isolation),
    capabilities.front_ends.length === 0
      ? passResult('editors', 'no front end is connected; see: toolgate init --editor')
      : passResult('editors', capabilities.front_ends.map(({ client_id }) => client_id).join(', ')),
    ...capabilities.mcp_servers
      .filter(({ state }) => ['failed', 'backing_off', 'needs_login'].includes(state))
      .map(({ name, reason = '' }) => warnResult('MCP server', `${name}: ${reason}`, `toolgate mcp restart ${name}`)),
    ...(capabilities.hub ? checkServerHub(capabilities.hub) : [])
  ]
}

const notifications = (client: Client) => checkDeliveries(client, serverTimeout())

function checkIsolation({ default: level, levels }: ReportedCapabilities['isolation']): CheckResult {
  const own = levels.find(one => one.level === level)
  if (level === 'none') {
    const reason = levels.filter(({ holds }) => !holds).map(({ reason }) => reason)
    return warnResult(
      'isolation',
      'commands run with all your permissions and can read the approval token',
      reason.find(Boolean) ?? 'Set sandbox.level to auto; see docs/sandbox.md'
    )
  }
  if (level === 'container' && own?.backend === undefined)
    return warnResult(
      'isolation',
      "commands run with all the server's permissions in the container and can read the approval token",
      `Missing protection: ${own?.lacks?.[0] ?? 'a sandbox'}; see docs/sandbox.md`
    )
  return passResult('isolation', `commands run in the sandbox (level ${level}), which hides the tokens`)
}

export const SERVER_CHECKS: readonly DoctorCheck[] = [checkServer]
