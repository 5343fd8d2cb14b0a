// The server of the project, asked as any client would.
import { type Client, connect } from '../../client/client.ts'
import type { Discovered } from '../../client/discover.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { type Finding, fail, type Look, ok, warn } from './check-result.ts'

const ANSWER_MS = 5_000
const SLOW_MS = 500
const SKEW_MS = 5_000

/** As `GET /capabilities` tells it. */
interface Able {
  isolation: { default: string; levels: { level: string; holds: boolean; reason?: string; cure?: string }[] }
  front_ends: { client_id: string; effects?: string[] }[]
  mcp_servers: { name: string; state: string; reason?: string }[]
}

const server: Look = async context => {
  let found: Discovered
  try {
    found = await context.find()
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return [warn('server', error.message, error.hint ?? 'Start one with: toolgate serve')]
  }
  const client = connect({ ...found, client: 'toolgate-doctor' })
  const findings: Finding[] = []
  for (const look of [health, clock, stream, able])
    try {
      findings.push(...(await look(client, found, context)))
    } catch (error) {
      findings.push(
        fail(look.name, (error as Error).message, 'See the log of the server, or restart it: toolgate serve --replace')
      )
    }
  return findings
}

const within = () => AbortSignal.timeout(ANSWER_MS)

async function health(client: Client, { url }: Discovered, { version }: Context) {
  const began = performance.now()
  const told = await client.health({ signal: within() })
  const took = Math.round(performance.now() - began)
  const words = `${told.version} at ${url}, response in ${took} ms`
  return [
    took > SLOW_MS
      ? warn('server', words, 'The machine or the server is busy; see: toolgate status')
      : ok('server', words),
    ...(told.version === version
      ? []
      : [
          warn(
            'version',
            `the server is ${told.version}, this client is ${version}`,
            'Restart the server: toolgate serve --replace'
          )
        ])
  ]
}

async function clock(_: Client, { url }: Discovered) {
  const answer = await fetch(`${url}/health`, { signal: within() })
  const skew = Date.parse(answer.headers.get('date') ?? '') - Date.now()
  if (Number.isNaN(skew) || Math.abs(skew) < SKEW_MS) return [ok('clock', 'in sync with the server')]
  const cure = 'Synchronize the clocks of both machines: approvals expire by the clock of the server.'
  return [warn('clock', `differs from the server by ${Math.round(skew / 1_000)} s`, cure)]
}

async function stream(client: Client) {
  const began = performance.now()
  for await (const event of client.events({ signal: within() }))
    if (event.type === 'stream.snapshot')
      return [ok('events', `first event after ${Math.round(performance.now() - began)} ms`)]
  return [
    fail('events', 'no event received', 'Check for a proxy that buffers responses between this machine and the server.')
  ]
}

async function able(client: Client): Promise<Finding[]> {
  const told = (await client.capabilities({ signal: within() })) as unknown as Able
  const { default: level, levels } = told.isolation
  const broken = levels.filter(({ holds }) => !holds)
  return [
    level === 'none'
      ? warn(
          'isolation',
          'commands run with all your permissions and can read the approval token',
          broken.map(({ reason, cure }) => cure ?? reason).find(Boolean) ??
            'Set sandbox.level to auto; see docs/sandbox.md'
        )
      : ok('isolation', `commands run in the sandbox (level ${level}), which hides the tokens`),
    told.front_ends.length === 0
      ? ok('editors', 'none connected; see: toolgate init --editor')
      : ok('editors', told.front_ends.map(({ client_id }) => client_id).join(', ')),
    ...told.mcp_servers
      .filter(({ state }) => ['failed', 'backing_off', 'needs_login'].includes(state))
      .map(({ name, reason = '' }) => warn('MCP server', `${name}: ${reason}`, `toolgate mcp restart ${name}`))
  ]
}

export const SERVER: readonly Look[] = [server]
