// A minimal LSP client that shares no code with ours: framing, messages and positions are implemented separately, to compare the
// server's answers with the results of calls.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Json } from '../../start-app.ts'
import { within } from '../../support/wait.ts'

export interface ServerStart {
  argv: readonly string[]
  /** Absolute path of the project. */
  folder: string
  env?: Record<string, string>
  options?: object
  settings?: Json
  /** Client capabilities beyond the minimum. */
  capabilities?: Json
}

export class DirectLspClient {
  readonly child: ChildProcessWithoutNullStreams
  readonly folder: string
  /** The server's capabilities. */
  capabilities: Json = {}
  /** All received messages, in order. */
  readonly messages: Json[] = []
  stderr = ''
  readonly #settings: Json
  readonly #pending = new Map<number, { resolve(result: Json): void; reject(error: Error): void }>()
  readonly #published = new Map<string, Json[]>()
  readonly #watchers = new Set<() => void>()
  #registered: string[] = []
  #unread = Buffer.alloc(0)
  #last = 0

  private constructor({ argv, folder, env = {}, settings = {} }: ServerStart) {
    this.folder = folder
    this.#settings = settings
    // Removes the options that instrument tests: some servers do not even start with them.
    const words = ['-u', 'NODE_OPTIONS', ...argv]
    this.child = spawn('/usr/bin/env', words, { cwd: folder, env: { ...process.env, ...env } as NodeJS.ProcessEnv })
    this.child.stdout.on('data', (bytes: Buffer) => this.#read(bytes))
    this.child.stderr.on('data', (bytes: Buffer) => {
      this.stderr = (this.stderr + bytes).slice(-20_000)
    })
    this.child.stdin.on('error', () => {})
    this.child.once('exit', (code, signal) => this.#end(new Error(`it ended: ${code ?? signal} ${this.stderr}`)))
    this.child.once('error', error => this.#end(error))
  }

  static async start(started: ServerStart): Promise<DirectLspClient> {
    const client = new DirectLspClient(started)
    const uri = pathToFileURL(started.folder).href
    const { capabilities } = await client.request('initialize', {
      processId: process.pid,
      rootUri: uri,
      rootPath: started.folder,
      workspaceFolders: [{ uri, name: 'project' }],
      initializationOptions: started.options,
      capabilities: {
        window: { workDoneProgress: true },
        workspace: {
          configuration: true,
          workspaceFolders: true,
          didChangeConfiguration: { dynamicRegistration: true }
        },
        textDocument: {
          definition: { linkSupport: false },
          references: {},
          hover: { contentFormat: ['markdown', 'plaintext'] },
          diagnostic: { dynamicRegistration: true },
          publishDiagnostics: {}
        },
        ...started.capabilities
      }
    })
    client.capabilities = capabilities
    client.notify('initialized', {})
    client.notify('workspace/didChangeConfiguration', { settings: started.settings ?? {} })
    return client
  }

  request(method: string, params: unknown): Promise<Json> {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      this.#send({ id, method, params })
    })
  }

  notify(method: string, params: unknown) {
    this.#send({ method, params })
  }

  uriOf = (name: string) => pathToFileURL(path.join(this.folder, name)).href

  open(name: string, languageId: string) {
    const text = readFileSync(path.join(this.folder, name), 'utf8')
    this.notify('textDocument/didOpen', { textDocument: { uri: this.uriOf(name), languageId, version: 1, text } })
  }

  /** Repeats the search after each message, until it succeeds. */
  async until<T>(find: () => T | undefined | Promise<T | undefined>): Promise<T> {
    for (;;) {
      const said = new Promise<void>(resolve => this.#watchers.add(resolve))
      const found = await find()
      if (found !== undefined) return found
      await within('the next message of the language server', said)
    }
  }

  /** Returns the last pushed diagnostics of a file. */
  published = (name: string): Json[] | undefined => this.#published.get(normal(this.uriOf(name)))

  /** Returns whether the server supports pull diagnostics. */
  pulls = () => Boolean(this.capabilities.diagnosticProvider) || this.#registered.includes('textDocument/diagnostic')

  async pulled(name: string): Promise<Json[]> {
    const textDocument = { uri: this.uriOf(name) }
    return (await this.request('textDocument/diagnostic', { textDocument })).items
  }

  async stop() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const gone = new Promise(resolve => this.child.once('exit', resolve))
    this.child.kill('SIGKILL')
    await gone
  }

  #send(message: object) {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message })
    this.child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }

  #read(bytes: Buffer) {
    this.#unread = Buffer.concat([this.#unread, bytes])
    for (;;) {
      const head = this.#unread.indexOf('\r\n\r\n')
      if (head < 0) return
      const length = Number(/content-length: *(\d+)/i.exec(this.#unread.subarray(0, head).toString('latin1'))![1])
      const end = head + 4 + length
      if (this.#unread.length < end) return
      const message = JSON.parse(this.#unread.subarray(head + 4, end).toString('utf8'))
      this.#unread = this.#unread.subarray(end)
      this.#onMessage(message)
    }
  }

  #onMessage(message: Json) {
    this.messages.push(message)
    if (message.method === undefined) {
      const waiting = this.#pending.get(message.id)
      this.#pending.delete(message.id)
      if (message.error) waiting?.reject(new Error(`${message.error.code} ${message.error.message}`))
      else waiting?.resolve(message.result)
    } else {
      if (message.method === 'textDocument/publishDiagnostics')
        this.#published.set(normal(message.params.uri), message.params.diagnostics)
      if (message.method === 'client/registerCapability')
        this.#registered.push(...message.params.registrations.map(({ method }: Json) => method))
      if (message.id !== undefined) this.#send({ id: message.id, result: this.#answer(message) })
    }
    for (const wake of this.#watchers) wake()
    this.#watchers.clear()
  }

  #answer({ method, params }: Json): unknown {
    if (method !== 'workspace/configuration') return null
    return params.items.map(({ section }: Json) =>
      (section ?? '').split('.').reduce((at: Json, name: string) => (name ? (at?.[name] ?? null) : at), this.#settings)
    )
  }

  #end(error: Error) {
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }
}

/** Servers differ in the characters they escape. */
const normal = (uri: string) => fileURLToPath(uri)
