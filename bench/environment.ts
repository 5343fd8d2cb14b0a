// Environment of a benchmark row: a folder, servers and helpers, removed when the row ends.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Endpoint } from './http.ts'
import { type StartedProcess, startUntilReady } from './process.ts'
import { BenchSpawner, type Command } from './spawner.ts'

const PROJECT = path.resolve(import.meta.dirname, '..')
const PROGRAM = 'bin/toolgate.cjs'
const TOOLGATE = path.join(PROJECT, PROGRAM)
const FLOORS_FOLDER = path.join(import.meta.dirname, 'floors')
/** All measured calls run without approval. */
const ALLOW_RULES = ['write', 'execute'].map(effect => ({ effect: 'allow', match: { effect } }))
/** The protocol's reference server, over stdio. */
export const REFERENCE_MCP_SERVER = path.join(
  PROJECT,
  'test/e2e/node_modules/@modelcontextprotocol/server-everything/dist/index.js'
)
const REFERENCE_SERVER_CONFIG = { command: process.execPath, args: [REFERENCE_MCP_SERVER] }
const mcpServers = (good: number) =>
  Object.fromEntries(Array.from({ length: good }, (_, i) => [`good${i}`, REFERENCE_SERVER_CONFIG]))
/** Each is broken differently. */
const BROKEN_MCP_SERVERS = {
  absent: { command: 'no-such-program' },
  ends: { command: 'false' },
  silent: { command: 'sleep', args: ['600'] },
  nowhere: { url: 'http://127.0.0.1:1024/mcp' },
  empty: {}
}
/** Sandbox settings of a server, and more for some rows; `unconfigured` has no file at all. */
const CONFIGURATIONS = {
  none: { rules: ALLOW_RULES, sandbox: { level: 'none' } },
  mcp: { rules: ALLOW_RULES, sandbox: { level: 'none' }, mcp_servers: mcpServers(1) },
  many_mcp: {
    rules: ALLOW_RULES,
    sandbox: { level: 'none' },
    mcp_servers: { ...mcpServers(15), ...BROKEN_MCP_SERVERS }
  },
  workspace: { rules: ALLOW_RULES, sandbox: { level: 'workspace' } },
  unconfigured: undefined
}

export interface BenchHub extends Endpoint {
  pid: number
  stop(): Promise<void>
}

export interface BenchServer extends BenchHub {
  /** May call, and not approve. */
  call_token: string
}

export class BenchEnvironment {
  /** Smoke test: few samples, meaningless figures. */
  readonly isQuick: boolean
  readonly folder: string
  /** The default workspace of our servers, and an identical one for the floors. */
  readonly root: string
  readonly floorRoot: string
  readonly #cleanups: (() => Promise<void> | void)[] = []

  constructor(quick: boolean) {
    this.isQuick = quick
    this.folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-bench-')))
    this.root = path.join(this.folder, 'workspace')
    this.floorRoot = path.join(this.folder, 'floor-workspace')
    mkdirSync(this.root)
    mkdirSync(this.floorRoot)
    for (const [name, configuration] of Object.entries(CONFIGURATIONS)) {
      const config = path.join(this.folder, `config-${name}`, 'toolgate')
      mkdirSync(config, { recursive: true })
      if (configuration) writeFileSync(path.join(config, 'config.jsonc'), JSON.stringify(configuration))
    }
  }

  /** Returns the full number, or the small one in quick mode. */
  scale(full: number, quick = 1): number {
    return this.isQuick ? quick : full
  }

  /** Writes a file to both workspaces. */
  write(name: string, content: string) {
    for (const root of [this.root, this.floorRoot]) writeFileSync(path.join(root, name), content)
  }

  /** Starts a built server, by default this project's, as a process with its own state folder and the rules above. */
  async startToolgate(
    root = this.root,
    configuration: keyof typeof CONFIGURATIONS = 'none',
    project = PROJECT,
    more: readonly string[] = []
  ): Promise<BenchServer> {
    const env = { ...this.#env(configuration), XDG_STATE_HOME: mkdtempSync(path.join(this.folder, 'state-')) }
    const args = [
      'serve',
      '--root',
      `default=${root}`,
      '--port',
      '0',
      '--ready',
      'json',
      '--log-level',
      'warn',
      ...more
    ]
    const started = await startUntilReady(path.join(project, PROGRAM), args, { cwd: root, env })
    const { token, call_token } = JSON.parse(readFileSync(String(started.ready.discovery_file), 'utf8'))
    return this.#toEndpoint(started, { token, call_token })
  }

  /** Starts a process of the built hub. All of them share the token of one account. */
  async startHub(database: string): Promise<BenchHub> {
    const state = path.join(this.folder, 'state-hub')
    mkdirSync(state, { recursive: true })
    const env = { ...this.#env('unconfigured'), XDG_STATE_HOME: state }
    const args = ['hub', '--database', database, '--port', '0', '--json']
    const started = await startUntilReady(TOOLGATE, args, { cwd: this.folder, env })
    const token = readFileSync(path.join(state, 'toolgate/hub/hub-admin-token'), 'utf8').trim()
    return this.#toEndpoint(started, { token })
  }

  /** Returns the command line program, for a user with the servers above. */
  toolgateCommand(args: readonly string[]): Command {
    return { file: process.execPath, args: [TOOLGATE, ...args], cwd: this.root, env: this.#env('unconfigured') }
  }

  /** Starts a floor server: one of the scripts under floors/. */
  async startFloor(name: 'everything' | 'fastify' | 'streams', root = this.floorRoot): Promise<BenchServer> {
    const env = { PATH: process.env.PATH ?? '' }
    const started = await startUntilReady(path.join(FLOORS_FOLDER, `${name}.mjs`), [root], { cwd: root, env })
    const token = 'x'.repeat(43)
    return this.#toEndpoint(started, { token, call_token: token })
  }

  /** Starts a small process that spawns others, as a floor. */
  spawner(): BenchSpawner {
    const spawner = new BenchSpawner(path.join(FLOORS_FOLDER, 'spawn.mjs'))
    this.#cleanups.push(() => spawner.close())
    return spawner
  }

  #env(configuration: keyof typeof CONFIGURATIONS) {
    return {
      PATH: process.env.PATH ?? '',
      HOME: this.folder,
      XDG_CONFIG_HOME: path.join(this.folder, `config-${configuration}`),
      // Persists between starts, as on any machine where it was started before.
      XDG_CACHE_HOME: path.join(tmpdir(), 'toolgate-bench-cache')
    }
  }

  onCleanup(cleanup: () => Promise<void> | void) {
    this.#cleanups.push(cleanup)
  }

  async cleanUp(): Promise<void> {
    for (const cleanup of this.#cleanups.toReversed()) await cleanup()
    rmSync(this.folder, { recursive: true, force: true })
  }

  #toEndpoint<Tokens extends { token: string }>({ pid, ready, stop }: StartedProcess, tokens: Tokens) {
    this.#cleanups.push(stop)
    const { hostname, port } = new URL(String(ready.url))
    return { host: hostname, port: Number(port), ...tokens, pid, stop }
  }
}
