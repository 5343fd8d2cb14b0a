// Translates the tool call of an agent that asks for permission to a call of Toolgate, which the agent executes.
import type { ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk'
import { quoteArgv } from '../../text/shell-quote.ts'
import type { AgentCall } from '../agent-calls.ts'

const MAX_TITLE_LENGTH = 500
const MAX_NAME_LENGTH = 128

/** Returns the call with the same effect; for a tool without an equivalent, `agent_action`. */
export const toAgentCall = (toolCall: ToolCallUpdate): AgentCall =>
  toEditCall(toolCall) ?? toCommandCall(toolCall) ?? toPathCall(toolCall) ?? toActionCall(toolCall)

/** Returns a call that shows the whole request and leaves its effect to the approver. */
export function toActionCall({ kind, title, name, rawInput, content }: ToolCallUpdate): AgentCall {
  const input = rawInput ?? (content && content.length > 0 ? { content } : undefined)
  return {
    tool: 'agent_action',
    params: {
      name: (name ?? kind ?? 'other').slice(0, MAX_NAME_LENGTH),
      ...(title && { title: title.slice(0, MAX_TITLE_LENGTH) }),
      ...(input !== undefined && { input })
    }
  }
}

type FileDiff = Extract<ToolCallContent, { type: 'diff' }>

function toEditCall({ content }: ToolCallUpdate): AgentCall | undefined {
  const diffs = (content ?? []).filter((each): each is FileDiff => each.type === 'diff')
  const [first, ...others] = diffs
  if (!first) return undefined
  const { path } = first
  if (others.length === 0 && !first.oldText) return { tool: 'write_file', params: { path, content: first.newText } }
  const edits = diffs.map(({ oldText, newText }) => ({ old: oldText ?? '', new: newText }))
  if (others.length === 0) return { tool: 'edit_file', params: { path, ...edits[0] } }
  const isOneFile = diffs.every(diff => diff.path === path && diff.oldText)
  return isOneFile ? { tool: 'multi_edit', params: { path, edits } } : undefined
}

function toCommandCall({ kind, rawInput }: ToolCallUpdate): AgentCall | undefined {
  if (kind !== 'execute') return undefined
  const { command, cwd } = toRecord(rawInput)
  const folder = typeof cwd === 'string' && { cwd }
  if (typeof command === 'string') return { tool: 'shell_exec', params: { command, ...folder } }
  const isArgv = Array.isArray(command) && command.length > 0 && command.every(word => typeof word === 'string')
  return isArgv ? { tool: 'shell_exec', params: { command: quoteArgv(command), ...folder } } : undefined
}

function toPathCall({ kind, rawInput, locations }: ToolCallUpdate): AgentCall | undefined {
  const { url } = toRecord(rawInput)
  if (kind === 'fetch' && typeof url === 'string') return { tool: 'web_fetch', params: { url } }
  const paths = new Set((locations ?? []).map(({ path }) => path))
  const [path] = paths
  if (path === undefined || paths.size > 1) return undefined
  if (kind === 'read') return { tool: 'read_file', params: { path } }
  return kind === 'delete' ? { tool: 'delete_file', params: { path } } : undefined
}

const toRecord = (value: unknown): Record<string, unknown> =>
  value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {}
