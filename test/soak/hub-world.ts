// Servers with load, two processes of a hub behind a balancer, their PostgreSQL, and a reader of all events.

import { randomInt } from 'node:crypto'
import { globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Json } from '../start-app.ts'
import { findFreePort } from '../support/free-port.ts'
import { startPostgres } from '../support/postgres.ts'
import { readFrames } from '../support/sse-frames.ts'
import { waitUntil } from '../support/wait.ts'
import { HubProxy } from './hub-proxy.ts'
import { Process } from './process.ts'

const SERVERS = 3
const HUBS = 2
const TOKEN = 'a-token-of-the-account-of-the-soak'
const CONFIG = { sandbox: { level: 'none' }, rules: [{ effect: 'allow', match: { tool: 'write_file' } }] }
const MAX_CONTENT = 3_000

/** A part that can be killed, and started again. */
interface Part {
  kill(): Promise<void>
  /** Starts it, and returns what is wrong then. */
  restart(): Promise<string[]>
}

export class HubWorld {
  readonly #folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'hub-soak-')))
  readonly #cleanups: (() => unknown)[] = []
  readonly #servers: Process[] = []
  readonly #hubs: Process[] = []
  /** Parts that are being killed. */
  readonly #taken = new Set<Part>()
  /** Writes that a server has answered, by id: reads are answered before they are durable. */
  readonly #answered = new Set<string>()
  /** Numbers of the events that the reader has got, in that order. */
  readonly #read: number[] = []
  readonly #gone = new AbortController()
  #postgres: Part | undefined
  #proxy: HubProxy | undefined
  #database = ''
  #calls = 0

