// Fixture: a server on a new folder, accessed over HTTP like any client does.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { type AppOptions, createApp } from '../src/app.ts'
import { SseParser } from '../src/client/sse.ts'
import { defaultSettings } from '../src/config/merge.ts'
import type { Settings } from '../src/config/settings.ts'
import type { Principal } from '../src/server/tokens.ts'
import type { Tool } from '../src/tool/tool.ts'
import { dependsOn } from './support/needs.ts'
import { removeFolder } from './support/remove-folder.ts'
import { LIMIT_MS, within } from './support/wait.ts'

export const TOKEN = 'a-token-that-may-call-and-approve'
export const CALL_TOKEN = 'a-token-that-may-only-call'

/** Returns a call-only token issued to one agent. */
export const agentToken = (agent: string) => `a-token-of-agent-${agent}`
const agentOfToken = (bearer: string) => /^a-token-of-agent-(.+)$/.exec(bearer)?.[1]

/** Returns the principal of a token, as servers know those of their token files. */
function authenticate(bearer: string): Principal | undefined {
  const agent = agentOfToken(bearer)
  if (bearer === TOKEN) return { rights: new Set(['call', 'approve']) }
  if (bearer === CALL_TOKEN) return { rights: new Set(['call']), token: { id: 'server:call', name: 'tester' } }
  if (agent === undefined) return undefined
  return { rights: new Set(['call']), token: { id: `server:agent:${agent}`, name: agent }, agent }
}

export interface StartOptions {
  settings?: Partial<Settings>
  tools?: readonly Tool[]
  doors?: AppOptions['dirAccess']
  network?: AppOptions['network']
  log?: AppOptions['log']
  brought?: AppOptions['contributions']
  trust?: AppOptions['trust']
  /** False by default. */
  warm?: boolean
  firstRetentionMs?: number
  hubOutageAfterMs?: number
  ringBell?: AppOptions['ringBell']
  /** By default ours, but without the user's configuration. */
  environment?: AppOptions['environment']
  /** The folder of an earlier server, to restart on. */
  folder?: string
  /** The port of the earlier server. */
  port?: number
}

// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire is compared, not typed
export type Json = any

/** Returns the body of an approval of the preview that a call, or an event about it, shows. */
export const toApproval = ({ tool_call_id, approval }: Json) => ({ tool_call_id, digest: approval.digest as string })

/** The response: status and body, parsed if it is JSON. */
export interface HttpReply {
  status: number
  body: Json
  headers: Headers
}

