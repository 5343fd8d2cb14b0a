// Tool calls that agents report to their hooks, as calls of Toolgate.
import path from 'node:path'
import type { AgentCall } from '../agent-calls.ts'

type Input = Readonly<Record<string, unknown>>

/** A tool with the same effect. `cwd`: the agent's folder, to which its relative paths refer. */
interface Equivalent {
  tool: string
  params(input: Input, cwd: string): Record<string, unknown>
}

/** Equivalents by the name of the tool of Claude Code. Codex calls its shell tool `Bash`, too. */
const CLAUDE_EQUIVALENTS: ReadonlyMap<string, Equivalent> = new Map([
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

/** Equivalents of all agents. Codex passes a patch as `command`. */
const EQUIVALENTS: ReadonlyMap<string, Equivalent> = new Map([
  ...CLAUDE_EQUIVALENTS,
  [
    'apply_patch',
    {
      tool: 'apply_patch',
      params: ({ command }, cwd) => ({ patch: typeof command === 'string' ? resolvePaths(command, cwd) : command })
    }
  ]
])

/** Names of the tools whose calls a hook decides on before they run, as a pattern for the settings of Claude Code. */
export const DECIDED_TOOLS = [...CLAUDE_EQUIVALENTS.keys()].join('|')

/** Prefix of the tools of Toolgate, whose calls the server decides on itself. */
export const OWN_TOOL_PREFIX = 'mcp__toolgate__'

/** Returns the call with the same effect; undefined if there is none. */
export function toEquivalentCall(tool_name: string, input: Input, cwd: string): AgentCall | undefined {
  const equivalent = EQUIVALENTS.get(tool_name)
  return equivalent && { tool: equivalent.tool, params: equivalent.params(input, cwd) }
}

/** Returns a call that shows the tool and its input, and leaves its effect to the approver. */
export const toReportedCall = (tool_name: string, input: Input): AgentCall => ({
  tool: 'agent_action',
  params: { name: tool_name.slice(0, MAX_NAME_LENGTH), input }
})

const MAX_NAME_LENGTH = 128

/**
 * Makes the paths of a patch absolute: the folder of the agent may be another one than that of the server. Also changes lines of a file
 * that look like a header; such a patch does not apply, so it is not evaluated as if it were another one.
 */
const resolvePaths = (patch: string, cwd: string) =>
  patch.replace(
    /^(\s*\*\*\* (?:(?:Add|Update|Delete) File|Move to):)(.*)$/gm,
    (_, header: string, file: string) => `${header} ${path.resolve(cwd, file.trim())}`
  )

const defined = (params: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined))
