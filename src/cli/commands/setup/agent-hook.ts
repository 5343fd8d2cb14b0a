// Decides on a tool call that an agent reports to a hook: its rules and approvals are those of the server.
import { text } from 'node:stream/consumers'
import { parseObject } from '../../../text/json-object.ts'
import { type AgentCall, decideOnEquivalent, formatRefusal, runAgentCall } from '../../agent-calls.ts'
import { OWN_TOOL_PREFIX, toEquivalentCall, toReportedCall } from '../../agent-hook/tool-call.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import type { EndedCall } from '../../ended-call.ts'
import { CliError, usageError } from '../../exit.ts'
import { httpFetch } from '../../http-fetch.ts'

interface Options {
  agent?: string
}

interface HookInput {
  hook_event_name: string
  session_id: string
  /** Absolute path of the agent's folder. */
  cwd: string
  tool_name: string
  tool_input: Record<string, unknown>
}

/** A decision; undefined leaves it to the agent. */
type Decision = { allow: true } | { allow: false; reason: string } | undefined

const agentHook: CommandSetup = (command, context) => {
  command
    .description(
      'Decide on a tool call of an agent: a hook for the events PreToolUse and PermissionRequest of Claude Code, and PermissionRequest of Codex. Reads the event as JSON from standard input.'
    )
    .option('--agent <name>', 'name of the agent, which selects its rules')
    .addHelpText(
      'after',
      `
The call is a call of the server that the agent executes: rules decide on it, or it waits for a person. If the server cannot be
reached, the call is denied. toolgate setup claude-code and toolgate setup codex add the hooks.

Examples:
  toolgate agent-hook --root ~/app < event.json`
    )
    .action(async ({ agent }: Options) => {
      context.handleInterrupt()
      const input = parseInput(await text(context.runtime.stdin))
      const decision = await decide(context, input, agent).catch(toDenial)
      const format = FORMATS.get(input.hook_event_name)
      const output = decision && format?.(decision)
      if (output) context.terminal.print(JSON.stringify({ hookSpecificOutput: output }))
    })
}
export default agentHook

function parseInput(json: string): HookInput {
  const { hook_event_name, session_id, cwd, tool_name, tool_input } = parseObject(json) ?? {}
  const names = [hook_event_name, session_id, tool_name]
  if (!names.every(name => typeof name === 'string') || typeof tool_input !== 'object' || tool_input === null)
    throw usageError(
      'Standard input is not an event of a hook: hook_event_name, session_id, tool_name and tool_input are required.'
    )
  return {
    hook_event_name,
    session_id,
    cwd: typeof cwd === 'string' ? cwd : process.cwd(),
    tool_name,
    tool_input
  } as HookInput
}

/** Forms of a decision by event. */
const FORMATS = new Map<string, (decision: NonNullable<Decision>) => object>([
  [
    'PreToolUse',
    decision => ({
      hookEventName: 'PreToolUse',
      permissionDecision: decision.allow ? 'allow' : 'deny',
      permissionDecisionReason: decision.allow ? 'Allowed by Toolgate.' : decision.reason
    })
  ],
  [
    'PermissionRequest',
    decision => ({
      hookEventName: 'PermissionRequest',
      decision: decision.allow ? { behavior: 'allow' } : { behavior: 'deny', message: decision.reason }
    })
  ]
])

async function decide(context: CliContext, input: HookInput, agent: string | undefined): Promise<Decision> {
  const { hook_event_name, session_id, cwd, tool_name, tool_input } = input
  const isRequest = hook_event_name === 'PermissionRequest'
  if (tool_name.startsWith(OWN_TOOL_PREFIX)) return isRequest ? { allow: true } : undefined
  const calls = await connectToSubmit(context)
  const session = { session_id: `${agent ?? 'agent'}-${session_id}`, agent, calls }
  const equivalent = toEquivalentCall(tool_name, tool_input, cwd)
  const decided = equivalent && (await decideOnEquivalent(session, equivalent, context.signal))
  if (decided) return toDecision(decided)
  // The agent decides on any other call; if it asks, a person decides here.
  if (!isRequest) return undefined
  const action: AgentCall = { ...toReportedCall(tool_name, tool_input), executor: 'client' }
  return toDecision(await runAgentCall(session, action, context.signal))
}

function toDecision(call: EndedCall): Decision {
  if (call.status !== 'success') return { allow: false, reason: formatRefusal(call) }
  if (call.requested_params === undefined) return { allow: true }
  const changed = JSON.stringify(call.params)
  return { allow: false, reason: `The approver changed the parameters. Use these instead: ${changed}` }
}

const toDenial = (error: unknown): Decision => ({
  allow: false,
  reason: `Toolgate could not decide on the call: ${(error as Error).message}${error instanceof CliError && error.hint ? ` ${error.hint}` : ''}`
})

/** Connects with the token that can only submit calls. */
async function connectToSubmit(context: CliContext) {
  const find = async () => {
    const { url, token, record } = await context.findServer()
    return { url, token: record?.call_token ?? token }
  }
  const { connect } = await import('../../../client/client.ts')
  return connect({ ...(await find()), client: 'toolgate-agent-hook', rediscover: find, fetch: httpFetch })
}