  async start() {
    const postgres = await startPostgres({ teardown: end => this.#cleanups.push(end) })
    this.#database = postgres.createDatabase()
    const ports = await Promise.all(Array.from({ length: HUBS }, findFreePort))
    const proxy = await HubProxy.open(ports)
    this.#proxy = proxy
    this.#cleanups.push(() => proxy.close())
    const tokenFile = path.join(this.#folder, 'token')
    writeFileSync(tokenFile, `${TOKEN}\n`, { mode: 0o600 })
    for (const port of ports) {
      const args = ['hub', '--json', '--port', `${port}`, '--database', this.#database, '--token-file', tokenFile]
      await this.#launch(this.#hubs, [...args, '--allowed-host', proxy.host], `hub-${port}`)
    }
    for (let i = 0; i < SERVERS; i += 1) {
      const { code } = (await (await this.#ask('POST', '/enrolments', { name: `server-${i}` })).json()) as Json
      const args = ['serve', '--ready', 'json', '--log-level', 'error', '--hub', `http://${proxy.host}`]
      await this.#launch(this.#servers, args, `server-${i}`, ['--hub-code', code])
    }
    this.#postgres = {
      kill: () => postgres.kill(),
      restart: async () => {
        // No server may send again before it is known that nothing was lost.
        const acknowledged = new Map(proxy.acknowledged)
        proxy.isShut = true
        await postgres.start()
        const lost = await this.#findLost(acknowledged)
        proxy.isShut = false
        return lost
      }
    }
    void this.#follow()
  }

  /** Returns a part that no other one kills at present. */
  takePart(kind: 'server' | 'hub' | 'postgres'): Part | undefined {
    const parts = kind === 'server' ? this.#servers : kind === 'hub' ? this.#hubs : [this.#postgres!]
    const free = parts.filter(part => !this.#taken.has(part))
    const part = free[randomInt(Math.max(1, free.length))]
    if (!part) return undefined
    this.#taken.add(part)
    return {
      kill: () => part.kill(),
      restart: async () => {
        const faults = await part.restart()
        this.#taken.delete(part)
        return faults
      }
    }
  }

  /** Makes calls at all servers. Returns a function that stops it, and resolves with how many writes were answered. */
  startLoad(): () => Promise<number> {
    const before = this.#answered.size
    let isStopped = false
    const work = async (server: Process) => {
      while (!isStopped) {
        const name = `${this.#calls++ % 20}.txt`
        const isRead = randomInt(3) === 0
        const params = isRead
          ? { path: 'a.txt' }
          : { path: name, content: `${this.#calls}\n`.repeat(randomInt(1, MAX_CONTENT / 5)) }
        await this.#call(server, isRead ? 'read_file' : 'write_file', params).catch(() => pause(50))
      }
    }
    const all = Promise.all([...this.#servers, ...this.#servers].map(work))
    return async () => {
      isStopped = true
      await all
      return this.#answered.size - before
    }
  }

  /** Resolves once the hub has all events of all servers, and the reader all of the hub. */
  async settle() {
    for (const server of this.#servers)
      await waitUntil('the hub has all events', async () => {
        const response = await this.#askServer(server, 'GET', '/capabilities').catch(() => undefined)
        const { hub } = ((await response?.json()) ?? {}) as Json
        return hub?.state === 'connected' && hub.behind === 0
      })
    const [{ newest }] = await this.#query('SELECT coalesce(max(id), 0)::int AS newest FROM events')
    await waitUntil('the reader has all events', () => (this.#read.at(-1) ?? 0) >= newest)
  }

  async check(): Promise<{ events: number; faults: string[] }> {
    const faults = await this.#findLost(this.#proxy!.acknowledged)
    const ids = (await this.#query('SELECT id::int FROM events ORDER BY id')).map(({ id }) => id)
    if (JSON.stringify(ids) !== JSON.stringify(this.#read))
      faults.push(`the reader has ${this.#read.length} events of ${ids.length}, or in another order`)
    const seen = new Set<string>()
    for (let i = 0; i < SERVERS; i += 1) {
      const sent = await this.#query(
        `SELECT journal_id, seq::int, type, tool_call_id, data FROM events JOIN journals USING (journal_id)
         JOIN servers USING (server_id) WHERE name = $1 ORDER BY id`,
        [`server-${i}`]
      )
      const journals = new Set(sent.map(({ journal_id }) => journal_id))
      if (journals.size !== 1) faults.push(`server ${i} has ${journals.size} journals at the hub`)
      faults.push(...compare(i, this.#readJournal(i), sent))
      for (const { type, tool_call_id } of sent) if (type === 'tool.result') seen.add(tool_call_id)
    }
    for (const id of this.#answered)
      if (!seen.has(id)) faults.push(`the hub has no result of ${id}, which was answered`)
    const open = await this.#query(
      `SELECT count(*)::int AS n FROM calls c WHERE ended_at IS NULL AND EXISTS (SELECT 1 FROM events e
       WHERE e.journal_id = c.journal_id AND e.tool_call_id = c.tool_call_id AND e.type = 'tool.result')`
    )
    if (open[0].n > 0) faults.push(`${open[0].n} calls have ended and are not shown so`)
    return { events: ids.length, faults }
  }

  async remove() {
    this.#gone.abort()
    for (const part of [...this.#servers, ...this.#hubs]) await part.kill()
    for (const cleanup of this.#cleanups.toReversed()) await cleanup()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #launch(list: Process[], args: readonly string[], name: string, more: readonly string[] = []) {
    const home = path.join(this.#folder, name)
    const project = path.join(home, 'project')
    for (const folder of [project, path.join(home, '.config/toolgate')]) mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(project, 'a.txt'), 'one\n')
    writeFileSync(path.join(home, '.config/toolgate/config.jsonc'), JSON.stringify(CONFIG))
    const part = new Process(args, project, { PATH: process.env.PATH, HOME: home })
    list.push(part)
    await part.start(more)
  }

  /** Returns the journals of which something that a hub has acknowledged is not there. */
  async #findLost(acknowledged: ReadonlyMap<string, number>): Promise<string[]> {
    const rows = await this.#query(
      'SELECT journal_id, count(*)::int AS n, max(seq)::int AS newest FROM events GROUP BY journal_id'
    )
    const found = new Map(rows.map(({ journal_id, n, newest }) => [journal_id, { n, newest }]))
    return [...acknowledged].flatMap(([journal, stored]) => {
      const { n = 0, newest = 0 } = found.get(journal) ?? {}
      return stored > newest || n !== newest
        ? [`${stored} events of ${journal} were acknowledged; ${n} are there, the newest is ${newest}`]
        : []
    })
  }

  #readJournal(i: number): Json[] {
    const [file] = globSync(path.join(this.#folder, `server-${i}/.local/state/toolgate/**/journal.db`))
    const journal = new DatabaseSync(file!, { readOnly: true })
    try {
      return journal.prepare('SELECT seq, type, tool_call_id, data FROM events ORDER BY seq').all()
    } finally {
      journal.close()
    }
  }

  async #query(text: string, values: unknown[] = []): Promise<Json[]> {
    const client = new pg.Client(this.#database)
    await client.connect()
    try {
      return (await client.query(text, values)).rows
    } finally {
      await client.end()
    }
  }

  #ask(method: string, target: string, body?: object): Promise<Response> {
    return fetch(`http://${this.#proxy!.host}${target}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, ...(body && { 'content-type': 'application/json' }) },
      body: body ? JSON.stringify(body) : null
    })
  }

  #askServer({ ready }: Process, method: string, target: string, body?: object): Promise<Response> {
    const { token } = JSON.parse(readFileSync(ready.discovery_file, 'utf8'))
    return fetch(ready.url + target, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body ? JSON.stringify(body) : null
    })
  }

  async #call(server: Process, tool: string, params: object) {
    const response = await this.#askServer(server, 'POST', '/calls', { tool, params })
    const { tool_call_id, status } = (await response.json()) as Json
    if (status === 'success' && tool === 'write_file') this.#answered.add(tool_call_id)
  }

  /** Reads all events of the hub, again from the last one whenever the stream ends. */
  async #follow() {
    const { signal } = this.#gone
    while (!signal.aborted) {
      try {
        const response = await fetch(`http://${this.#proxy!.host}/events`, {
          headers: { authorization: `Bearer ${TOKEN}`, 'last-event-id': `${this.#read.at(-1) ?? 0}` },
          signal
        })
        if (!response.ok) throw new Error(`the stream is answered with ${response.status}`)
        for await (const { id } of readFrames(response)) this.#read.push(Number(id))
      } catch {
        await pause(100)
      }
    }
  }
}

/** Returns what differs between the journal of a server and what the hub has, in the order in which it stored it. */
function compare(server: number, journal: readonly Json[], sent: readonly Json[]): string[] {
  const toKey = ({ seq, type, tool_call_id }: Json) => `${seq} ${type} ${tool_call_id}`
  const differs = journal.findIndex((event, i) => sent[i] === undefined || toKey(event) !== toKey(sent[i]))
  if (differs !== -1)
    return [
      `server ${server}: event ${toKey(journal[differs])} of the journal, at the hub ${sent[differs] && toKey(sent[differs])}`
    ]
  if (sent.length > journal.length)
    return [`server ${server}: ${sent.length - journal.length} events too many at the hub`]
  // The result of a call is added where the event of the journal ends.
  const changed = journal.findIndex(({ data }, i) => !sent[i].data.startsWith(data.slice(0, -1)))
  return changed === -1 ? [] : [`server ${server}: event ${toKey(journal[changed])} has another content`]
}
