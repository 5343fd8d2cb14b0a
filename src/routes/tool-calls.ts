// Route for the tool calls of models: takes a message as the API of a model gives it, and answers with the messages to append.
import '@fastify/sse'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { getToolset } from '../catalog/toolset-resolver.ts'
import type { Calls, SerializedCall } from '../engine/calls.ts'
import type { MessageOutcome } from '../engine/message-calls.ts'
import type { Streams } from '../events/event-streams.ts'
import { encodeTransientFrame } from '../events/frame.ts'
import { isSettled } from '../protocol/calls.ts'
import {
  type ToolCallFormat,
  ToolCallsBody,
  ToolCallsHeaders,
  ToolCallsQuery,
  type ToolCallTaken,
  type ToolMessages,
  type ToolMessagesFrame,
  toolMessagesContent
} from '../protocol/tool-calls.ts'
import { sendJson } from './calls.ts'
import { watchDisconnect } from './http/disconnect.ts'
import type { ProblemRedactor } from './http/problem.ts'
import { openReader, visibleEvents } from './http/sse-reply.ts'
import { problemResponses } from './schema.ts'
import { MESSAGE_FORMATS } from './tool-calls/message-formats.ts'
import { parseMessage } from './tool-calls/parse-message.ts'
import { toToolAnswer } from './tool-calls/tool-answer.ts'
import { eventFormat, type ToolsetFormatter } from './toolset-format.ts'

interface Services {
  calls: Calls
  catalog: ToolsetFormatter
  masking: ProblemRedactor
  streams: Streams
}

type Outcome = MessageOutcome<SerializedCall>
/** Runs the calls of a message. `onCall` receives the id of each before its first event. */
type RunMessage = (onCall?: (tool_call_id: string, id: string) => void) => Promise<ToolMessages>

export const toolCallRoutes: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { calls, masking } = services

  app.post(
    '/tool-calls',
    {
      sse: 'dual',
      // A number that the model wrote concerns its call alone.
      config: { takesInexactNumbers: true },
      schema: {
        operationId: 'runToolCalls',
        summary: "Run the tool calls in a model's message; returns the messages to append.",
        description:
          'Responds when all calls have ended, or after wait_ms, with one message per call, also if it failed, was rejected or still waits for a decision. If the message is sent again in the session, no call runs twice. With Accept: text/event-stream, streams the events of the calls and ends with `messages`.',
        tags: ['calls'],
        querystring: ToolCallsQuery,
        headers: ToolCallsHeaders,
        body: ToolCallsBody,
        response: {
          200: { description: 'The messages to append, and the status of each call.', content: toolMessagesContent },
          ...problemResponses()
        }
      }
    },
    async (request, reply) => {
      const { caller, body, inexactNumbers } = request
      const { format, wait_ms: ms, on_disconnect, ...named } = request.query
      const { toolset } = named
      if (toolset !== undefined) getToolset(toolset)
      const written = parseMessage(format, body, inexactNumbers)
      const refused = written.filter(call => 'error' in call)
      const message = { scope: calls.resolveScope(named, caller), calls: written.filter(call => 'tool' in call) }
      const { signal } = watchDisconnect(reply)
      const run: RunMessage = async onCall => {
        const outcomes = await calls.runMessage(message, caller, { ms, signal, onCall })
        if (on_disconnect === 'cancel' && signal.aborted) await cancelOpen(calls, outcomes)
        const byId = new Map([...outcomes, ...refused].map(outcome => [outcome.id, outcome]))
        const inOrder = written.map(({ id }) => byId.get(id)!)
        return toToolMessages(format, inOrder, masking)
      }
      if (reply.sse) return streamMessages(services, reply, { toolset, run })
      return sendJson(reply, 200, JSON.stringify(await run()))
    }
  )
}

/** Streams the events of the calls as they come, and at the end the messages. */
async function streamMessages(
  { streams, catalog }: Services,
  reply: FastifyReply,
  { toolset, run }: { toolset: string | undefined; run: RunMessage }
): Promise<void> {
  const { caller, id: name } = reply.request
  const followed = new Set<string>()
  reply.reserveEventStream()
  const { reader, ended } = openReader(streams, reply, {
    filter: { calls: { name, has: tool_call_id => followed.has(tool_call_id) }, ...visibleEvents(caller) },
    format: eventFormat(catalog, toolset)
  })
  const answer = await run((tool_call_id, id) => {
    followed.add(tool_call_id)
    const taken: ToolCallTaken = { type: 'call', id, tool_call_id }
    reader.send(encodeTransientFrame(taken.type, taken))
  })
  const last: ToolMessagesFrame = { type: 'messages', ...answer }
  reader.end(encodeTransientFrame(last.type, last))
  return ended
}

function toToolMessages(format: ToolCallFormat, outcomes: readonly Outcome[], masking: ProblemRedactor): ToolMessages {
  const answers = outcomes.map(outcome => toToolAnswer(outcome, masking))
  return {
    messages: answers.length === 0 ? [] : MESSAGE_FORMATS[format].answer(answers),
    calls: answers.map(({ state }) => state),
    pending: answers.filter(({ pending }) => pending).map(({ id }) => id)
  }
}

/** Cancels the calls that have not ended. */
async function cancelOpen(calls: Calls, outcomes: readonly Outcome[]): Promise<void> {
  const open = outcomes.flatMap(outcome => ('call' in outcome && !isSettled(outcome.call) ? [outcome.call] : []))
  await Promise.all(open.map(call => calls.cancel(call.tool_call_id, 'The client disconnected.').catch(() => {})))
}
