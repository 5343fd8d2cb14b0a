// Announces that a server is ready: to people what to do next, to programs one line of JSON.
import { connect } from '../../client/client.ts'
import type { Discovery } from '../../server/discovery.ts'
import type { Context } from '../context.ts'

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
  context: Context,
  record: Discovery,
  file: string,
  { ready, ...options }: ReadyOptions
): Promise<void> {
  const { token, call_token: _, ...shown } = record
  const { terminal, world } = context
  if (ready === 'json' || terminal.json) return terminal.outJson({ event: 'ready', ...shown, discovery_file: file })
  if (!terminal.isTerminal) return terminal.out(plainText(shown, file))
  const { greeting } = await import('../greeting.ts')
  const client = connect({ url: shown.url, token, client: 'toolgate-cli' })
  terminal.out(await greeting(terminal, client, { ...options, ...shown, cwd: world.cwd }))
}

const plainText = ({ version, roots, url, socket }: Omit<Discovery, 'token' | 'call_token'>, file: string) =>
  `Toolgate ${version} serves ${roots.join(', ')}
Listening on ${url}${socket === null ? '' : ` and ${socket}`}
Discovery file: ${file}

Try it:
  ${curl(url, file)}`

/** The token goes from the file to curl by a pipe, so that it is in no argument list and no history. */
const curl = (url: string, file: string) =>
  `sed -n 's/^ *"token": "\\(.*\\)",$/header = "Authorization: Bearer \\1"/p' ${quoted(file)} | curl -s -K - ${url}/tools`

/** Quotes a word for a POSIX shell. */
export const quoted = (text: string) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
