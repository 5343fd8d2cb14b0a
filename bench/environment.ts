// What a row stands on: a folder, servers and helpers of its own, all of them gone when the row is over.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Endpoint } from './http.ts'
import { type Started, start } from './process.ts'
import { type Command, Spawner } from './spawner.ts'

const PROJECT = path.resolve(import.meta.dirname, '..')
const OURS = path.join(PROJECT, 'bin/toolgate.cjs')
const FLOORS = path.join(import.meta.dirname, 'floors')
/** Everything that is measured runs without asking. */
const RULES = ['write', 'execute'].map(effect => ({ effect: 'allow', match: { effect } }))
/** The protocol's reference server, over standard input and output. */
export const EVERYTHING = path.join(
  PROJECT,
  'test/e2e/node_modules/@modelcontextprotocol/server-everything/dist/index.js'
)
const REFERENCE = { command: process.execPath, args: [EVERYTHING] }
const mcp = (good: number) => Object.fromEntries(Array.from({ length: good }, (_, i) => [`good${i}`, REFERENCE]))
/** Each in a way of its own. */
const BROKEN = {
  absent: { command: 'no-such-program' },
  ends: { command: 'false' },
  silent: { command: 'sleep', args: ['600'] },
  nowhere: { url: 'http://127.0.0.1:1024/mcp' },
  empty: {}
}
/** What keeps the commands of a server, and more for some rows; `unconfigured` has no file at all. */
const CONFIGURATIONS = {
  none: { rules: RULES, sandbox: { level: 'none' } },
  mcp: { rules: RULES, sandbox: { level: 'none' }, mcp_servers: mcp(1) },
  many_mcp: { rules: RULES, sandbox: { level: 'none' }, mcp_servers: { ...mcp(15), ...BROKEN } },
  workspace: { rules: RULES, sandbox: { level: 'workspace' } },
  unconfigured: undefined
}

export interface Server extends Endpoint {
  pid: number
  stop(): Promise<void>
}

export class Ground {
  /** Only that everything runs: a few samples, figures that mean nothing. */
  readonly quick: boolean
  readonly folder: string
  /** The workspace that our servers serve unless told otherwise, and an equal one for the floors. */
  readonly root: string
  readonly floorRoot: string
  readonly #cleanups: (() => Promise<void> | void)[] = []

  constructor(quick: boolean) {
    this.quick = quick
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

  /** So many when it counts, few when it is quick. */
  many(full: number, quick = 1): number {
    return this.quick ? quick : full
  }

  /** Writes a file to both workspaces. */
  write(name: string, content: string) {
    for (const root of [this.root, this.floorRoot]) writeFileSync(path.join(root, name), content)
  }

  /** Our server, built, as a process with a state folder of its own, and with the rules above. */
  async ours(root = this.root, configuration: keyof typeof CONFIGURATIONS = 'none'): Promise<Server> {
    const env = { ...this.#env(configuration), XDG_STATE_HOME: mkdtempSync(path.join(this.folder, 'state-')) }
    const args = ['serve', '--root', `default=${root}`, '--port', '0', '--ready', 'json', '--log-level', 'warn']
    const started = await start(OURS, args, { cwd: root, env })
    const { token } = JSON.parse(readFileSync(String(started.ready.discovery_file), 'utf8'))
    return this.#serve(started, token)
  }

  /** Our command line, as somebody runs it who has the servers above. */
  commandLine(args: readonly string[]): Command {
    return { file: process.execPath, args: [OURS, ...args], cwd: this.root, env: this.#env('unconfigured') }
  }

  /** A floor that serves: one of the scripts under floors/. */
  async floor(name: 'everything' | 'fastify' | 'streams', root = this.floorRoot): Promise<Server> {
    const env = { PATH: process.env.PATH ?? '' }
    const started = await start(path.join(FLOORS, `${name}.mjs`), [root], { cwd: root, env })
    return this.#serve(started, 'x'.repeat(43))
  }

  /** A small process that starts others, to measure them by. */
  spawner(): Spawner {
    const spawner = new Spawner(path.join(FLOORS, 'spawn.mjs'))
    this.#cleanups.push(() => spawner.close())
    return spawner
  }

  #env(configuration: keyof typeof CONFIGURATIONS) {
    return {
      PATH: process.env.PATH ?? '',
      HOME: this.folder,
      XDG_CONFIG_HOME: path.join(this.folder, `config-${configuration}`),
      // Kept between starts, as on any machine where it was started before.
      XDG_CACHE_HOME: path.join(tmpdir(), 'toolgate-bench-cache')
    }
  }

  onClear(cleanup: () => Promise<void> | void) {
    this.#cleanups.push(cleanup)
  }

  async clear(): Promise<void> {
    for (const cleanup of this.#cleanups.toReversed()) await cleanup()
    rmSync(this.folder, { recursive: true, force: true })
  }

  #serve({ pid, ready, stop }: Started, token: string): Server {
    this.#cleanups.push(stop)
    const { hostname, port } = new URL(String(ready.url))
    return { host: hostname, port: Number(port), token, pid, stop }
  }
}
