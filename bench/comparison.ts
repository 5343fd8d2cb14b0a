// Compares the server with a bare Fastify that does the same work: the same requests to both, and answers of equal length.
import type { BenchEnvironment, BenchServer } from './environment.ts'
import { LoadClient, type LoadClientOptions, type ToolCall } from './load-client.ts'

export const IN_FLIGHT = 32

export interface Comparison {
  ours: BenchServer
  floor: BenchServer
  connectOurs(calls: readonly ToolCall[], headers?: LoadClientOptions['headers']): Promise<LoadClient>
  connectFloor(calls: readonly ToolCall[]): Promise<LoadClient>
}

/**
 * Starts both. The floor's answers are padded to the length of the server's answers to `sample`; run in turn, these undo one
 * another.
 */
export async function startComparison(
  ground: BenchEnvironment,
  route: string,
  sample: readonly ToolCall[]
): Promise<Comparison> {
  const ours = await ground.startToolgate()
  const floor = await ground.startFloor('fastify')
  const first = await LoadClient.open(ground, ours, sample)
  const lengths: number[] = []
  for (const _ of sample) lengths.push((await first.say()).body.length)
  const common = { 'x-answer-bytes': Math.max(...lengths) }
  return {
    ours,
    floor,
    connectOurs: (calls, headers) => LoadClient.open(ground, ours, calls, { headers: { ...common, ...headers } }),
    connectFloor: calls => LoadClient.open(ground, floor, calls, { target: route, headers: common })
  }
}

/** Opens as many clients as may be in flight, one by one. */
export const openClients = (open: (index: number) => Promise<LoadClient>): Promise<LoadClient[]> =>
  Promise.all(Array.from({ length: IN_FLIGHT }, (_, index) => open(index)))
