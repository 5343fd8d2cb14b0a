// Calling a tool of an MCP server: what both ways to it share, by its own name and by `mcp_tool`.
import { type Static, Type } from 'typebox'
import type { McpAnswer, McpBlock, McpTool } from '../../../host/mcp/mcp-client.ts'
import { imageHeader } from '../../../text/image-header.ts'
import type { Attachment, Context, KnownAs, Presented, Preview, Progress } from '../../../tool/tool.ts'
import { telling } from '../../../tool/with-progress.ts'

/** An answer as data. Bytes are in the attachments. */
export const Answer = Type.Object({
  content: Type.Array(
    Type.Object({
      type: Type.Enum(['text', 'image', 'audio', 'link', 'resource'], { description: 'What the piece is.' }),
      text: Type.Optional(Type.String({ description: 'Of a text, or a resource that is one.' })),
      uri: Type.Optional(Type.String({ description: 'Of a link or a resource, as the server names it.' })),
      name: Type.Optional(Type.String({ description: 'Of what a link leads to.' })),
      description: Type.Optional(Type.String({ description: 'Of what a link leads to.' })),
      media_type: Type.Optional(Type.String({ description: 'As the server tells it.' })),
      size: Type.Optional(Type.Integer({ description: 'Bytes of what is among the attachments.' }))
    }),
    { description: 'The pieces of the answer, in order.' }
  ),
  structured: Type.Optional(Type.Unknown({ description: 'What the server gave as data, where it did.' }))
})
export type Answer = Static<typeof Answer>

const LONGEST_CONTENT = 100_000
const LONGEST_SAID = 500
const MEDIA_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/

/** By which names rules find it. */
export const knownAs = ({ server, name, definition }: McpTool): KnownAs => ({
  names: [nameOf(server, name), 'mcp_tool'],
  definition
})

export const nameOf = (server: string, tool: string) => `mcp:${server}:${tool}`

export function previewOf(tool: McpTool, args: unknown): Preview {
  // In one line: what begins a line of its own would look like a note of ours.
  const said = tool.description.replaceAll(/\s+/g, ' ').trim()
  return {
    title: nameOf(tool.server, tool.name),
    text: JSON.stringify(args, null, 2),
    notes: [
      ...(said
        ? [`The server says of it: ${said.length > LONGEST_SAID ? `${said.slice(0, LONGEST_SAID)}…` : said}`]
        : []),
      ...HINTS.filter(([hint, value]) => tool.hints[hint] === value).map(([, , words]) => words)
    ]
  }
}

const HINTS = [
  ['read_only', true, 'The server says that it only reads; nobody has looked whether that is so.'],
  ['destructive', true, 'The server says that it may destroy something.'],
  ['open_world', true, 'The server says that it reaches others.']
] as const

/** What a server answered, by the data that it became. */
const answers = new WeakMap<object, McpAnswer>()

/** Calls it and gives its answer as data: what the server gave as such, where it says what that is. */
export async function* called(
  tool: McpTool,
  args: Record<string, unknown>,
  { host }: Context
): AsyncGenerator<Progress, unknown> {
  const answer = yield* telling(tell => host.mcp.call(tool, args, { tell }))
  const data = tool.output ? answer.structured : asData(answer)
  if (typeof data === 'object' && data !== null) answers.set(data, answer)
  return data
}

export function asData({ blocks, structured }: McpAnswer): Answer {
  return { content: blocks.map(pieceOf), ...(structured !== undefined && { structured }) }
}

export function remember(data: object, answer: McpAnswer) {
  answers.set(data, answer)
}

/** For a model and a person. */
export function presented(title: string, data: unknown): Presented {
  const answer = (typeof data === 'object' && data !== null && answers.get(data)) || { blocks: [], structured: data }
  const texts = answer.blocks.map(textOf).filter(text => text !== '')
  const isSaid = texts.length > 0 || answer.blocks.length > 0 || answer.structured === undefined
  const whole = (isSaid ? texts.join('\n') : JSON.stringify(answer.structured, null, 2)).toWellFormed()
  const isCut = whole.length > LONGEST_CONTENT
  const cut = `\n(The first ${LONGEST_CONTENT} of ${whole.length} characters; all of them are in the call's data.)`
  const attachments = answer.blocks.flatMap(attachmentOf)
  return {
    title,
    content: isCut ? `${whole.slice(0, LONGEST_CONTENT).toWellFormed()}${cut}` : whole,
    ...(attachments.length > 0 && { attachments }),
    ...(isCut && { truncated: true })
  }
}

function pieceOf(block: McpBlock): Answer['content'][number] {
  if (!('bytes' in block) || block.bytes === undefined) return block
  const { bytes, ...rest } = block
  return { ...rest, size: Buffer.byteLength(bytes, 'base64') }
}

function textOf(block: McpBlock): string {
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

function attachmentOf(block: McpBlock): Attachment[] {
  if (!('bytes' in block) || block.bytes === undefined) return []
  const bytes = Buffer.from(block.bytes, 'base64')
  const { media_type: named = '' } = block
  const header = imageHeader(bytes, bytes.length)
  const media_type = header?.media_type ?? (MEDIA_TYPE.test(named) ? named : 'application/octet-stream')
  return [{ ...header, media_type, data_url: `data:${media_type};base64,${bytes.toString('base64')}` }]
}
