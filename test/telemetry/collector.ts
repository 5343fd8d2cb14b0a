// Fixture: a collector that keeps the spans that it is sent by OTLP as JSON.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Json } from '../start-app.ts'
import { within } from '../support/wait.ts'

/** Takes a request; by default with an empty answer. */
type Answer = (request: IncomingMessage, response: ServerResponse) => void

const accept: Answer = (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}')

export async function startCollector(t: Test, answer: Answer = accept) {
  const spans: Json[] = []
  const requests: { url: string; headers: IncomingMessage['headers']; body: string }[] = []
  const resources: Json[] = []
  let news = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    requests.push({ url: request.url!, headers: request.headers, body })
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      resources.push(toObject(resource.attributes))
      for (const { spans: some } of scopeSpans) spans.push(...some.map(toSpan))
    }
    answer(request, response)
    news.resolve()
    news = Promise.withResolvers()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo

  async function next(fits: (span: Json) => boolean): Promise<Json> {
    for (;;) {
      const found = spans.find(fits)
      if (found) return found
      await news.promise
    }
  }
  return {
    url: `http://127.0.0.1:${port}`,
    server,
    requests,
    resources,
    spans,
    /** Returns the span of a call with its children in their order, once they are there. */
    async spanOf({ tool_call_id }: Json): Promise<{ span: Json; children: Json[] }> {
      const span = await within(
        `the span of ${tool_call_id}`,
        next(({ attributes }) => attributes['gen_ai.tool.call.id'] === tool_call_id)
      )
      return { span, children: spans.filter(({ parentSpanId }) => parentSpanId === span.spanId) }
    },
    /** Resolves with the next request. */
    request: () => within('a request to the collector', news.promise)
  }
}

const toSpan = ({ attributes, ...span }: Json) => ({ ...span, attributes: toObject(attributes) })

const toObject = (attributes: Json[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
