// Converts an ended call to the result of `tools/call`.
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import type { Call, CallError, CallResult, SettledCall } from '../../protocol/calls.ts'
import { describeCallEnd, describeCallError } from '../call-failure.ts'
import { META_PREFIX } from './call-context.ts'

/** Builds the result, with the call in a toolset's format if it was requested in one. */
export function toCallToolResult(call: SettledCall, formatted: unknown): CallToolResult {
  const _meta = callMetadata(call)
  if (call.status === 'success') {
    const structuredContent = (formatted ?? call.result.data) as Record<string, unknown>
    return { content: toContentBlocks(call.tool_call_id, call.result), structuredContent, _meta }
  }
  if (call.status !== 'error') return errorResult(describeCallEnd(call), _meta)
  return errorResult(describeCallError(call.error), { ..._meta, [`${META_PREFIX}error`]: call.error })
}

/** Builds the result of a request that created no call. */
export const toErrorResult = (error: CallError): CallToolResult =>
  errorResult(describeCallError(error), { [`${META_PREFIX}error`]: error })

const errorResult = (text: string, _meta: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
  _meta
})

/** Returns the metadata that links a message to its call. */
const callMetadata = ({ tool_call_id, status }: Pick<Call, 'tool_call_id' | 'status'>) => ({
  [`${META_PREFIX}tool_call_id`]: tool_call_id,
  [`${META_PREFIX}status`]: status
})

export const outputUri = (tool_call_id: string) => `toolgate://calls/${tool_call_id}/output`

function toContentBlocks(
  id: string,
  { content, attachments, output_href, truncated, title }: CallResult
): ContentBlock[] {
  const blocks = attachments.map((attachment, index) => toAttachmentBlock(id, attachment, index))
  const text: ContentBlock[] = content === '' && blocks.length > 0 ? [] : [{ type: 'text', text: content }]
  if (!truncated || output_href === undefined) return [...text, ...blocks]
  const link = { uri: outputUri(id), name: 'output', title: `Complete output of: ${title}`, mimeType: 'text/plain' }
  return [...text, ...blocks, { type: 'resource_link', ...link }]
}

function toAttachmentBlock(id: string, attachment: CallResult['attachments'][number], index: number): ContentBlock {
  const { media_type: mimeType, data_url } = attachment
  const data = data_url.slice(data_url.indexOf(',') + 1)
  const [kind] = mimeType.split('/', 1)
  if (kind === 'image' || kind === 'audio') return { type: kind, data, mimeType }
  const resource = { uri: `toolgate://calls/${id}/attachments/${index}`, mimeType }
  if (kind !== 'text') return { type: 'resource', resource: { ...resource, blob: data } }
  return { type: 'resource', resource: { ...resource, text: Buffer.from(data, 'base64').toString() } }
}