/** Starts a server on a fresh folder with these files; both are removed after the test. */
export async function startApp(t: Test, files: Record<string, string> = {}, options: StartOptions = {}) {
  const folder = options.folder ?? realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-test-')))
  const root = path.join(folder, 'ws')
  mkdirSync(root, { recursive: true })
  const write = (name: string, content: string | Buffer) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), content)
  }
  for (const [name, content] of Object.entries(files)) write(name, content)
  const base = defaultSettings()
  const settings: Settings = {
    ...base,
    roots: [{ name: 'default', path: root }],
    log: { level: 'silent' },
    // File watching is opt-in for tests.
    watch: { external: false, max_folders: 16_384 },
    // The sandbox is opt-in for tests.
    sandbox: { ...base.sandbox, level: 'none' },
    // Language servers are opt-in for tests.
    language_servers: { ...base.language_servers, warm: false },
    state_dir: path.join(folder, 'state'),
    tiers: { administrator: [], user: [], workspace: [] },
    brought: [],
    version: '0.0.0-test',
    ...options.settings
  }
  if (settings.sandbox.level !== 'none') dependsOn('sandbox')
  const hosts: string[] = []
  const starting = createApp(
    settings,
    {
      authenticate,
      allTexts: () => [TOKEN, CALL_TOKEN],
      current: () => ({ token: TOKEN, call_token: CALL_TOKEN })
    },
    {
      environment: options.environment ?? withConfigFolder(path.join(folder, 'config')),
      hosts: () => hosts,
      // Most servers of tests end before, or without, their first command.
      warm: options.warm ?? false,
      ...(options.firstRetentionMs !== undefined && { firstRetentionMs: options.firstRetentionMs }),
      ...(options.hubOutageAfterMs !== undefined && { hubOutageAfterMs: options.hubOutageAfterMs }),
      ...(options.ringBell && { ringBell: options.ringBell }),
      ...(options.tools && { tools: options.tools }),
      ...(options.doors && { dirAccess: options.doors }),
      ...(options.network && { network: options.network }),
      ...(options.log && { log: options.log }),
      ...(options.brought && { contributions: options.brought }),
      ...(options.trust && { trust: options.trust })
    }
  )
  const app = await within('the server to start', starting)
  await within('the server to listen', app.http.listen({ host: '127.0.0.1', port: options.port ?? 0 }))
  const { port } = app.http.server.address() as AddressInfo
  hosts.push(`127.0.0.1:${port}`)
  const url = `http://127.0.0.1:${port}`
  let closed: Promise<void> | undefined
  const close = (drain_ms = 0) =>
    (closed ??= within('the server to close', app.close({ drain_ms }), drain_ms + LIMIT_MS))
  t.teardown(async () => {
    await close()
    if (!options.folder) removeFolder(folder)
  })

  const request = async (
    method: string,
    target: string,
    body?: unknown,
    headers: Record<string, string> = {}
  ): Promise<HttpReply> => {
    const response = await within(
      `the answer to ${method} ${target}`,
      fetch(url + target, {
        method,
        headers: {
          authorization: `Bearer ${TOKEN}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) })
      })
    )
    const text = await within(`the body of the answer to ${method} ${target}`, response.text())
    const json = /json/.test(response.headers.get('content-type') ?? '')
    return { status: response.status, body: json ? JSON.parse(text) : text, headers: response.headers }
  }

  /** Runs a tool with a token, and returns the call once it has ended or waits for a decision, however long the server holds answers. */
  const callAs = async (token: string, tool: string, params: unknown, more: { background?: boolean } | object = {}) => {
    const headers = { authorization: `Bearer ${token}` }
    let call = (await request('POST', '/calls', { tool, params, ...more }, headers)).body
    while (!('background' in more && more.background) && (call.status === 'queued' || call.status === 'running'))
      call = (await request('GET', `/calls/${call.tool_call_id}?wait_ms=1000`, undefined, headers)).body
    return call
  }

  return {
    app,
    url,
    root,
    folder,
    settings,
    close,
    request,
    get: async (target: string) => (await request('GET', target)).body,
    post: async (target: string, body: unknown, headers?: Record<string, string>) =>
      (await request('POST', target, body, headers)).body,
    call: (tool: string, params: unknown, more?: object) => callAs(TOKEN, tool, params, more),
    callAs,
    read: (name: string) => readFileSync(path.join(root, name), 'utf8'),
    write,
    events: (query = '', headers: Record<string, string> = {}) => listenToEvents(t, `${url}/events${query}`, headers)
  }
}

export type TestApp = Awaited<ReturnType<typeof startApp>>

/** Opens an event stream. `until` reads up to the first event that matches and returns all since the previous one. */
export async function listenToEvents(
  t: Test,
  url: string,
  headers: Record<string, string> = {},
  init: RequestInit = {}
) {
  const abort = new AbortController()
  t.teardown(() => abort.abort())
  const opening = fetch(url, {
    ...init,
    headers: { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream', ...headers },
    signal: abort.signal
  })
  const response = await within(`the event stream at ${url}`, opening)
  const parser = new SseParser()
  const seen: Json[] = []
  const bytes = response.body![Symbol.asyncIterator]()
  let taken = 0

  const until = (fits: (event: Json) => boolean, limitMs = LIMIT_MS) =>
    within(`an event such as ${fits}`, next(fits), limitMs)

  async function next(fits: (event: Json) => boolean): Promise<Json[]> {
    for (;;) {
      const at = seen.findIndex((event, i) => i >= taken && fits(event))
      if (at >= 0) {
        const events = seen.slice(taken, at + 1)
        taken = at + 1
        return events
      }
      const { done, value } = await bytes.next()
      if (done) throw new Error(`the stream ended; it had ${JSON.stringify(seen.slice(taken)).slice(0, 2_000)}`)
      for (const { id, event, data } of parser.push(value as Uint8Array)) seen.push({ id, event, ...JSON.parse(data) })
    }
  }
  /** Reads until the server ends the stream. */
  const rest = () => within('the end of the stream', drain())

  async function drain(): Promise<Json[]> {
    for (let part = await bytes.next(); !part.done; part = await bytes.next())
      for (const { id, event, data } of parser.push(part.value as Uint8Array))
        seen.push({ id, event, ...JSON.parse(data) })
    return seen.slice(taken)
  }
  const type = (name: string, more: (event: Json) => boolean = () => true, limitMs = LIMIT_MS) =>
    until(event => event.event === name && more(event), limitMs)
  return { response, until, type, rest, seen, close: () => abort.abort() }
}

/** Returns a live view of our environment, for tests that change it, but without the user's configuration. */
const withConfigFolder = (folder: string): NodeJS.ProcessEnv =>
  new Proxy(process.env, {
    get: (env, name) => (name === 'XDG_CONFIG_HOME' ? folder : Reflect.get(env, name)),
    has: (env, name) => name === 'XDG_CONFIG_HOME' || name in env,
    ownKeys: env => [...new Set([...Reflect.ownKeys(env), 'XDG_CONFIG_HOME'])],
    getOwnPropertyDescriptor: (env, name) =>
      name === 'XDG_CONFIG_HOME'
        ? { value: folder, enumerable: true, configurable: true, writable: true }
        : Reflect.getOwnPropertyDescriptor(env, name)
  })
