// Sends one MCP message to a server's /mcp and reads the response, in Node.
import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import type { ServerConnection } from '../client/http-transport.ts'
import { SseParser } from '../client/sse.ts'
import { sendNodeRequest } from './node-request.ts'

/** The fields of a JSON-RPC message that the bridge inspects. */
export interface JsonRpcMessage {
  jsonrpc: '2.0'
  id?: string | number | null
  method?: string
  params?: Record<string, unknown> & { _meta?: Record<string, unknown> }
  result?: unknown
  error?: unknown
}

export interface McpHttpRequest {
  method: 'POST' | 'GET' | 'DELETE'
  body?: unknown
  headers?: Record<string, string>
  signal: AbortSignal
}

export interface McpHttpResponse {
  status: number
  /** Session id, if the response starts one. */
  session: string | undefined
  /**
   * The messages, each with the id of its event in a stream. An event without data has only its id. Call `discard` to ignore
   * them: an unread body occupies the connection.
   */
  messages: AsyncIterable<{ place?: string | undefined; message?: JsonRpcMessage }>
  discard(): void
}

/** Sends a message. Rejects if the server is unreachable; `messages` reject if the connection is lost. */
export async function sendMcp({ url, token }: ServerConnection, sending: McpHttpRequest): Promise<McpHttpResponse> {
  const { method, body, headers, signal } = sending
  const text = body === undefined ? undefined : JSON.stringify(body)
  const answer = await sendNodeRequest(url, {
    method,
    signal,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'x-toolgate-client': 'toolgate-mcp',
      ...(text !== undefined && { 'content-type': 'application/json' }),
      ...headers
    },
    body: text
  })
  return {
    status: answer.statusCode!,
    session: answer.headers['mcp-session-id'] as string | undefined,
    messages: readMessages(answer),
    discard: () => void answer.resume()
  }
}

async function* readMessages(answer: IncomingMessage): McpHttpResponse['messages'] {
  const type = answer.headers['content-type'] ?? ''
  if (type.startsWith('application/json')) yield { message: (await json(answer)) as JsonRpcMessage }
  else if (!type.startsWith('text/event-stream')) answer.resume()
  else {
    const parser = new SseParser()
    for await (const bytes of answer)
      for (const { id, data } of parser.push(bytes as Uint8Array))
        yield { place: id, ...(data !== '' && { message: JSON.parse(data) as JsonRpcMessage }) }
  }
}
