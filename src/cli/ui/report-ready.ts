// Announces that a server is ready: to people what to do next, to programs one line of JSON.
import { connect } from '../../client/client.ts'
import type { DiscoveryRecord } from '../../server/discovery.ts'
import type { CliContext } from '../context.ts'
import { shellQuote } from './quote-word.ts'

interface ReadyOptions {
  /** `json`: one line for programs. */
  ready?: string | undefined
  state_dir: string
  /** How the person at this terminal stops the server; by default with `toolgate stop`. */
  stop?: string
  /** Makes a login to the console; by default the server is asked for one. */
  makeLogin?: () => { path: string; expires_at: string }
}

/** Prints how the server is reached. Tokens are never printed: `file` holds them. At a terminal a one-time login is. */
export async function announceReady(
  context: CliContext,
  record: DiscoveryRecord,
  file: string,
  { ready, ...options }: ReadyOptions
): Promise<void> {
  const { token, call_token: _, ...shown } = record
  const { terminal, runtime } = context
  if (ready === 'json' || terminal.json) return terminal.printJson({ event: 'ready', ...shown, discovery_file: file })
  if (!terminal.isTty) return terminal.print(plainText(shown, file))
  const { greeting: formatGreeting } = await import('../greeting.ts')
  const client = connect({ url: shown.url, token, client: 'toolgate-cli' })
  terminal.print(await formatGreeting(terminal, client, { ...options, ...shown, cwd: runtime.cwd }))
}

const plainText = ({ version, roots, url, socket }: Omit<DiscoveryRecord, 'token' | 'call_token'>, file: string) =>
  `Toolgate ${version} serves ${roots.join(', ')}
Listening on ${url}${socket === null ? '' : ` and ${socket}`}
Discovery file: ${file}

Try it:
  ${formatCurlExample(url, file)}`

/** The token goes from the file to curl by a pipe, so that it is in no argument list and no history. */
const formatCurlExample = (url: string, file: string) =>
  `sed -n 's/^ *"token": "\\(.*\\)",$/header = "Authorization: Bearer \\1"/p' ${shellQuote(file)} | curl -s -K - ${url}/tools`
