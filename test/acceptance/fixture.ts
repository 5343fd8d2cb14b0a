// Fixture: the built server as a process on a real git repository, accessed over HTTP alone.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { execaSync } from 'execa'
import type { Test } from 'tap'
import { SseParser } from '../../src/client/sse.ts'
import type { DiscoveryRecord } from '../../src/server/discovery.ts'
import { createProject, type ReadyLine } from '../cli/toolgate.ts'
import { once, waitUntil, within } from '../support/wait.ts'

const FOLDERS = 40
const FILES_IN_EACH = 75

// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire is compared, not typed
export type Json = any

export interface CurlResponse {
  status: number
  type: string
  body: Json
}

/** Creates a home and a git project of about a thousand files, with the given files added. */
export function createLargeRepository(t: Test, files: Record<string, string> = {}) {
  const all: Record<string, string> = { ...files }
  for (let folder = 0; folder < FOLDERS; folder++)
    for (let file = 0; file < FILES_IN_EACH; file++)
      all[`src/part${folder}/file${file}.js`] = `// Part ${folder}.\nexport const value = ${folder * file}\n`
  return createGitProject(t, all)
}

/** Creates the same with the given files alone. */
export function createGitProject(t: Test, files: Record<string, string> = {}, prefix: readonly string[] = []) {
  const at = createProject(t, files, prefix)
  const git = (...args: string[]) =>
    execaSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
      cwd: at.project,
      env: { PATH: process.env.PATH, HOME: at.home, GIT_CONFIG_NOSYSTEM: '1' },
      extendEnv: false,
      stripFinalNewline: false
    }).stdout
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--allow-empty', '--message', 'All there is')
  return {
    ...at,
    git,
    has: (name: string) => existsSync(path.join(at.project, name)),
    read: (name: string) => readFileSync(path.join(at.project, name), 'utf8'),
    write(name: string, content: string) {
      mkdirSync(path.dirname(path.join(at.project, name)), { recursive: true })
      writeFileSync(path.join(at.project, name), content)
    }
  }
}

/** A request as a client may send it, valid or not. */
export interface Sending {
  method?: string
  /** A list repeats the header. */
  headers?: Record<string, string | string[]>
  body?: string
  /** The server's own by default; undefined sends none. */
  token?: string | undefined
  socketPath?: string
  /** The request target, if not the path. */
  target?: string
}

export const JSON_TYPE = { 'content-type': 'application/json' }

/** Connects to a running server. */
export function connectWithCurl({ url, discovery_file }: Pick<ReadyLine, 'url' | 'discovery_file'>) {
  const { token, call_token } = JSON.parse(readFileSync(discovery_file, 'utf8')) as DiscoveryRecord

  function open(path: string, sending: Sending = {}): ClientRequest {
    const { method = 'GET', headers = {}, body, socketPath, target = path } = sending
    const bearer = 'token' in sending ? sending.token : token
    const sent = request({
      ...(socketPath === undefined ? { hostname: new URL(url).hostname, port: new URL(url).port } : { socketPath }),
      method,
      path: target,
      headers: { ...headers, ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) }
    })
    return sent.end(body)
  }

  /** Sends a request and reads the whole response. */
  async function raw(path: string, sending?: Sending): Promise<CurlResponse> {
    const sent = open(path, sending)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    // The server may close the connection while a rejected body is still being sent.
    sent.on('error', () => {})
    const text = await within(`the answer to ${path}`, buffer(response))
    const type = response.headers['content-type'] ?? ''
    const body = text.toString('utf8')
    return { status: response.statusCode!, type, body: /json/.test(type) ? JSON.parse(body) : body }
  }

  const send = (method: string, path: string, body?: unknown, { headers, ...more }: Sending = {}) =>
    raw(path, {
      method,
      ...more,
      headers: { ...(body !== undefined && JSON_TYPE), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })

  return {
    url,
    token,
    call_token,
    raw,
    get: async (path: string) => (await raw(path)).body,
    post: (path: string, body: unknown, more?: Sending) => send('POST', path, body, more),
    send,
    /** Submits a call; the response is that of an ended or pending call. */
    call: (tool: string, params: object, more: object = {}) => send('POST', '/calls', { tool, params, ...more }),
    listen: (t: Test, headers: Record<string, string> = {}, query = '') =>
      listen(t, open(`/events${query}`, { headers: { accept: 'text/event-stream', ...headers } }))
  }
}

export type Server = ReturnType<typeof connectWithCurl>

/** An open event stream. */
export interface EventListener {
  /** Every event received so far, each with its frame id. */
  events: Json[]
  /** Reads up to the next event that matches and returns all since the last one. */
  until(fits: (event: Json) => boolean): Promise<Json[]>
  /** Reads until the connection ends. */
  untilEnd(): Promise<void>
}

function listen(t: Test, sent: ClientRequest): EventListener {
  t.teardown(() => sent.destroy())
  const parser = new SseParser()
  const events: Json[] = []
  // Attached now, not on the first read: Node discards a response without a listener.
  const bytes = bytesOf(new Promise((resolve, reject) => sent.once('response', resolve).once('error', reject)))
  let taken = 0

  async function more(): Promise<boolean> {
    const { done, value } = await bytes.next()
    if (!done)
      for (const { id, event, data } of parser.push(value as Uint8Array))
        events.push({ id, event, ...JSON.parse(data) })
    return !done
  }
  async function next(fits: (event: Json) => boolean) {
    for (;;) {
      const at = events.findIndex((event, i) => i >= taken && fits(event))
      if (at >= 0) {
        const since = events.slice(taken, at + 1)
        taken = at + 1
        return since
      }
      if (!(await more()))
        throw new Error(`the stream ended after ${JSON.stringify(events.slice(taken)).slice(0, 2_000)}`)
    }
  }
  async function drain() {
    while (await more());
  }
  return {
    events,
    until: fits => within(`an event such as ${fits}`, next(fits)),
    untilEnd: () => within('the end of the stream', drain())
  }
}

/** Yields the response body as it arrives; ends with the connection, however that ends. */
async function* bytesOf(answered: Promise<IncomingMessage>): AsyncGenerator<Uint8Array, undefined> {
  try {
    yield* await answered
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
  }
}

/** Returns the journal events up to `head` without snapshots, for comparison. Progress is retained only while a call runs. */
export const comparableEvents = (events: readonly Json[], head: number) =>
  events.filter(({ type, seq }) => !['stream.snapshot', 'tool.progress'].includes(type) && seq <= head)

/** Reads the whole journal, and the number of its newest event. */
export async function readJournal(t: Test, server: Server): Promise<{ head: number; events: Json[] }> {
  const { head } = await server.get('/state')
  if (head === 0) return { head, events: [] }
  const listener = server.listen(t, {}, '?after=0')
  await listener.until(({ type, seq }) => type !== 'stream.snapshot' && seq >= head)
  return { head, events: comparableEvents(listener.events, head) }
}

/** Waits until the process is gone. A zombie has no command line. */
export async function waitForExit(pid: string): Promise<void> {
  await waitUntil(`process ${pid} to end`, () => commandLine(pid) === '')
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
