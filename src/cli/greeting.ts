// Greeting at a terminal when a server is ready, in at most eight lines.
import type { Client } from '../client/client.ts'
import { isProgramAvailable } from '../host/processes/find-program.ts'
import { isWithin } from '../host/sandbox/path-within.ts'
import { packageFolder } from '../host/user-file.ts'
import type { IsolationLevel } from '../protocol/isolation-levels.ts'
import type { DiscoveryRecord } from '../server/discovery.ts'
import { logFilePath } from '../server/log-file.ts'
import { escapeInvisible } from '../text/escape-invisible.ts'
import { quoteArgv } from '../text/shell-quote.ts'
import { isSourceCheckout } from './launch-command.ts'
import { formatClock } from './ui/format-time.ts'
import type { Terminal } from './ui/terminal.ts'

interface Greeting extends Pick<DiscoveryRecord, 'version' | 'roots' | 'url'> {
  state_dir: string
  stop?: string
  makeLogin?: () => { path: string; expires_at: string }
  cwd: string
  searchPath: string | undefined
}

/** Timeout for the server's answers, in milliseconds: longer than the sandbox self-test may take, which they wait for. */
const ANSWERS_TIMEOUT_MS = 30_000

/**
 * Returns the console's address with a one-time login, the effects that run with and without approval, and the next steps. Omits
 * what the server does not answer in time.
 */
export async function greeting(terminal: Terminal, client: Client, options: Greeting): Promise<string> {
  const { version, roots, url, state_dir, cwd } = options
  const signal = AbortSignal.timeout(ANSWERS_TIMEOUT_MS)
  const [login, capabilities, waiting] = await Promise.all([
    options.makeLogin?.() ?? client.createOneTimeCode({ signal }).catch(() => undefined),
    client.capabilities({ signal }).catch(() => undefined),
    client.approvals({ signal }).catch(() => [])
  ])
  const folder = packageFolder()
  const root = roots.some(folder => isWithin(cwd, folder)) ? '' : ` --root ${quoteArgv([roots[0]!])}`
  const rows = [
    ['Console', login ? `${url}${login.path} (until ${formatClock(login.expires_at)})` : url],
    ...policyRows(capabilities as Capabilities | undefined),
    ...(isSourceCheckout(folder) && !isProgramAvailable('toolgate', { PATH: options.searchPath ?? '' })
      ? [['Command', `toolgate is not on your PATH; to add it: npm link (in ${folder})`]]
      : []),
    ['Approve', `${waitingText(waiting.length)}toolgate approve${root}`],
    ['Log', logFilePath(state_dir)],
    ['Stop', options.stop ?? `toolgate stop${root}`]
  ]
  const lines = rows.map(
    ([name = '', text = '']) => `  ${terminal.paint('bold', name.padEnd(7))}  ${escapeInvisible(text)}\n`
  )
  return `Toolgate ${version} serves ${escapeInvisible(roots.join(', '))}\n${lines.join('')}`
}

interface Capabilities {
  read_only: boolean
  isolation: { default: IsolationLevel }
}

/** Lists the effects that run with and without approval by default. */
function policyRows(capabilities: Capabilities | undefined): string[][] {
  if (!capabilities) return []
  if (capabilities.read_only)
    return [
      ['Runs', 'reads and searches'],
      ['Refuses', 'everything else: the server is read-only']
    ]
  const where = RUN_WHERE[capabilities.isolation.default]
  return where === undefined
    ? [
        ['Runs', 'reads and searches, new files'],
        ['Asks', 'changes to files, every command (there is no sandbox: see toolgate doctor), network access']
      ]
    : [
        ['Runs', `reads and searches, new files, read-only commands (in ${where})`],
        ['Asks', 'changes to files, other commands, network access']
      ]
}

/** Places in which commands run without approval, by the default level; none with `none`. */
const RUN_WHERE: Partial<Record<IsolationLevel, string>> = {
  workspace: 'the sandbox',
  'read-only': 'the sandbox',
  container: 'this container'
}

const waitingText = (count: number) =>
  count === 0
    ? 'in the console, in your editor, or with: '
    : count === 1
      ? '1 call is waiting: '
      : `${count} calls are waiting: `
