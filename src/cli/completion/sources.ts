// What may stand where, by the place that a verb declares it at, and which verb lists it; places that several verbs have are
// told once.
import { brief } from '../ui/terminal.ts'

/** A value with what it means. */
export type Value = readonly [value: string, means: string]

/** Asks the project's server; throws where there is none. */
export type Ask = (path: string) => Promise<unknown>

/** `operands`: what stands before it. */
export type Values = (ask: Ask, operands: readonly string[]) => Promise<readonly Value[]> | readonly Value[]

const just =
  (...names: readonly string[]): Values =>
  () =>
    names.map(name => [name, ''] as const)

interface Call {
  tool_call_id: string
  tool: string
  status: string
  approval?: { preview: { title: string } }
  changes?: unknown[]
}
interface Job {
  task_id: string
  command: string
  status: string
}
interface State {
  pending: Call[]
  running: Call[]
  jobs: Job[]
  sessions: Record<string, string>
}
interface Tool {
  name: string
  description: string
  input: { properties?: Record<string, { description?: string; type?: string }> }
}
interface Rule {
  rule_id: string
  effect: string
  match: unknown
}

const asState = async (ask: Ask) => (await ask('/state')) as State
const asTools = async (ask: Ask) => ((await ask('/tools')) as { tools: Tool[] }).tools

const ofCall = ({ tool_call_id, tool, status, approval }: Call): Value => [
  tool_call_id,
  brief(approval?.preview.title ?? `${tool} ${status}`, 60)
]
const ofJob = ({ task_id, command }: Job): Value => [task_id, brief(command, 60)]

const pending: Values = async ask => (await asState(ask)).pending.map(ofCall)
const running: Values = async ask => (await asState(ask)).running.map(ofCall)
const jobs: Values = async ask => ((await ask('/jobs')) as { jobs: Job[] }).jobs.map(ofJob)
const runningJobs: Values = async ask => (await asState(ask)).jobs.map(ofJob)
const open: Values = async ask => {
  const state = await asState(ask)
  return [...[...state.pending, ...state.running].map(ofCall), ...state.jobs.map(ofJob)]
}
const latest = async (ask: Ask) => ((await ask('/calls?limit=50')) as { calls: Call[] }).calls
const recent: Values = async ask => (await latest(ask)).map(ofCall)
const undoable: Values = async ask => (await latest(ask)).filter(({ changes = [] }) => changes.length > 0).map(ofCall)
const tools: Values = async ask => (await asTools(ask)).map(({ name, description }) => [name, brief(description, 60)])
const rules: Values = async ask =>
  ((await ask('/rules')) as { rules: Rule[] }).rules.map(({ rule_id, effect, match }) => [
    rule_id,
    brief(`${effect} ${JSON.stringify(match)}`, 60)
  ])
const mcpServers: Values = async ask =>
  ((await ask('/mcp-servers')) as { servers: { name: string; state: string }[] }).servers.map(({ name, state }) => [
    name,
    state
  ])
const tokens: Values = async ask =>
  ((await ask('/tokens')) as { tokens: { token_id: string; name: string }[] }).tokens.map(({ token_id, name }) => [
    token_id,
    brief(name, 60)
  ])
const settings: Values = async () => {
  const { settingPaths } = await import('../../config/effective-settings.ts')
  return settingPaths().map(name => [name, ''] as const)
}

/** Names that have not been given yet, each to be followed by its value. */
const params: Values = async (ask, [tool = '', ...given]) => {
  const found = (await asTools(ask)).find(({ name }) => name === tool)
  return Object.entries(found?.input.properties ?? {})
    .filter(([name]) => !given.some(word => word.startsWith(`${name}=`)))
    .map(([name, { description = '' }]) => [`${name}=`, brief(description, 60)])
}

const FILES: Values = () => [[':files', '']]
const FOLDERS: Values = () => [[':folders', '']]

/** By the verb and the name of its argument. */
export const ARGUMENTS: Readonly<Record<string, Values>> = {
  'approve id': pending,
  'reject id': pending,
  'cancel id': open,
  'show id': recent,
  'undo id': undoable,
  'background id': running,
  'logs task': jobs,
  'jobs logs task': jobs,
  'input task': runningJobs,
  'call tool': tools,
  'call params': params,
  'explain tool': tools,
  'explain params': params,
  'tools name': tools,
  'rules add effect': just('allow', 'ask', 'deny'),
  'rules revoke id': rules,
  'token revoke id': tokens,
  'trust file': FILES,
  'config get setting': settings,
  'config set setting': settings,
  'config unset setting': settings,
  'completion shell': just('bash', 'zsh', 'fish'),
  'mcp login name': mcpServers,
  'mcp logout name': mcpServers,
  'mcp restart name': mcpServers
}

/** Told to whoever names what is not there. */
export const LISTED_BY: ReadonlyMap<Values, string> = new Map([
  [pending, 'toolgate approvals'],
  [open, 'toolgate approvals, or toolgate jobs'],
  [running, 'toolgate audit --since 1h'],
  [recent, 'toolgate audit'],
  [undoable, 'toolgate audit'],
  [jobs, 'toolgate jobs --all'],
  [runningJobs, 'toolgate jobs'],
  [tools, 'toolgate tools'],
  [rules, 'toolgate rules'],
  [tokens, 'toolgate token list'],
  [mcpServers, 'toolgate mcp list']
])

/** By the flag, whichever verb has it. */
export const FLAGS: Readonly<Record<string, Values>> = {
  '--root': FOLDERS,
  '--token-file': FILES,
  '--call-token-file': FILES,
  '--tool': tools,
  '--session': async ask => Object.entries((await asState(ask)).sessions),
  '--log-level': just('trace', 'debug', 'info', 'warn', 'error', 'silent'),
  '--ready': just('json'),
  '--format': just('env'),
  '--stream': just('stdout', 'stderr'),
  '--isolation': just('none', 'workspace', 'strict'),
  '--effect': just('read', 'create', 'write', 'execute', 'network', 'destructive'),
  '--scope': just('session', 'workspace', 'user'),
  '--decision': just('auto', 'rule', 'approved', 'rejected', 'denied', 'expired', 'withdrawn', 'waiting'),
  '--editor': just('emacs', 'nvim', 'vscode', 'mcp'),
  '--type': just(
    'tool.call',
    'tool.decision',
    'tool.progress',
    'tool.result',
    'file.changed',
    'job.started',
    'job.exited'
  )
}
