// Runs the tool calls of a model's message, waits for all of them, and returns the messages that answer them.
import type { Event } from '../protocol/events.ts'
import type {
  ToolCallFormat,
  ToolCallsQuery,
  ToolCallTaken,
  ToolMessages,
  ToolMessagesFrame
} from '../protocol/tool-calls.ts'
import { ToolgateError } from './error.ts'
import { readEventFrames } from './events.ts'
import type { HttpTransport } from './http-transport.ts'

export interface ToolCallsOptions extends Partial<Omit<ToolCallsQuery, 'format'>> {
  signal?: AbortSignal | undefined
  /** Receives the events of the calls as they come; before the first of a call, the id that the server has given it. */
  onEvent?: (event: Event | ToolCallTaken) => void
}

/** The messages to append, in the format of the API, and how the calls stand. */
export type ToolMessagesOf<M> = Omit<ToolMessages, 'messages'> & { messages: M[] }

export async function runToolCalls<M>(
  wire: HttpTransport,
  format: ToolCallFormat,
  message: object,
  { signal, onEvent, ...options }: ToolCallsOptions
): Promise<ToolMessagesOf<M>> {
  const request = { body: message, query: { format, ...options }, signal }
  const send = (): Promise<ToolMessages> =>
    onEvent ? streamToolCalls(wire, request, onEvent) : wire.json('POST', '/tool-calls', request)
  for (;;) {
    const answer = await send()
    if (options.wait_ms !== undefined || answer.pending.length === 0) return answer as ToolMessagesOf<M>
  }
}

async function streamToolCalls(
  wire: HttpTransport,
  request: Parameters<HttpTransport['stream']>[2],
  onEvent: (event: Event | ToolCallTaken) => void
): Promise<ToolMessages> {
  const response = await wire.stream('POST', '/tool-calls', request)
  for await (const frame of readEventFrames(response)) {
    const event = frame.event as Event | ToolCallTaken | ToolMessagesFrame
    if (event.type !== 'messages') onEvent(event)
    else return { messages: event.messages, calls: event.calls, pending: event.pending }
  }
  throw new ToolgateError(
    'The stream ended before the response. Send the same message again: its calls do not run twice.',
    {
      code: 'UNREACHABLE',
      status: 0
    }
  )
}
