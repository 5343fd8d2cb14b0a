// What a server answers, in our words.
import type { CallToolResult, ContentBlock, Progress } from '@modelcontextprotocol/client'
import { ToolError } from '../../errors.ts'
import type { McpAnswer, McpBlock, McpProgress } from './mcp-client.ts'
import { tameText } from './sanitize.ts'
import type { DefinedTool } from './tool-definitions.ts'

const LONGEST_MESSAGE = 1_000
const LONGEST_ERROR = 20_000

/** A fault of a server that trying again does not cure. */
export class McpFault extends ToolError {
  constructor(message: string, details: Record<string, unknown>, options?: ErrorOptions) {
    super('MCP_ERROR', message, details, options)
  }

  override get recoverable() {
    return false
  }
}

/** Throws MCP_ERROR where the server says that it failed, or gives something else than it said it would. */
export function answerOf(result: CallToolResult, { server, name, answers }: DefinedTool): McpAnswer {
  const blocks = (result.content ?? []).map(blockOf)
  const { structuredContent: structured } = result
  const about = { server, tool: name }
  if (result.isError) {
    const said = blocks.flatMap(block => ('text' in block && block.text ? [block.text] : [])).join('\n')
    throw new McpFault(said.slice(0, LONGEST_ERROR).toWellFormed() || `${name} failed and did not say why.`, about)
  }
  if (!answers) return { blocks, ...(structured !== undefined && { structured }) }
  if (structured === undefined)
    throw new McpFault(`${name} gave no structured answer, although it says that it does.`, about)
  const [fault] = answers.faults(structured) ?? []
  if (fault)
    throw new McpFault(
      `${name} gave an answer that is not as it says: ${fault.instancePath || 'it'} ${fault.message}.`,
      about
    )
  return { blocks, structured }
}

function blockOf(block: ContentBlock): McpBlock {
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
        uri: tameText(uri),
        name: tameText(name),
        ...(description !== undefined && { description: tameText(description) }),
        ...(mimeType !== undefined && { media_type: tameText(mimeType) })
      }
    }
    case 'resource': {
      const { uri, mimeType } = block.resource
      return {
        type: 'resource',
        uri: tameText(uri),
        ...(mimeType !== undefined && { media_type: tameText(mimeType) }),
        ...('text' in block.resource ? { text: block.resource.text } : { bytes: block.resource.blob })
      }
    }
  }
}

/** A step as the server counts it, from 0 to 1 where it says how many there are. */
export function progressOf({ progress, total, message }: Progress): McpProgress {
  const share = total !== undefined && total > 0 ? progress / total : undefined
  const said = message ?? (share === undefined ? `${progress}` : undefined)
  return {
    ...(share !== undefined && Number.isFinite(share) && { progress: Math.min(1, Math.max(0, share)) }),
    ...(said !== undefined && messageOf(said))
  }
}

export const messageOf = (text: string): McpProgress => ({ message: tameText(text, LONGEST_MESSAGE) })
