// Formats of models' APIs: how each writes tool calls, and the messages that answer them.
import type { Static, TSchema } from 'typebox'
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
import { formatParts, formatText, type ImageType } from './message-parts.ts'
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

export interface MessageFormat {
  /** Returns the schema of a message, as far as it is read. */
  message(body: unknown): TSchema
  list(message: never): CallList
  /** Schema of a call. */
  call: TSchema
  read(call: never): WrittenCall
  /** Returns the messages that answer the calls of a message, of which there is at least one. */
  answer(answers: readonly ToolAnswer[]): object[]
}

export const MESSAGE_FORMATS = {
  openai: {
    message: () => ChatMessage,
    list: ({ tool_calls }: Static<typeof ChatMessage>) => ({ pointer: '/tool_calls', items: tool_calls ?? [] }),
    call: ChatToolCall,
    read: ({ id, function: { name, arguments: args } }: Static<typeof ChatToolCall>) => ({ id, name, args }),
    answer: answers =>
      answers.map(answer => ({ role: 'tool' as const, tool_call_id: answer.id, content: formatText(answer) }))
  },
  'openai-responses': {
    message: body => (Array.isArray(body) ? ResponseOutput : ModelResponse),
    list: (body: Static<typeof ResponseOutput> | Static<typeof ModelResponse>) => ({
      ...(Array.isArray(body) ? { pointer: '', items: body } : { pointer: '/output', items: body.output }),
      type: 'function_call'
    }),
    call: ResponseFunctionCall,
    read: ({ call_id, name, arguments: args }: Static<typeof ResponseFunctionCall>) => ({ id: call_id, name, args }),
    answer: answers =>
      answers.map(answer => ({
        type: 'function_call_output' as const,
        call_id: answer.id,
        output: formatParts<ResponsePart>(answer, {
          text: text => ({ type: 'input_text', text }),
          image: ({ data_url }) => ({ type: 'input_image', image_url: data_url, detail: 'auto' }),
          pdf: ({ data_url }) => ({ type: 'input_file', filename: 'attachment.pdf', file_data: data_url })
        })
      }))
  },
  anthropic: {
    message: () => AnthropicMessage,
    list: ({ content }: Static<typeof AnthropicMessage>) => ({
      pointer: '/content',
      items: typeof content === 'string' ? [] : content,
      type: 'tool_use'
    }),
    call: AnthropicToolUse,
    read: ({ id, name, input }: Static<typeof AnthropicToolUse>) => ({ id, name, args: input }),
    answer: answers => [{ role: 'user' as const, content: answers.map(toToolResult) }]
  }
} satisfies Record<ToolCallFormat, MessageFormat>

type ResponsePart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; filename: string; file_data: string }

type AnthropicPart =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: ImageType; data: string } }
  | { type: 'document'; source: { type: 'base64'; media_type: 'application/pdf'; data: string } }

const toToolResult = (answer: ToolAnswer) => ({
  type: 'tool_result' as const,
  tool_use_id: answer.id,
  content: formatParts<AnthropicPart>(answer, {
    text: text => ({ type: 'text', text }),
    image: ({ media_type, data_url }) => ({
      type: 'image',
      source: { type: 'base64', media_type: media_type as ImageType, data: toBase64(data_url) }
    }),
    pdf: ({ data_url }) => ({
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: toBase64(data_url) }
    })
  }),
  ...(answer.failed && { is_error: true })
})

const toBase64 = (data_url: string) => data_url.slice(data_url.indexOf(',') + 1)
