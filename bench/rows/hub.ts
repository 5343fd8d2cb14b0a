// The hub on PostgreSQL: how many events a process takes, 500 servers at once, from a call at one process to a reader at another, and what
// an uplink costs the calls of its server. The floor of taking events is a bare client that inserts the same ones.

import { randomInt } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { findPostgres, startPostgres } from '../../test/support/postgres.ts'
import { readFrames } from '../../test/support/sse-frames.ts'
import type { BenchEnvironment, BenchHub } from '../environment.ts'
import type { Endpoint } from '../http.ts'
import { measureDecisions } from '../hub-decisions.ts'
import { LoadClient, measureLatencies, measureThroughput, type ToolCall } from '../load-client.ts'
import { interleave, median, medianOverRounds, percentile, type Rounds } from '../measure.ts'
import type { Measurement } from '../measurement.ts'
import { residentMemory } from '../memory.ts'
import { generateText } from '../sample-text.ts'
import { makeEvents, SimulatedUplink } from '../simulated-uplink.ts'
import type { Benchmark } from './benchmark.ts'

const SENDERS = 8
const SMALL_BATCH = 30
const LARGE_BATCH = 200
const SERVERS = 500
/** Each server sends in this time once, in turns a heartbeat and the events of two calls. */
const SEND_INTERVAL_MS = 5_000
const CALLS_EVENTS = 4
const CONNECTED_MS = 30_000
const RSS_INTERVAL_MS = 250
const READ: readonly ToolCall[] = [{ tool: 'read_file', params: { path: '4k.txt' } }]

export default {
  name: 'hub',
  async measure(ground) {
    if (findPostgres() === undefined)
      return [{ work: 'the hub: skipped, there is no PostgreSQL (apt-get install postgresql)', unit: '' }]
    const postgres = await startPostgres({ teardown: end => ground.onCleanup(end) })
    const database = postgres.createDatabase()
    const hub = await ground.startHub(database)
    return [
      ...(await measureIngestion(ground, hub, postgres.createDatabase())),
      ...(await measureConnected(ground, hub, await ground.startHub(database))),
      ...(await measureCalls(ground, hub, database))
    ]
  }
} satisfies Benchmark

async function measureIngestion(ground: BenchEnvironment, hub: Endpoint, bare: string): Promise<Measurement[]> {
  const uplinks: SimulatedUplink[] = []
  for (let i = 0; i < SENDERS; i++) uplinks.push(await openUplink(ground, hub, `sender-${i}`))
  const insert = await openBareClient(ground, bare)
  const duration_ms = ground.scale(1_500, 50)
  const ours = (size: number) => () =>
    takeRate(
      uplinks.map(uplink => ({ say: () => uplink.send(size) })),
      size
    )
  const floor = (size: number) => () => takeRate([{ say: () => insert(size) }], size)
  const takeRate = async (talkers: Parameters<typeof measureThroughput>[0], size: number) =>
    (await measureThroughput(talkers, duration_ms)).map(batches => batches * size)
  const measured = await interleave(ground.scale(5, 1), {
    small: ours(SMALL_BATCH),
    smallFloor: floor(SMALL_BATCH),
    large: ours(LARGE_BATCH),
    largeFloor: floor(LARGE_BATCH)
  })
  const figure = (size: number, rounds: Rounds, floorRounds: Rounds): Measurement => ({
    work: `events that a hub takes from ${SENDERS} servers, ${size} in a batch`,
    unit: '/s',
    ours: medianOverRounds(rounds, 0.5),
    floor: medianOverRounds(floorRounds, 0.5),
    target: { bound: 'at least', plus: 2_000 }
  })
  return [
    figure(SMALL_BATCH, measured.small, measured.smallFloor),
    figure(LARGE_BATCH, measured.large, measured.largeFloor)
  ]
}

/** Returns a function that inserts events into a bare table, in a transaction that is on the disk then. */
async function openBareClient(ground: BenchEnvironment, database: string) {
  const client = new pg.Client(database)
  await client.connect()
  ground.onCleanup(() => client.end())
  await client.query('CREATE TABLE events (seq bigint, type text, time timestamptz, tool_call_id text, data text)')
  let head = 0
  return async (count: number) => {
    const events = makeEvents(head + 1, count)
    head += count
    const column = (name: keyof (typeof events)[number]) => events.map(event => event[name])
    await client.query(
      'INSERT INTO events SELECT * FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::text[], $5::text[])',
      [column('seq'), column('type'), column('time'), column('tool_call_id'), column('data')]
    )
  }
}

