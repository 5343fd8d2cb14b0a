// Announces that a server is ready: prints the next steps for people, or one line of JSON for programs.
import { connect } from '../../client/client.ts'
import type { DiscoveryRecord } from '../../server/discovery.ts'
import { quoteArgv } from '../../text/shell-quote.ts'
import type { CliContext } from '../context.ts'
import { httpFetch } from '../http-fetch.ts'

interface ReadyOptions {
  /** `json`: one line for programs. */
  ready?: string | undefined
  state_dir: string
  /** Instruction for stopping the server from this terminal; by default `toolgate stop`. */
  stop?: string
  /** Creates a console login; by default it is requested from the server. */
  makeLogin?: () => { path: string; expires_at: string }
}

/** Prints how to reach the server. Tokens are never printed: `file` contains them. At a terminal a one-time login is. */
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
  const client = connect({ url: shown.url, token, client: 'toolgate-cli', fetch: httpFetch })
  terminal.print(
    await formatGreeting(terminal, client, { ...options, ...shown, cwd: runtime.cwd, searchPath: runtime.env.PATH })
  )
}

const plainText = ({ version, roots, url, socket }: Omit<DiscoveryRecord, 'token' | 'call_token'>, file: string) =>
  `Toolgate ${version} serves ${roots.join(', ')}
Listening on ${url}${socket === null ? '' : ` and ${socket}`}
Discovery file: ${file}

Try it:
  ${formatCurlExample(url, file)}`

/** Pipes the token from the file to curl, so that it is in no argument list and no history. */
const formatCurlExample = (url: string, file: string) =>
  `sed -n 's/^ *"token": "\\(.*\\)",$/header = "Authorization: Bearer \\1"/p' ${quoteArgv([file])} | curl -s -K - ${url}/tools`
