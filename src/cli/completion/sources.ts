// Completion sources by argument, and the command that lists the values; arguments that several commands share are declared once.
import { SESSION_MODES } from '../../protocol/session-mode.ts'
import { toSingleLine } from '../ui/terminal.ts'

/** A value with its description. */
export type CompletionValue = readonly [value: string, means: string]

/** Fetches JSON from the project's server; throws if there is none. */
export type FetchJson = (path: string) => Promise<unknown>

/** `operands`: the preceding operands. */
export type CompletionSource = (
  ask: FetchJson,
  operands: readonly string[]
) => Promise<readonly CompletionValue[]> | readonly CompletionValue[]

const staticValues =
  (...names: readonly string[]): CompletionSource =>
  () =>
    names.map(name => [name, ''] as const)

interface Call {
  tool_call_id: string
  tool: string
  status: string
  session_id: string
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

const fetchState = async (ask: FetchJson) => (await ask('/state')) as State
const fetchTools = async (ask: FetchJson) => ((await ask('/tools')) as { tools: Tool[] }).tools

const toCallValue = ({ tool_call_id, tool, status, approval }: Call): CompletionValue => [
  tool_call_id,
  toSingleLine(approval?.preview.title ?? `${tool} ${status}`, 60)
]
const toJobValue = ({ task_id, command }: Job): CompletionValue => [task_id, toSingleLine(command, 60)]

const pending: CompletionSource = async ask => (await fetchState(ask)).pending.map(toCallValue)
const running: CompletionSource = async ask => (await fetchState(ask)).running.map(toCallValue)
const jobs: CompletionSource = async ask => ((await ask('/jobs')) as { jobs: Job[] }).jobs.map(toJobValue)
const runningJobs: CompletionSource = async ask => (await fetchState(ask)).jobs.map(toJobValue)
const cancellable: CompletionSource = async ask => {
  const state = await fetchState(ask)
  return [...[...state.pending, ...state.running].map(toCallValue), ...state.jobs.map(toJobValue)]
}
const fetchRecentCalls = async (ask: FetchJson) => ((await ask('/calls?limit=50')) as { calls: Call[] }).calls
const recent: CompletionSource = async ask => (await fetchRecentCalls(ask)).map(toCallValue)
const undoable: CompletionSource = async ask =>
  (await fetchRecentCalls(ask)).filter(({ changes = [] }) => changes.length > 0).map(toCallValue)
const recentSessions: CompletionSource = async ask =>
  [...new Set((await fetchRecentCalls(ask)).map(({ session_id }) => session_id))].map(id => [id, ''])
const tools: CompletionSource = async ask =>
  (await fetchTools(ask)).map(({ name, description }) => [name, toSingleLine(description, 60)])
const rules: CompletionSource = async ask =>
  ((await ask('/rules')) as { rules: Rule[] }).rules.map(({ rule_id, effect, match }) => [
    rule_id,
    toSingleLine(`${effect} ${JSON.stringify(match)}`, 60)
  ])
const mcpServers: CompletionSource = async ask =>
  ((await ask('/mcp-servers')) as { servers: { name: string; state: string }[] }).servers.map(({ name, state }) => [
    name,
    state
  ])
const tokens: CompletionSource = async ask =>
  ((await ask('/tokens')) as { tokens: { token_id: string; name: string }[] }).tokens.map(({ token_id, name }) => [
    token_id,
    toSingleLine(name, 60)
  ])
const settings: CompletionSource = async () => {
  const { settingPaths } = await import('../../config/effective-settings.ts')
  return settingPaths().map(name => [name, ''] as const)
}

/** Completes names that have not been given yet, each to be followed by its value. */
const params: CompletionSource = async (ask, [tool = '', ...given]) => {
  const found = (await fetchTools(ask)).find(({ name }) => name === tool)
  return Object.entries(found?.input.properties ?? {})
    .filter(([name]) => !given.some(word => word.startsWith(`${name}=`)))
    .map(([name, { description = '' }]) => [`${name}=`, toSingleLine(description, 60)])
}

const completeFiles: CompletionSource = () => [[':files', '']]
const completeFolders: CompletionSource = () => [[':folders', '']]

/** By command and argument. */
export const ARGUMENT_SOURCES: Readonly<Record<string, CompletionSource>> = {
  'approve id': pending,
  'reject id': pending,
  'cancel id': cancellable,
  'show id': recent,
  'undo id': undoable,
  'changes session': recentSessions,
  'background id': running,
  'logs task': jobs,
  'jobs logs task': jobs,
  'input task': runningJobs,
  'open task': runningJobs,
  'call tool': tools,
  'call params': params,
  'explain tool': tools,
  'explain params': params,
  'tools name': tools,
  'rules add effect': staticValues('allow', 'ask', 'deny'),
  'rules import file': completeFiles,
  'rules test effect': staticValues('allow', 'ask', 'deny'),
  'rules revoke id': rules,
  'token revoke id': tokens,
  'trust file': completeFiles,
  'config get setting': settings,
  'config set setting': settings,
  'config unset setting': settings,
  'completion shell': staticValues('bash', 'zsh', 'fish'),
  'mcp login name': mcpServers,
  'mcp logout name': mcpServers,
  'mcp restart name': mcpServers
}

/** Commands in the hint for an unknown name. */
export const LISTING_COMMANDS: ReadonlyMap<CompletionSource, string> = new Map([
  [pending, 'toolgate approvals'],
  [cancellable, 'toolgate approvals, or toolgate jobs'],
  [running, 'toolgate audit --since 1h'],
  [recent, 'toolgate audit'],
  [undoable, 'toolgate audit'],
  [recentSessions, 'toolgate audit'],
  [jobs, 'toolgate jobs --all'],
  [runningJobs, 'toolgate jobs'],
  [tools, 'toolgate tools'],
  [rules, 'toolgate rules'],
  [tokens, 'toolgate token list'],
  [mcpServers, 'toolgate mcp list']
])

/** By flag, for all commands. */
export const FLAG_SOURCES: Readonly<Record<string, CompletionSource>> = {
  '--root': completeFolders,
  '--token-file': completeFiles,
  '--call-token-file': completeFiles,
  '--tool': tools,
  '--session': async ask => Object.entries((await fetchState(ask)).sessions),
  '--log-level': staticValues('trace', 'debug', 'info', 'warn', 'error', 'silent'),
  '--ready': staticValues('json'),
  '--format': staticValues('env'),
  '--stream': staticValues('stdout', 'stderr'),
  '--isolation': staticValues('none', 'workspace', 'read-only'),
  '--effect': staticValues('read', 'create', 'write', 'execute', 'network', 'destructive'),
  '--from': async () =>
    Object.keys((await import('../rules-import/policy-formats.ts')).POLICY_FORMATS).map(name => [name, ''] as const),
  '--mode': staticValues(...SESSION_MODES),
  '--revoke': rules,
  '--scope': staticValues('session', 'workspace', 'user'),
  '--decision': staticValues('auto', 'rule', 'approved', 'rejected', 'denied', 'expired', 'withdrawn', 'waiting'),
  '--editor': staticValues('emacs', 'nvim', 'vscode', 'mcp'),
  '--type': staticValues(
    'tool.call',
    'tool.decision',
    'tool.progress',
    'tool.result',
    'file.changed',
    'job.started',
    'job.exited'
  )
}
