// Fake HTTP service of a channel: it records requests, and answers them as a test says.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Test } from 'tap'
import { once, within } from '../support/wait.ts'

export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

type Answer = { status: number; headers?: Record<string, string>; body?: string } | 'hang'

/** An answer, now or later; `hang` never answers. */
export type ServiceAnswer = Answer | Promise<Answer>

/** Starts a service that gives these answers in order, and then accepts all requests. */
export async function startHttpService(t: Test, answers: ServiceAnswer[] = [], accepted = '{"ok":true}') {
  const received: ReceivedRequest[] = []
  const arrivals = new EventTarget()
  let taken = 0
  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => undefined)
    if (!body) return
    const given = answers.shift()
    received.push({ method: request.method!, path: request.url!, headers: request.headers, body })
    arrivals.dispatchEvent(new Event('request'))
    const answer = (await given) ?? { status: 200, body: accepted }
    if (answer !== 'hang') response.writeHead(answer.status, answer.headers).end(answer.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers,
    /** Returns the next request that no earlier call has returned. */
    async next(): Promise<ReceivedRequest> {
      while (received.length <= taken) {
        const arrival = new Promise(resolve => arrivals.addEventListener('request', resolve, { once: true }))
        await within('a request to the service', arrival)
      }
      taken += 1
      return received[taken - 1]!
    }
  }
}

export const parseBody = ({ body }: ReceivedRequest) => JSON.parse(body.toString())
