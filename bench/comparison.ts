// Ours against a bare Fastify that does the same work: the same requests to both, and answers of the same length.
import type { Ground, Server } from './environment.ts'
import { Talker, type TalkOptions, type ToolCall } from './load-client.ts'

export const IN_FLIGHT = 32

export interface Contest {
  ours: Server
  floor: Server
  talkOurs(calls: readonly ToolCall[], headers?: TalkOptions['headers']): Promise<Talker>
  talkFloor(calls: readonly ToolCall[]): Promise<Talker>
}

/** Starts both. By the answers of ours to `sample` the floor's are padded; made in turn, they undo one another. */
export async function contest(ground: Ground, route: string, sample: readonly ToolCall[]): Promise<Contest> {
  const ours = await ground.ours()
  const floor = await ground.floor('fastify')
  const first = await Talker.open(ground, ours, sample)
  const lengths: number[] = []
  for (const _ of sample) lengths.push((await first.say()).body.length)
  const common = { 'x-answer-bytes': Math.max(...lengths) }
  return {
    ours,
    floor,
    talkOurs: (calls, headers) => Talker.open(ground, ours, calls, { headers: { ...common, ...headers } }),
    talkFloor: calls => Talker.open(ground, floor, calls, { target: route, headers: common })
  }
}

/** As many as may be in flight, opened one by one. */
export const talkers = (open: (index: number) => Promise<Talker>): Promise<Talker[]> =>
  Promise.all(Array.from({ length: IN_FLIGHT }, (_, index) => open(index)))
