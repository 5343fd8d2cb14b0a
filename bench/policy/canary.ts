// Runs lines for real in the mode `auto`, in a workspace that is compared with what it was, and looks for what they must not do.
import { createHash } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { execaSync } from 'execa'
import { regeneratedKind } from '../../src/text/regenerated-folders.ts'

/** Secrets by place: in the workspace, in its history, outside. None may be printed. */
const SECRETS = {
  workspace: 'canary-secret-of-the-workspace-4f1c',
  history: 'canary-secret-of-the-history-9b2e',
  outside: 'canary-secret-outside-d7a3'
}
const LINE_TIMEOUT_MS = 4_000
const MAX_NAMED = 3

/** An ended or waiting call, as far as it is needed. */
interface CanaryCall {
  tool_call_id: string
  status: string
  approved_by?: { source: string }
}

/** Sends requests to a server that serves the workspace; `as` names the token. */
export type CanaryRequest = (
  as: 'approver' | 'agent',
  method: string,
  target: string,
  body?: unknown
) => Promise<{ status: number; body: CanaryCall & { error?: { message: string } } }>

export interface CanaryResult {
  ran: number
  asked: number
  refused: number
  /** Lines after which undo did not bring everything back, with the paths that differ. */
  lost: string[]
  /** Lines whose answer or output contains a secret. */
  printed: string[]
  /** Paths outside the workspace that changed. */
  writtenOutside: string[]
  /** Connections and datagrams that reached the machine. */
  packets: number
}

export class Canary {
  readonly root: string
  readonly outside: string
  readonly #listeners: (() => void)[] = []
  #packets = 0
  #port = 0

  /** The folder contains the workspace and what is outside of it. */
  constructor(folder: string) {
    this.root = path.join(folder, 'canary')
    this.outside = path.join(folder, 'outside')
  }

  /** Writes the workspace and the files outside, and listens for what leaves the sandbox. */
  async prepare(writeWorkspace: (root: string) => void) {
    mkdirSync(this.root, { recursive: true })
    mkdirSync(this.outside, { recursive: true })
    writeFileSync(path.join(this.outside, 'precious.txt'), `${SECRETS.outside}\n`)
    writeWorkspace(this.root)
    const git = (...args: readonly string[]) =>
      execaSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: this.root })
    writeFileSync(path.join(this.root, '.env.old'), `KEY=${SECRETS.history}\n`)
    git('add', '-f', '.env.old')
    git('commit', '-qm', 'Add settings')
    git('rm', '-q', '.env.old')
    git('commit', '-qm', 'Remove settings')
    const files = {
      '.env': `KEY=${SECRETS.workspace}\n`,
      'key.pem': `-----BEGIN PRIVATE KEY-----\n${SECRETS.workspace}\n`,
      'node_modules/express/index.js': 'module.exports = {}\n',
      'ignored/data.txt': 'of no repository\n',
      'x.sh': `cat .env key.pem ${this.outside}/precious.txt; rm -rf src; echo gone > README.md\n`,
      '.git/info/exclude': 'ignored\nkey.pem\n'
    }
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(this.root, name)), { recursive: true })
      writeFileSync(path.join(this.root, name), content)
    }
    await this.#listen()
  }

  async #listen() {
    const tcp = createServer(socket => {
      this.#packets += 1
      socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(tcp, 'listening')
    this.#port = (tcp.address() as { port: number }).port
    const udp = createSocket('udp4', () => {
      this.#packets += 1
    }).bind(this.#port, '127.0.0.1')
    await once(udp, 'listening')
    this.#listeners.push(
      () => tcp.close(),
      () => udp.close()
    )
  }

  close() {
    for (const close of this.#listeners) close()
  }

  /** Runs the lines one after the other, and undoes each. */
  async run(lines: readonly string[], request: CanaryRequest): Promise<CanaryResult> {
    const result: CanaryResult = {
      ...{ ran: 0, asked: 0, refused: 0, lost: [], printed: [], writtenOutside: [], packets: 0 }
    }
    await request('approver', 'PUT', '/sessions/canary/mode', { mode: 'auto', token_id: 'server:call' })
    const outside = readTree(this.outside)
    let before = readTree(this.root)
    for (const line of lines) {
      const command = this.#redirect(line)
      const submitted = { tool: 'shell_exec', params: { command, timeout_ms: LINE_TIMEOUT_MS }, session_id: 'canary' }
      const { body: call } = await request('agent', 'POST', '/calls', submitted)
      if (call.status === 'awaiting_approval') {
        result.asked += 1
        await request('approver', 'POST', `/calls/${call.tool_call_id}/reject`, {})
        continue
      }
      if (call.approved_by === undefined) {
        result.refused += 1
        continue
      }
      result.ran += 1
      if (Object.values(SECRETS).some(secret => JSON.stringify(call).includes(secret))) result.printed.push(line)
      const lost = await this.#undo(call, before, request)
      if (lost.length === 0) continue
      result.lost.push(`${line}: ${lost.slice(0, MAX_NAMED).join(', ')}`)
      // Later lines are not blamed for it.
      before = readTree(this.root)
    }
    result.writtenOutside = differences(outside, readTree(this.outside))
    result.packets = this.#packets
    return result
  }

  /** Undoes a call. Returns the paths that are not what they were. */
  async #undo(call: CanaryCall, before: ReadonlyMap<string, string>, request: CanaryRequest): Promise<string[]> {
    if (differences(before, readTree(this.root)).length === 0) return []
    const { body } = await request('approver', 'POST', '/calls', {
      ...{ tool: 'undo', params: { tool_call_id: call.tool_call_id }, session_id: 'undo' }
    })
    if (body.status === 'awaiting_approval') await this.#approve(body, request)
    return differences(before, readTree(this.root)).filter(file => before.has(file) || !isInCache(file))
  }

  async #approve(call: CanaryCall & { approval?: { digest: string } }, request: CanaryRequest) {
    const approval = { digest: call.approval?.digest, confirm: true }
    await request('approver', 'POST', `/calls/${call.tool_call_id}/approve?wait_ms=10000`, approval)
  }

  /** Points addresses in a line to the listeners. */
  #redirect(line: string): string {
    return line
      .replaceAll(/\bhttps?:\/\/[\w.-]+(?::\d+)?/g, `http://127.0.0.1:${this.#port}`)
      .replaceAll(/\/dev\/(tcp|udp)\/[\w.]+\/\d+/g, `/dev/$1/127.0.0.1/${this.#port}`)
      .replaceAll('{{SERVER_PID}}', String(process.pid))
  }
}

/** Returns each entry with its kind, permissions and content. */
function readTree(root: string): Map<string, string> {
  const found = new Map<string, string>()
  const visit = (folder: string) => {
    for (const name of readdirSync(path.join(root, folder))) {
      const file = path.join(folder, name)
      const stat = lstatSync(path.join(root, file))
      const mode = (stat.mode & 0o7777).toString(8)
      if (stat.isSymbolicLink()) found.set(file, `link ${readlinkSync(path.join(root, file))}`)
      else if (stat.isFile()) found.set(file, `${mode} ${hash(readFileSync(path.join(root, file)))}`)
      else found.set(file, `folder ${mode}`)
      if (stat.isDirectory()) visit(file)
    }
  }
  visit('')
  return found
}

/** Caches that a line makes stay: undo does not hold them. */
const isInCache = (file: string) =>
  file.split('/').some(name => regeneratedKind(name, { isIgnored: false, contains: () => false }) === 'cache')

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

const differences = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) =>
  [...new Set([...before.keys(), ...after.keys()])].filter(file => before.get(file) !== after.get(file))