async function measureConnected(ground: BenchEnvironment, hub: BenchHub, other: BenchHub): Promise<Measurement[]> {
  const count = ground.scale(SERVERS, 10)
  const uplinks: SimulatedUplink[] = []
  for (let i = 0; i < count; i++) uplinks.push(await openUplink(ground, hub, `server-${i}`))
  const server = await startEnrolled(ground, hub)
  const reader = await openReader(ground, other)
  const client = await LoadClient.open(ground, server, READ)
  const done = new AbortController()
  const chatter = uplinks.map(uplink => sendNowAndThen(uplink, done.signal))
  // The loads fail with the row; until then they only go on.
  const failed = Promise.all(chatter)
  failed.catch(() => {})
  let peak = residentMemory(hub.pid)
  const memory = setInterval(() => {
    peak = Math.max(peak, residentMemory(hub.pid))
  }, RSS_INTERVAL_MS)
  const delays: number[] = []
  let decisions: Measurement[]
  const end = performance.now() + ground.scale(CONNECTED_MS, 200)
  try {
    while (performance.now() < end) {
      const began = performance.now()
      const { tool_call_id } = JSON.parse((await client.say()).body.toString()) as { tool_call_id: string }
      delays.push((await Promise.race([reader.received(tool_call_id), toNever(failed)])) - began)
      await pause(20)
    }
    decisions = await Promise.race([measureDecisions(server, other, ground.scale(200, 3)), toNever(failed)])
  } finally {
    clearInterval(memory)
    done.abort()
  }
  await failed
  const work = `from a call to its tool.result at a reader of another hub, ${count} servers connected`
  const target = { bound: 'at most', plus: 1_000 } as const
  return [
    {
      work: `memory of a hub with ${count} servers connected`,
      unit: 'MiB',
      ours: peak,
      target: { bound: 'at most', plus: 512 }
    },
    { work: `${work}, p50`, unit: 'ms', ours: median(delays) },
    { work: `${work}, p99`, unit: 'ms', ours: percentile(delays, 0.99), target },
    ...decisions
  ]
}

/** Rejects if the promise does; never resolves. */
const toNever = (promise: Promise<unknown>) => promise.then(() => new Promise<never>(() => {}))

async function sendNowAndThen(uplink: SimulatedUplink, signal: AbortSignal) {
  await pause(randomInt(SEND_INTERVAL_MS), undefined, { signal }).catch(() => {})
  for (let turn = 0; !signal.aborted; turn++) {
    await uplink.send(turn % 2 === 0 ? CALLS_EVENTS : 0)
    await pause(SEND_INTERVAL_MS, undefined, { signal }).catch(() => {})
  }
}

/** Reads a hub's events. Returns when the result of a call was there. */
async function openReader(ground: BenchEnvironment, { host, port, token }: BenchHub) {
  const gone = new AbortController()
  ground.onCleanup(() => gone.abort())
  const response = await fetch(`http://${host}:${port}/events`, {
    headers: { authorization: `Bearer ${token}` },
    signal: gone.signal
  })
  const times = new Map<string, number>()
  let waiting: { id: string; resolve: (time: number) => void } | undefined
  const read = async () => {
    for await (const { event, data } of readFrames(response)) {
      if (event !== 'tool.result') continue
      const id = /"tool_call_id":"([^"]+)"/.exec(data)?.[1] ?? ''
      times.set(id, performance.now())
      if (waiting?.id === id) waiting.resolve(times.get(id)!)
    }
  }
  read().catch(() => {})
  return {
    received(id: string): Promise<number> {
      const time = times.get(id)
      if (time !== undefined) return Promise.resolve(time)
      return new Promise(resolve => {
        waiting = { id, resolve }
      })
    }
  }
}

/** Reads of three servers in turns: one without a hub, one with one that takes its events, and one whose hub is away. */
async function measureCalls(ground: BenchEnvironment, hub: BenchHub, database: string): Promise<Measurement[]> {
  const lost = await ground.startHub(database)
  const servers = {
    without: await ground.startToolgate(makeWorkspace(ground)),
    up: await startEnrolled(ground, hub),
    down: await startEnrolled(ground, lost)
  }
  await lost.stop()
  const open = (server: Endpoint) => LoadClient.open(ground, server, READ)
  const clients = { without: await open(servers.without), up: await open(servers.up), down: await open(servers.down) }
  const samples = ground.scale(50, 5)
  const { without, up, down } = await interleave(ground.scale(80, 1), {
    without: () => measureLatencies(clients.without, samples),
    up: () => measureLatencies(clients.up, samples),
    down: () => measureLatencies(clients.down, samples)
  })
  const figure = (how: string, rounds: Rounds): Measurement => ({
    work: `read 4 KB ${how}, p50`,
    unit: 'ms',
    ours: medianOverRounds(rounds, 0.5),
    floor: medianOverRounds(without, 0.5),
    target: { bound: 'at most', times: 1.03 }
  })
  return [figure('with a hub', up), figure('with a hub that is away', down)]
}

async function startEnrolled(ground: BenchEnvironment, hub: Endpoint) {
  const response = await fetch(`http://${hub.host}:${hub.port}/enrolments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${hub.token}`, 'content-type': 'application/json' },
    body: '{}'
  })
  const { code } = (await response.json()) as { code: string }
  const url = `http://${hub.host}:${hub.port}`
  return ground.startToolgate(makeWorkspace(ground), 'none', undefined, ['--hub', url, '--hub-code', code])
}

/** A folder has one server. */
function makeWorkspace(ground: BenchEnvironment) {
  const folder = mkdtempSync(path.join(ground.folder, 'workspace-'))
  writeFileSync(path.join(folder, '4k.txt'), generateText(4_096, 1))
  return folder
}

async function openUplink(ground: BenchEnvironment, hub: Endpoint, name: string) {
  const uplink = await SimulatedUplink.open(hub, name)
  ground.onCleanup(() => uplink.close())
  return uplink
}
