// An agent of the Agent Client Protocol. A prompt is a request to the client as JSON, and the answer is its result.
import { Readable, Writable } from 'node:stream'
import { agent, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk'

let capabilities: unknown
let servers: unknown

agent({ name: 'scripted' })
  .onRequest('initialize', ({ params }) => {
    capabilities = params.clientCapabilities
    return { protocolVersion: PROTOCOL_VERSION, agentCapabilities: { loadSession: true } }
  })
  .onRequest('session/new', ({ params }) => {
    servers = params.mcpServers
    return { sessionId: 'one' }
  })
  .onRequest('session/load', ({ params }) => {
    servers = params.mcpServers
    return {}
  })
  .onRequest('session/prompt', async ({ params: { sessionId, prompt }, client }) => {
    const [block] = prompt
    const { method, params } = JSON.parse(block?.type === 'text' ? block.text : '{}')
    const own: Record<string, () => unknown> = {
      capabilities: () => capabilities,
      servers: () => servers,
      notify: () => client.notify('session/update', { sessionId, update: params })
    }
    const perform = async () =>
      (Object.hasOwn(own, method) ? own[method]!() : undefined) ?? client.request(method, { sessionId, ...params })
    const text = JSON.stringify(await perform().catch((error: Error) => ({ failure: error.message }))) ?? 'null'
    await client.notify('session/update', {
      sessionId,
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }
    })
    return { stopReason: 'end_turn' }
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>))
