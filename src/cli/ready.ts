// Telling that a server is ready: to people with a first command to copy, to programs as one line of JSON.
import type { Discovery } from '../host/server/discovery.ts'
import { logFileOf } from '../host/server/log-file.ts'
import type { Context } from './context.ts'

interface Telling {
  ready?: string
  /** Given by a server that has just started. */
  state_dir?: string
}

/** The tokens themselves are never printed: `file` holds them. */
export function tellReady(context: Context, record: Discovery, file: string, { ready, state_dir }: Telling): void {
  const { token: _, call_token: __, ...shown } = record
  const { terminal } = context
  if (ready === 'json' || terminal.json) terminal.outJson({ event: 'ready', ...shown, discovery_file: file })
  else if (state_dir !== undefined && terminal.isLive) terminal.out(greeting(shown, logFileOf(state_dir)))
  else terminal.out(welcome(shown, file))
}

const greeting = ({ version, roots, url, socket }: Shown, log: string) =>
  `Toolgate ${version} serves ${roots.join(', ')}
  at       ${url}${socket === null ? '' : ` and ${socket}`}
  console  toolgate open
  decide   toolgate approve
  log      ${log}
  stop     Ctrl+C
`

type Shown = Omit<Discovery, 'token' | 'call_token'>

const welcome = ({ version, roots, url, socket }: Shown, file: string) =>
  `Toolgate ${version} serves ${roots.join(', ')}
Listening on ${url}${socket === null ? '' : ` and ${socket}`}
Told to clients in ${file}

Try it:
  ${curl(url, file)}`

/** The token goes from the file to curl by a pipe, so that it is in no argument list and no history. */
const curl = (url: string, file: string) =>
  `sed -n 's/^ *"token": "\\(.*\\)",$/header = "Authorization: Bearer \\1"/p' ${quoted(file)} | curl -s -K - ${url}/tools`

const quoted = (text: string) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
