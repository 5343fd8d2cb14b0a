// Calls a tool of an MCP server: common to both ways, by the tool's own name and by `mcp_tool`.
import { type Static, Type } from 'typebox'
import type { McpContentBlock, McpTool, McpToolResult } from '../../../host/mcp/mcp-client.ts'
import { imageHeader } from '../../../text/image-header.ts'
import { redactParamsForDecision } from '../../../text/secrets/credentials.ts'
import type { RunContext } from '../../../tool/contexts.ts'
import type { Preview } from '../../../tool/plan.ts'
import type { ExternalToolIdentity, Request } from '../../../tool/request.ts'
import { type Attachment, type Presented, PresentedOutput, type Progress } from '../../../tool/result.ts'
import { withProgress } from '../../../tool/with-progress.ts'

/** An answer as data. Bytes are in the attachments. */
export const McpToolOutput = Type.Object({
  content: Type.Array(
    Type.Object({
      type: Type.Enum(['text', 'image', 'audio', 'link', 'resource'], { description: 'Type of the content.' }),
      text: Type.Optional(Type.String({ description: 'Text of the part, or of a resource.' })),
      uri: Type.Optional(Type.String({ description: 'URI of a link or resource, as reported by the MCP server.' })),
      name: Type.Optional(Type.String({ description: 'Name of a linked resource.' })),
      description: Type.Optional(Type.String({ description: 'Name of a linked resource.' })),
      media_type: Type.Optional(Type.String({ description: 'Media type, as reported by the MCP server.' })),
      size: Type.Optional(Type.Integer({ description: 'Size in bytes of an attachment.' }))
    }),
    { description: "Parts of the tool's result, in order." }
  ),
  structured: Type.Optional(
    Type.Unknown({
      description: 'Structured content of the result. Numbers that cannot be represented exactly are strings.'
    })
  ),
  notes: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Notes about parts that are omitted or converted.'
    })
  )
})
export type McpToolOutput = Static<typeof McpToolOutput>

const MAX_CONTENT_LENGTH = 100_000
const MAX_DESCRIPTION_LENGTH = 500
const MEDIA_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/

/** Builds the request of a call of the tool. */
export const mcpRequest = (tool: McpTool): Request => ({
  effect: tool.effect,
  externalTool: mcpToolIdentity(tool),
  reasons: {
    approval: `Calls the MCP server ${tool.server}, which may perform any action that is possible for the server.`
  }
})

/** Names by which rules match it. */
const mcpToolIdentity = ({ server, name, definition }: McpTool): ExternalToolIdentity => ({
  names: [mcpToolName(server, name), 'mcp_tool'],
  definition
})

export const mcpToolName = (server: string, tool: string) => `mcp:${server}:${tool}`

export function mcpPreview(tool: McpTool, args: unknown): Preview {
  // In one line: a separate line would look like a note of this server.
  const description = tool.description.replaceAll(/\s+/g, ' ').trim()
  return {
    title: mcpToolName(tool.server, tool.name),
    text: JSON.stringify(redactParamsForDecision(args), null, 2),
    notes: [
      ...(description
        ? [
            `Description by the server: ${description.length > MAX_DESCRIPTION_LENGTH ? `${description.slice(0, MAX_DESCRIPTION_LENGTH)}…` : description}`
          ]
        : []),
      ...HINTS.filter(([hint, value]) => tool.hints[hint] === value).map(([, , words]) => words)
    ]
  }
}

const HINTS = [
  ['read_only', true, 'The MCP server says that the tool only reads. Toolgate cannot verify this.'],
  ['destructive', true, 'The MCP server says that the tool is destructive.'],
  ['open_world', true, 'The MCP server says that the tool accesses external systems.']
] as const

/** Calls the tool and returns its answer as data: the structured content, if there is an output schema. */
export async function* callMcpTool(
  tool: McpTool,
  args: Record<string, unknown>,
  { host, call: { trace } }: RunContext
): AsyncGenerator<Progress, PresentedOutput<unknown>> {
  const answer = yield* withProgress(onProgress => host.mcp.call(tool, args, { onProgress, trace }))
  return new PresentedOutput(
    tool.output ? answer.structured : toMcpToolOutput(answer),
    presentAnswer(tool.title ?? mcpToolName(tool.server, tool.name), answer)
  )
}

export function toMcpToolOutput({ blocks, structured, notes }: McpToolResult): McpToolOutput {
  return {
    content: blocks.map(toContentPart),
    ...(structured !== undefined && { structured }),
    ...(notes && { notes })
  }
}

/** Formats data for a model and a person. */
export const presentData = (title: string, data: unknown): Presented =>
  presentAnswer(title, { blocks: [], structured: data })

/** Formats an answer for a model and a person. */
export function presentAnswer(
  title: string,
  answer: Pick<McpToolResult, 'blocks' | 'structured' | 'notes'>
): Presented {
  const texts = answer.blocks.map(blockText).filter(text => text !== '')
  const hasContent = texts.length > 0 || answer.blocks.length > 0 || answer.structured === undefined
  const whole = (hasContent ? texts.join('\n') : JSON.stringify(answer.structured, null, 2)).toWellFormed()
  const isCut = whole.length > MAX_CONTENT_LENGTH
  const cut = `\n(The first ${MAX_CONTENT_LENGTH} of ${whole.length} characters; the call's data has all characters.)`
  const attachments = answer.blocks.flatMap(blockAttachments)
  const content = isCut ? `${whole.slice(0, MAX_CONTENT_LENGTH).toWellFormed()}${cut}` : whole
  const notes = answer.notes?.map(note => `(${note})`) ?? []
  return {
    title,
    content: [...(content === '' ? [] : [content]), ...notes].join('\n'),
    ...(attachments.length > 0 && { attachments }),
    ...(isCut && { truncated: true })
  }
}

function toContentPart(block: McpContentBlock): McpToolOutput['content'][number] {
  if (!('bytes' in block) || block.bytes === undefined) return block
  const { bytes, ...rest } = block
  return { ...rest, size: Buffer.byteLength(bytes, 'base64') }
}

function blockText(block: McpContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'link':
      return `[${block.name}](${block.uri})${block.description ? `: ${block.description}` : ''}`
    case 'resource':
      return block.text === undefined ? `[${block.uri}]` : `[${block.uri}]\n${block.text}`
    default:
      return ''
  }
}

function blockAttachments(block: McpContentBlock): Attachment[] {
  if (!('bytes' in block) || block.bytes === undefined) return []
  const bytes = Buffer.from(block.bytes, 'base64')
  const { media_type: named = '' } = block
  const header = imageHeader(bytes, bytes.length)
  const media_type = header?.media_type ?? (MEDIA_TYPE.test(named) ? named : 'application/octet-stream')
  return [{ ...header, media_type, data_url: `data:${media_type};base64,${bytes.toString('base64')}` }]
}
