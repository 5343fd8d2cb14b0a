// Telling that a server is ready: to people with a first command to copy, to programs as one line of JSON.

import { isBeneath } from '../host/sandbox/beneath.ts'
import type { Discovery } from '../host/server/discovery.ts'
import { logFileOf } from '../host/server/log-file.ts'
import { packageFolder } from '../host/user-file.ts'
import type { Context } from './context.ts'
import { programOf } from './own-program.ts'

interface Telling {
  ready?: string
  state_dir: string
  /** How a person ends it that has this terminal. */
  ends?: string
}

/** The tokens themselves are never printed: `file` holds them. */
export function tellReady(context: Context, record: Discovery, file: string, { ready, ...telling }: Telling): void {
  const { token: _, call_token: __, ...shown } = record
  const { terminal, world } = context
  if (ready === 'json' || terminal.json) terminal.outJson({ event: 'ready', ...shown, discovery_file: file })
  else if (terminal.isTerminal) terminal.out(greeting(shown, { ...telling, cwd: world.cwd }))
  else terminal.out(welcome(shown, file))
}

interface Greeting extends Omit<Telling, 'ready'> {
  cwd: string
}

function greeting({ version, roots, url, socket }: Shown, { state_dir, ends, cwd }: Greeting): string {
  const { command, before } = programOf(packageFolder())
  const root = roots.some(folder => isBeneath(cwd, folder)) ? '' : ` --root ${quoted(roots[0]!)}`
  const lines = [
    ['at', `${url}${socket === null ? '' : ` and ${socket}`}`],
    ...(before.length > 0 ? [['first', `toolgate() { ${[command, ...before].map(quoted).join(' ')} "$@"; }`]] : []),
    ['console', `toolgate open${root}`],
    ['decide', `toolgate approve${root}`],
    ['log', logFileOf(state_dir)],
    ['stop', ends ?? `toolgate stop${root}`]
  ]
  const rows = lines.map(([name = '', text]) => `  ${name.padEnd(7)}  ${text}\n`)
  return `Toolgate ${version} serves ${roots.join(', ')}\n${rows.join('')}`
}

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
