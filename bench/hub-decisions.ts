// Decisions at a hub: from the request of a person there until the call has run at its server.
import { setTimeout as pause } from 'node:timers/promises'
import type { Endpoint } from './http.ts'
import { median, percentile } from './measure.ts'
import type { Measurement } from './measurement.ts'

const LOOK_INTERVAL_MS = 20

interface WaitingCall {
  server_id: string
  tool_call_id: string
  digest: string
}

/** Approves calls of a server at a hub, one after the other. */
export async function measureDecisions(server: Endpoint, hub: Endpoint, count: number): Promise<Measurement[]> {
  const delays: number[] = []
  for (let i = 0; i < count; i++) delays.push(await measureDecision(server, hub, i))
  const work = 'from a decision at another hub to the end of the call'
  return [
    { work: `${work}, p50`, unit: 'ms', ours: median(delays) },
    { work: `${work}, p99`, unit: 'ms', ours: percentile(delays, 0.99), target: { bound: 'at most', plus: 300 } }
  ]
}

async function measureDecision(server: Endpoint, hub: Endpoint, i: number): Promise<number> {
  // The rules of benchmarks allow other calls.
  const path = `${i}.txt`
  await ask(server, 'POST', '/calls', { tool: 'write_file', params: { path, content: 'one\n' } })
  const call = { tool: 'delete_file', params: { path } }
  const { tool_call_id, status: asked } = await ask<{ tool_call_id: string; status: string }>(
    server,
    'POST',
    '/calls',
    call
  )
  if (asked !== 'awaiting_approval') throw new Error(`the call is ${asked}, and waits for no decision`)
  const { server_id, digest } = await findWaiting(hub, tool_call_id)
  const ended = ask<{ status: string }>(server, 'GET', `/calls/${tool_call_id}?wait_ms=30000`)
  const began = performance.now()
  await ask(hub, 'POST', '/approve', { server_id, tool_call_id, digest, confirm: true })
  const { status } = await ended
  if (status !== 'success') throw new Error(`the call has ended with ${status}`)
  return performance.now() - began
}

async function findWaiting(hub: Endpoint, id: string): Promise<WaitingCall> {
  for (;;) {
    const { approvals } = await ask<{ approvals: WaitingCall[] }>(hub, 'GET', '/approvals')
    const found = approvals.find(({ tool_call_id }) => tool_call_id === id)
    if (found) return found
    await pause(LOOK_INTERVAL_MS)
  }
}

async function ask<T>({ host, port, token }: Endpoint, method: string, target: string, body?: object): Promise<T> {
  const response = await fetch(`http://${host}:${port}${target}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    body: body ? JSON.stringify(body) : null
  })
  if (!response.ok) throw new Error(`${method} ${target} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}
