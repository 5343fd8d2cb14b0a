// Starts the built server and makes calls; pending ones are approved as shown.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type StartedProcess, startUntilReady } from '../../bench/process.ts'
import { type Call, type Client, connect } from '../../src/client/client.ts'

const PROGRAM = path.resolve(import.meta.dirname, '../../bin/toolgate.cjs')
const WAIT_MS = 60_000
/** A commit may exceed the default body limit. */
const SERVER_SETTINGS = { limits: { body_bytes: 256 * 1024 * 1024 } }

export class ReplayServer {
  readonly #started: StartedProcess
  readonly #client: Client

  /** Serves `root`, and stores its state in `home`. */
  static async start(root: string, home: string): Promise<ReplayServer> {
    const settings = path.join(home, '.config/toolgate/config.jsonc')
    mkdirSync(path.dirname(settings), { recursive: true })
    writeFileSync(settings, JSON.stringify(SERVER_SETTINGS))
    const env = { PATH: process.env.PATH ?? '', HOME: home }
    const args = ['serve', '--root', `default=${root}`, '--port', '0', '--ready', 'json', '--log-level', 'warn']
    const started = await startUntilReady(PROGRAM, args, { cwd: root, env })
    const { token } = JSON.parse(readFileSync(String(started.ready.discovery_file), 'utf8'))
    return new ReplayServer(started, connect({ url: String(started.ready.url), token }))
  }

  private constructor(started: StartedProcess, client: Client) {
    this.#started = started
    this.#client = client
  }

  /** Returns the ended call. */
  async call(tool: string, params: Record<string, unknown>): Promise<Call> {
    const asked = await this.#client.call(tool, params)
    if (asked.status !== 'awaiting_approval') return asked
    const { level, digest } = asked.approval
    const confirm = level === 'strict' && { confirm: true as const }
    return this.#client.approve(asked.tool_call_id, { digest, ...confirm, wait_ms: WAIT_MS })
  }

  stop(): Promise<void> {
    return this.#started.stop()
  }
}
