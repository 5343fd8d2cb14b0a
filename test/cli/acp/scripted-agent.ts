// An agent of the Agent Client Protocol. A prompt is a list of requests to the client as JSON, and the answer has their results.
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
    const requests = JSON.parse(block?.type === 'text' ? block.text : '[]') as { method: string; params: object }[]
    const perform = async ({ method, params }: { method: string; params: object }) => {
      const own: Record<string, () => unknown> = {
        capabilities: () => capabilities,
        servers: () => servers,
        notify: () => client.notify('session/update', { sessionId, update: params as never })
      }
      return Object.hasOwn(own, method) ? await own[method]!() : await client.request(method, { sessionId, ...params })
    }
    const results: unknown[] = []
    for (const request of requests)
      results.push((await perform(request).catch((error: Error) => ({ failure: error.message }))) ?? null)
    const text = JSON.stringify(results)
    await client.notify('session/update', {
      sessionId,
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }
    })
    return { stopReason: 'end_turn' }
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>))
