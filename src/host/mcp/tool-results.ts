// Converts results of MCP servers.
import type { CallToolResult, ContentBlock, Progress } from '@modelcontextprotocol/client'
import { ToolError } from '../../errors.ts'
import type { McpContentBlock, McpProgress, McpToolResult } from './mcp-client.ts'
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

/** Throws MCP_ERROR if the server reports a failure, or the result does not match its schema. */
export function toToolResult(
  result: CallToolResult,
  { server, name, outputValidator }: McpToolDefinition
): McpToolResult {
  const blocks = (result.content ?? []).map(toContentBlock)
  const { structuredContent: structured } = result
  const about = { server, tool: name }
  if (result.isError) {
    const message = blocks.flatMap(block => ('text' in block && block.text ? [block.text] : [])).join('\n')
    throw new PermanentMcpError(
      message.slice(0, MAX_ERROR_CHARACTERS).toWellFormed() || `${name} failed and did not say why.`,
      about
    )
  }
  if (!outputValidator) return { blocks, ...(structured !== undefined && { structured }) }
  if (structured === undefined)
    throw new PermanentMcpError(`${name} gave no structured answer, although it says that it does.`, about)
  const [issue] = outputValidator.validate(structured) ?? []
  if (issue)
    throw new PermanentMcpError(
      `${name} gave an answer that is not as it says: ${issue.instancePath || 'it'} ${issue.message}.`,
      about
    )
  return { blocks, structured }
}

function toContentBlock(block: ContentBlock): McpContentBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
    case 'audio':
      return { type: block.type, media_type: block.mimeType, bytes: block.data }
    case 'resource_link': {
      const { uri, name, description, mimeType } = block
      return {
        type: 'link',
        uri: sanitizeText(uri),
        name: sanitizeText(name),
        ...(description !== undefined && { description: sanitizeText(description) }),
        ...(mimeType !== undefined && { media_type: sanitizeText(mimeType) })
      }
    }
    case 'resource': {
      const { uri, mimeType } = block.resource
      return {
        type: 'resource',
        uri: sanitizeText(uri),
        ...(mimeType !== undefined && { media_type: sanitizeText(mimeType) }),
        ...('text' in block.resource ? { text: block.resource.text } : { bytes: block.resource.blob })
      }
    }
  }
}

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
