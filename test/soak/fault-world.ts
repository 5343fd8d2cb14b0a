// A server in a separate mount namespace, in which its programs can be replaced for it alone, with an oracle: what the server has
// acknowledged must be there for ever.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { execaSync } from 'execa'
import type { Json } from '../start-app.ts'

const PROGRAM = path.resolve(import.meta.dirname, '../../bin/toolgate.cjs')
const FAKE_LANGUAGE_SERVER = path.resolve(import.meta.dirname, '../host/lsp/fake-server.mjs')
const FAKE_MCP_SERVER = path.resolve(import.meta.dirname, '../host/mcp/scripted-server.ts')
/** Folder of the Node.js that runs this, with its libraries. */
const NODE_FOLDER = path.dirname(path.dirname(realpathSync(process.execPath)))
/** A server that does not start within this time hangs. */
const START_MS = 120_000
/** A request that is not answered within this time hangs. */
const REQUEST_MS = 60_000
const POLL_MS = 20

/** The answer to a call: its status or error code, and how long it took. */
export interface Outcome {
  what: string
  ms: number
}

interface Resources {
  rss_mib: number
  descriptors: number
  threads: number
  state_mib: number
}

export class FaultWorld {
  readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'faults-')))
  readonly project = path.join(this.folder, 'project')
  /** Programs that the server starts from its search path or its configuration. */
  readonly programs = path.join(this.folder, 'programs')
  readonly state = path.join(this.folder, 'state')
  /** Acknowledged calls by id, with the status that they ended with. */
  readonly #acknowledged = new Map<string, string>()
  /** Acknowledged content of files. */
  readonly #written = new Map<string, string>()
  #server: { process: ChildProcess; url: string; token: string } | undefined
  #files = 0

  constructor() {
    const home = path.join(this.folder, 'home')
    for (const folder of [this.project, this.programs, this.state, path.join(home, '.config/toolgate')])
      mkdirSync(folder, { recursive: true })
    this.writeProgram('hook', '#!/bin/sh\ncat > /dev/null\n')
    this.writeProgram('language-server', `#!/bin/sh\nexec ${process.execPath} ${FAKE_LANGUAGE_SERVER}\n`)
    this.writeProgram('mcp', `#!/bin/sh\nexec ${process.execPath} ${FAKE_MCP_SERVER}\n`)
    writeFileSync(path.join(this.project, 'a.yaml'), 'hover\n')
    writeFileSync(path.join(this.project, 'a.txt'), 'a needle\n')
    for (const args of [
      ['init', '-q'],
      ['add', '.'],
      ['-c', 'user.name=T', '-c', 'user.email=t@localhost', 'commit', '-qm', 'x']
    ])
      execaSync('git', args, { cwd: this.project, stdio: 'ignore' })
    const config = {
      sandbox: { level: 'none', read: [this.programs, path.resolve(import.meta.dirname, '..'), NODE_FOLDER] },
      rules: ['write_file', 'create_directory', 'shell_exec', 'mcp:fake:*'].map(tool => ({
        effect: 'allow',
        match: { tool }
      })),
      hooks: [
        {
          name: 'hook',
          when: 'before',
          match: { tool: 'create_directory' },
          command: [path.join(this.programs, 'hook')],
          timeout_ms: 2_000
        }
      ],
      mcp_servers: { fake: { command: path.join(this.programs, 'mcp') } },
      language_servers: {
        start_ms: 3_000,
        servers: { 'yaml-language-server': { command: path.join(this.programs, 'language-server') } }
      }
    }
    writeFileSync(path.join(home, '.config/toolgate/config.jsonc'), JSON.stringify(config))
  }

  get pid(): number {
    return this.#server!.process.pid!
  }

  get hasExited(): boolean {
    return !this.#server || this.#server.process.exitCode !== null || this.#server.process.signalCode !== null
  }

  writeProgram(name: string, text: string, mode = 0o755) {
    const file = path.join(this.programs, name)
    rmSync(file, { force: true })
    writeFileSync(file, text, { mode })
  }

  async start() {
    const child = spawn(
      'unshare',
      // A user namespace has separate limits for watches.
      [
        '--user',
        '--map-root-user',
        '--mount',
        process.execPath,
        PROGRAM,
        'serve',
        '--ready',
        'json',
        '--log-level',
        'error'
      ],
      {
        cwd: this.project,
        env: this.#environment(),
        stdio: ['ignore', 'pipe', 'ignore']
      }
    )
    const line = once(createInterface({ input: child.stdout! }), 'line')
    const ended = once(child, 'exit').then(([code]) =>
      Promise.reject(new Error(`the server ended with ${code} at its start`))
    )
    const late = delay(START_MS, undefined, { ref: false }).then(() =>
      Promise.reject(new Error('the server does not start'))
    )
    const [text] = await Promise.race([line, ended, late])
    ended.catch(() => {})
    const { url, discovery_file } = JSON.parse(text)
    const { token } = JSON.parse(readFileSync(discovery_file, 'utf8'))
    this.#server = { process: child, url, token }
  }

  /** Ends the server, however it is by then. */
  async stop(signal: NodeJS.Signals = 'SIGKILL') {
    if (!this.#server || this.hasExited) return
    const exited = once(this.#server.process, 'exit')
    this.#server.process.kill(signal)
    await exited
  }

  async remove() {
    await this.stop()
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  findJournalFolder(): string {
    const folders = path.join(this.state, 'workspaces')
    return path.join(folders, readdirSync(folders)[0]!)
  }

  /** Saves what can be read of a journal. */
  repairJournal() {
    execaSync(process.execPath, [PROGRAM, 'journal', 'repair'], {
      cwd: this.project,
      env: this.#environment(),
      extendEnv: false,
      stdio: 'ignore'
    })
  }

  #environment() {
    return {
      PATH: process.env.PATH,
      HOME: path.join(this.folder, 'home'),
      TOOLGATE_ADMIN_CONFIG: path.join(this.folder, 'none'),
      TOOLGATE_STATE_DIR: this.state
    }
  }

  /** Runs a command in the mount namespace of the server. */
  inside(...command: string[]) {
    execaSync('nsenter', ['--mount', '--target', String(this.pid), ...command], { stdio: 'ignore' })
  }

  /** Sets the number of watches that the server may have. */
  limitWatches(count: number) {
    const limit = `echo ${count} > /proc/sys/user/max_inotify_watches`
    execaSync('nsenter', ['--user', '--target', String(this.pid), 'sh', '-c', limit], { stdio: 'ignore' })
  }

  /** Returns true if the server reports changes by other programs. */
  async isWatching(): Promise<boolean> {
    const { body } = await this.request('GET', '/capabilities')
    return body.workspaces[0].watching
  }

  /** Returns the pids of the server's helper processes that start programs. */
  findHelpers(): number[] {
    const children = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'latin1')
      .trim()
      .split(' ')
      .filter(Boolean)
    return children.map(Number).filter(pid => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('runSpawnHelper'))
  }

  async request(method: string, target: string, body?: unknown): Promise<{ status: number; body: Json }> {
    const response = await fetch(this.#server!.url + target, {
      method,
      headers: {
        authorization: `Bearer ${this.#server!.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' })
      },
      signal: AbortSignal.timeout(REQUEST_MS),
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    return { status: response.status, body: await response.json() }
  }

  /** Runs a call to its end, and remembers what was acknowledged. */
  async call(tool: string, params: object): Promise<Outcome> {
    const began = performance.now()
    let what: string
    try {
      let { body } = await this.request('POST', '/calls?wait_ms=30000', { tool, params })
      while (body.status === 'running' || body.status === 'queued')
        body = (await this.request('GET', `/calls/${body.tool_call_id}?wait_ms=30000`)).body
      if (body.tool_call_id !== undefined) this.#acknowledged.set(body.tool_call_id, body.status)
      what = body.error?.code ?? body.code ?? body.status
      if (what === 'INTERNAL') console.error(JSON.stringify(body))
    } catch (error) {
      const { code } = ((error as Error).cause ?? error) as { code?: string }
      what = `no answer (${code ?? (error as Error).name})`
    }
    return { what, ms: Math.round(performance.now() - began) }
  }

  /** Writes a new file by a call. */
  async write(): Promise<Outcome> {
    const [name, content] = [`new-${++this.#files % 50}.txt`, `${this.#files}\n`]
    const outcome = await this.call('write_file', { path: name, content })
    if (outcome.what === 'success') this.#written.set(name, content)
    return outcome
  }

  /** Describes what was acknowledged and is not there; nothing if all is. */
  async findLost(): Promise<string[]> {
    const lost: string[] = []
    for (const [id, status] of this.#acknowledged) {
      const { body } = await this.request('GET', `/calls/${id}`)
      if (body.status !== status && status !== 'awaiting_approval')
        lost.push(`${id} ended with ${status}, is ${body.status ?? body.code}`)
    }
    this.#acknowledged.clear()
    for (const [name, content] of this.#written) {
      const file = path.join(this.project, name)
      if (!existsSync(file) || readFileSync(file, 'utf8') !== content) lost.push(`${name} is not as it was written`)
    }
    const { body } = await this.request('GET', '/approvals')
    if (body.approvals.length === 0) lost.push('the waiting call')
    return lost
  }

  measure(): Resources {
    const status = readFileSync(`/proc/${this.pid}/status`, 'latin1')
    const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
    const { stdout: sizes } = execaSync('du', ['-sm', this.state])
    return {
      rss_mib: Math.round(field('VmRSS') / 1_024),
      descriptors: readdirSync(`/proc/${this.pid}/fd`).length,
      threads: field('Threads'),
      state_mib: Number.parseInt(sizes, 10)
    }
  }
}

/** Polls until the condition holds, or the time is over; returns how long that took, or undefined. */
export async function timeUntil(
  condition: () => Promise<boolean> | boolean,
  limitMs: number
): Promise<number | undefined> {
  const began = performance.now()
  while (performance.now() - began < limitMs) {
    if (await condition()) return Math.round(performance.now() - began)
    await delay(POLL_MS)
  }
  return undefined
}
