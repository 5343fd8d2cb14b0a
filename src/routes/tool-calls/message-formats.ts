// Formats of models' APIs: how each writes tool calls, and the messages that answer them.
import type { TSchema } from 'typebox'
import {
  AnthropicMessage,
  AnthropicToolUse,
  ChatMessage,
  ChatToolCall,
  ModelResponse,
  ResponseFunctionCall,
  ResponseOutput,
  type ToolCallFormat
} from '../../protocol/tool-calls.ts'
import { formatParts } from './message-parts.ts'
import type { ToolAnswer } from './tool-answer.ts'

/** A call as a model wrote it; its arguments are JSON text, or an object. */
export interface WrittenCall {
  id: string
  name: string
  args: unknown
}

/** A list in a message, some of whose items are calls. */
interface CallList {
  /** Place of the list in the body. */
  pointer: string
  items: { type?: unknown }[]
  /** Type of the items that are calls; undefined if all are. */
  type?: string
}

interface MessageFormat {
  /** Returns the schema of a message, as far as it is read. */
  message(body: unknown): TSchema
  list(message: never): CallList
  /** Schema of a call. */
  call: TSchema
  read(call: never): WrittenCall
  /** Returns the messages that answer the calls of a message, of which there is at least one. */
  answer(answers: readonly ToolAnswer[]): object[]
}

export const MESSAGE_FORMATS: Record<ToolCallFormat, MessageFormat> = {
  openai: {
    message: () => ChatMessage,
    list: ({ tool_calls }: { tool_calls?: { type?: unknown }[] | null }) => ({
      pointer: '/tool_calls',
      items: tool_calls ?? []
    }),
    call: ChatToolCall,
    read: ({
      id,
      function: { name, arguments: args }
    }: {
      id: string
      function: { name: string; arguments: string }
    }) => ({
      id,
      name,
      args
    }),
    answer: answers =>
      answers.map(answer => ({ role: 'tool', tool_call_id: answer.id, content: formatParts(answer, {}).text }))
  },
  'openai-responses': {
    message: body => (Array.isArray(body) ? ResponseOutput : ModelResponse),
    list: (body: { type: string }[] | { output: { type: string }[] }) => ({
      ...(Array.isArray(body) ? { pointer: '', items: body } : { pointer: '/output', items: body.output }),
      type: 'function_call'
    }),
    call: ResponseFunctionCall,
    read: ({ call_id, name, arguments: args }: { call_id: string; name: string; arguments: string }) => ({
      id: call_id,
      name,
      args
    }),
    answer: answers =>
      answers.map(answer => {
        const { text, parts } = formatParts(answer, {
          text: words => ({ type: 'input_text', text: words }),
          image: ({ data_url }) => ({ type: 'input_image', image_url: data_url, detail: 'auto' }),
          pdf: ({ data_url }) => ({ type: 'input_file', filename: 'attachment.pdf', file_data: data_url })
        })
        return { type: 'function_call_output', call_id: answer.id, output: parts ?? text }
      })
  },
  anthropic: {
    message: () => AnthropicMessage,
    list: ({ content }: { content: string | { type: string }[] }) => ({
      pointer: '/content',
      items: typeof content === 'string' ? [] : content,
      type: 'tool_use'
    }),
    call: AnthropicToolUse,
    read: ({ id, name, input }: { id: string; name: string; input: object }) => ({ id, name, args: input }),
    answer: answers => [{ role: 'user', content: answers.map(toToolResult) }]
  }
}

function toToolResult(answer: ToolAnswer) {
  const { text, parts } = formatParts(answer, {
    text: words => ({ type: 'text', text: words }),
    image: source => ({ type: 'image', source: toBase64Source(source) }),
    pdf: source => ({ type: 'document', source: toBase64Source(source) })
  })
  return {
    type: 'tool_result',
    tool_use_id: answer.id,
    content: parts ?? text,
    ...(answer.failed && { is_error: true })
  }
}

const toBase64Source = ({ media_type, data_url }: { media_type: string; data_url: string }) => ({
  type: 'base64',
  media_type,
  data: data_url.slice(data_url.indexOf(',') + 1)
})
