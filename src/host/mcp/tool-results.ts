// Converts results of MCP servers.
import type { Progress } from '@modelcontextprotocol/client'
import { ToolError } from '../../errors.ts'
import { readContent } from './call-content.ts'
import { readMarkedNumbers } from './exact-numbers.ts'
import type { McpProgress, McpToolResult } from './mcp-client.ts'
import { sanitizeText } from './sanitize.ts'
import type { McpToolDefinition } from './tool-definitions.ts'

const MAX_MESSAGE_CHARACTERS = 1_000
const MAX_ERROR_CHARACTERS = 20_000

/** A server error that retries do not resolve. */
export class PermanentMcpError extends ToolError {
  constructor(message: string, details: Record<string, unknown>, options?: ErrorOptions) {
    super('MCP_ERROR', message, details, { ...options, recoverable: false })
  }
}

/** Throws MCP_ERROR if the server reports a failure, or the structured content does not match its schema. */
export function toToolResult(
  result: Record<string, unknown>,
  { server, name, outputValidator }: McpToolDefinition
): McpToolResult {
  const { blocks, notes } = readContent(result.content)
  const about = { server, tool: name }
  if (result.isError === true || result.isError === 'true') {
    const message = blocks.flatMap(block => ('text' in block && block.text ? [block.text] : [])).join('\n')
    throw new PermanentMcpError(
      message.slice(0, MAX_ERROR_CHARACTERS).toWellFormed() || `${name} failed without an error message.`,
      about
    )
  }
  const { exact: structured, rounded, pointers } = readMarkedNumbers(result.structuredContent)
  if (pointers.length > 0)
    notes.push(
      `The data has numbers that cannot be represented exactly; these numbers are given as strings: ${formatPointers(pointers)}.`
    )
  const answer = { blocks, ...(structured !== undefined && { structured }), ...(notes.length > 0 && { notes }) }
  if (!outputValidator) return answer
  if (structured === undefined)
    throw new PermanentMcpError(`${name} returned no structured content, although it declares an output schema.`, about)
  const [issue] = outputValidator.validate(rounded) ?? []
  if (issue)
    throw new PermanentMcpError(
      `${name} returned a result that does not match its output schema: ${issue.instancePath || 'it'} ${issue.message}.`,
      about
    )
  return answer
}

const MAX_POINTERS = 10
const MAX_POINTER_CHARACTERS = 100

const formatPointers = (pointers: readonly string[]) =>
  pointers
    .slice(0, MAX_POINTERS)
    .map(pointer => sanitizeText(pointer, MAX_POINTER_CHARACTERS) || 'the whole data')
    .join(', ') + (pointers.length > MAX_POINTERS ? ` and ${pointers.length - MAX_POINTERS} more` : '')

/** Converts progress to a value from 0 to 1 if the total is known. */
export function toMcpProgress({ progress, total, message }: Progress): McpProgress {
  const share = total !== undefined && total > 0 ? progress / total : undefined
  const text = message ?? (share === undefined ? `${progress}` : undefined)
  return {
    ...(share !== undefined && Number.isFinite(share) && { progress: Math.min(1, Math.max(0, share)) }),
    ...(text !== undefined && toMcpMessage(text))
  }
}

export const toMcpMessage = (text: string): McpProgress => ({ message: sanitizeText(text, MAX_MESSAGE_CHARACTERS) })
