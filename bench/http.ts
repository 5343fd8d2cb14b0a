// The load client: keep-alive connections that do little more than send prebuilt bytes and find the end of the response. The same
// for every server, so that its cost is in every figure alike.
import { connect, type Socket } from 'node:net'

export interface Endpoint {
  host: string
  port: number
  token: string
}

export interface Reply {
  status: number
  body: Buffer
}

/** Encodes a request. */
export function encodeRequest(
  { host, port, token }: Endpoint,
  method: string,
  target: string,
  headers: Readonly<Record<string, string | number>> = {},
  body = ''
): Buffer {
  const lines = Object.entries({
    host: `${host}:${port}`,
    authorization: `Bearer ${token}`,
    ...(body !== '' && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    ...headers
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}

export class Connection {
  readonly #endpoint: Pick<Endpoint, 'host' | 'port'>
  /** Undefined until first used, and after the server has closed an idle connection. */
  #socket: Socket | undefined
  #reply: PromiseWithResolvers<Reply> | undefined
  #received: Buffer = Buffer.alloc(0)

  static async open(endpoint: Pick<Endpoint, 'host' | 'port'>): Promise<Connection> {
    const connection = new Connection(endpoint)
    connection.#socket = await connection.#connect()
    return connection
  }

  private constructor(endpoint: Pick<Endpoint, 'host' | 'port'>) {
    this.#endpoint = endpoint
  }

  /** Sends one request and returns its response; the next may follow only then. */
  async send(bytes: Buffer): Promise<Reply> {
    this.#socket ??= await this.#connect()
    this.#reply = Promise.withResolvers()
    this.#socket.write(bytes)
    return this.#reply.promise
  }

  close() {
    this.#reply = undefined
    this.#socket?.destroy()
  }

  async #connect(): Promise<Socket> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = connect({ ...this.#endpoint, noDelay: true }, resolve)
    socket.on('data', chunk => this.#take(chunk))
    socket.on('error', error => this.#end(error))
    socket.on('close', () => this.#end(new Error('the server closed the connection')))
    socket.once('error', reject)
    await promise
    return socket
  }

  #end(error: Error) {
    this.#socket = undefined
    this.#reply?.reject(error)
  }

  #take(chunk: Buffer) {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const end = this.#received.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = this.#received.toString('latin1', 0, end)
    const length = /^content-length: (\d+)/im.exec(head)?.[1]
    if (length === undefined) return this.#end(new Error(`an answer without content-length: ${head}`))
    const body = this.#received.subarray(end + 4)
    if (body.length < Number(length)) return
    this.#received = Buffer.alloc(0)
    this.#reply?.resolve({ status: Number(head.slice(9, 12)), body })
  }
}
