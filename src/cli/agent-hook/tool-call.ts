// Tool calls that agents report to their hooks, as calls of Toolgate. The names are those of Claude Code; Codex uses the same ones.
import type { AgentCall } from '../agent-calls.ts'

type Input = Readonly<Record<string, unknown>>

/** Returns the params of the equivalent tool. */
type ParamsOf = (input: Input) => Record<string, unknown>

/** Equivalents by the name of the agent's tool. */
const EQUIVALENTS: ReadonlyMap<string, { tool: string; params: ParamsOf }> = new Map([
  ['Bash', { tool: 'shell_exec', params: ({ command, description }) => defined({ command, description }) }],
  [
    'Edit',
    {
      tool: 'edit_file',
      params: ({ file_path, old_string, new_string, replace_all }) =>
        defined({ path: file_path, old: old_string, new: new_string, replace_all })
    }
  ],
  ['Write', { tool: 'write_file', params: ({ file_path, content }) => defined({ path: file_path, content }) }],
  ['Read', { tool: 'read_file', params: ({ file_path }) => defined({ path: file_path }) }],
  ['WebFetch', { tool: 'web_fetch', params: ({ url }) => defined({ url }) }],
  ['WebSearch', { tool: 'web_search', params: ({ query }) => defined({ query }) }]
])

/** Names of the tools whose calls a hook decides on before they run, as a pattern for the settings of Claude Code. */
export const DECIDED_TOOLS = [...EQUIVALENTS.keys()].join('|')

/** Prefix of the tools of Toolgate, whose calls the server decides on itself. */
export const OWN_TOOL_PREFIX = 'mcp__toolgate__'

/** Returns the call with the same effect; undefined if there is none. */
export function toEquivalentCall(tool_name: string, input: Input): AgentCall | undefined {
  const equivalent = EQUIVALENTS.get(tool_name)
  return equivalent && { tool: equivalent.tool, params: equivalent.params(input) }
}

/** Returns a call that shows the tool and its input, and leaves its effect to the approver. */
export const toReportedCall = (tool_name: string, input: Input): AgentCall => ({
  tool: 'agent_action',
  params: { name: tool_name.slice(0, MAX_NAME_LENGTH), input }
})

const MAX_NAME_LENGTH = 128

const defined = (params: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined))
