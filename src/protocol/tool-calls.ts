// Tool calls as the APIs of models return them, and the messages that answer them.
import { type Static, Type } from 'typebox'
import { CallRequest } from './call-requests.ts'
import { CALL_STATUSES } from './call-statuses.ts'
import { WaitMsParam } from './request-params.ts'
import { eventStreamContent } from './response-content.ts'
import { TRACE_HEADERS } from './trace-context.ts'

/** APIs of models: Chat Completions, Responses, and Messages. */
export const TOOL_CALL_FORMATS = ['openai', 'openai-responses', 'anthropic'] as const
export type ToolCallFormat = (typeof TOOL_CALL_FORMATS)[number]

/** Shorter than the time after which clients give up a request that is not answered, which is 300 s in Node. */
const DEFAULT_WAIT_MS = 240_000

const { session_id, workspace, agent, toolset, context } = CallRequest.properties

export const ToolCallsQuery = Type.Object(
  {
    format: Type.Enum([...TOOL_CALL_FORMATS], { description: 'API whose format `message` has.' }),
    session_id,
    workspace,
    agent,
    toolset,
    context,
    wait_ms: Type.Integer({ ...WaitMsParam, default: DEFAULT_WAIT_MS }),
    on_disconnect: Type.Enum(['continue', 'cancel'], {
      default: 'continue',
      description: 'If the client disconnects: continue or cancel the calls.'
    })
  },
  { additionalProperties: false }
)
export type ToolCallsQuery = Static<typeof ToolCallsQuery>

export const ToolCallsHeaders = Type.Object(TRACE_HEADERS)

const AnyObject = Type.Object({}, { additionalProperties: true })
export const ToolCallsBody = Type.Union([AnyObject, Type.Array(AnyObject)], {
  description:
    'Assistant message of the Chat Completions or Messages API, or response of the Responses API or its `output`, unchanged.'
})

export const ToolMessages = Type.Object(
  {
    messages: Type.Array(AnyObject, {
      description:
        'Messages to append to the conversation, with one result per call. Empty if the message has no calls.'
    }),
    calls: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Id that the model API gave the call.' }),
        tool_call_id: Type.Optional(Type.String()),
        status: Type.Enum([...CALL_STATUSES, 'refused', 'not_started'], {
          description:
            'State of the call. refused: it is not a valid call. not_started: it waits for an earlier call on the same path.'
        }),
        code: Type.Optional(Type.String({ description: 'Error code of the call, if it failed.' }))
      })
    ),
    pending: Type.Array(Type.String(), {
      description: 'Ids of calls that have not ended: send the message again to wait for them.'
    })
  },
  { title: 'ToolMessages' }
)
export type ToolMessages = Static<typeof ToolMessages>
export const toolMessagesContent = {
  'application/json': { schema: ToolMessages },
  ...eventStreamContent
}

/** Frame of a stream: the call that the server has made of a call of the message. */
export const ToolCallTaken = Type.Object({ type: Type.Literal('call'), id: Type.String(), tool_call_id: Type.String() })
export type ToolCallTaken = Static<typeof ToolCallTaken>

/** Last frame of a stream. */
export type ToolMessagesFrame = { type: 'messages' } & ToolMessages

const CallId = Type.String({ minLength: 1, maxLength: 256 })
const Assistant = Type.Literal('assistant')

/** A message of Chat Completions, as far as it is read. */
export const ChatMessage = Type.Object({
  role: Assistant,
  tool_calls: Type.Optional(Type.Union([Type.Array(AnyObject), Type.Null()]))
})
export const ChatToolCall = Type.Object({
  id: CallId,
  type: Type.Optional(Type.Literal('function')),
  function: Type.Object({ name: Type.String(), arguments: Type.String() })
})

const TypedItems = Type.Array(Type.Object({ type: Type.String() }))

/** The output of a response. */
export const ResponseOutput = TypedItems
export const ModelResponse = Type.Object({ output: TypedItems })
export const ResponseFunctionCall = Type.Object({ call_id: CallId, name: Type.String(), arguments: Type.String() })

/** A message of the Messages API, as far as it is read. */
export const AnthropicMessage = Type.Object({ role: Assistant, content: Type.Union([Type.String(), TypedItems]) })
export const AnthropicToolUse = Type.Object({ id: CallId, name: Type.String(), input: AnyObject })
