// JSON-RPC connection to a language server over its pipes. Its output is bounded, and every request of the server is answered.
import type { DataCallback, Disposable, Event, Message, MessageConnection } from 'vscode-jsonrpc/node'
import type { ChildHandle } from '../../processes/spawner/child-handle.ts'
import { encodeFrame, FrameDecoder } from './frames.ts'

/** Maximum number of unprocessed messages before reading pauses. */
const MAX_QUEUED_MESSAGES = 1_000
/** Maximum number of bytes buffered for a server to read. */
const MAX_STDIN_BUFFER_BYTES = 64 * 1024 * 1024

interface ConnectionHandler {
  /** Answers requests of the server. */
  onRequest(method: string, params: unknown): unknown
  onNotification(method: string, params: unknown): void
  /** The connection is unusable because of the server's output, or because it does not read. */
  onFatalError(why: string): void
}

/** Controls reading and writing; the protocol is implemented by the library. */
export class LspConnection {
  readonly #rpc: MessageConnection
  readonly #cancellation: () => { token: object; cancel(): void; dispose(): void }

  static async create(spawned: ChildHandle, ear: ConnectionHandler): Promise<LspConnection> {
    // Loaded for the first server, to keep the startup fast.
    const { default: rpc } = await import('vscode-jsonrpc/node')
    return new LspConnection(rpc, spawned, ear)
  }

  private constructor(rpc: typeof import('vscode-jsonrpc/node'), spawned: ChildHandle, ear: ConnectionHandler) {
    const reader = new BoundedMessageReader(spawned, ear)
    const messageStrategy = {
      handleMessage(message: Message, next: (message: Message) => void) {
        reader.markHandled()
        return next(message)
      }
    }
    this.#rpc = rpc.createMessageConnection(reader, new BoundedMessageWriter(spawned, ear), undefined, {
      messageStrategy
    })
    this.#cancellation = () => new rpc.CancellationTokenSource()
    this.#rpc.onRequest((method, params) => ear.onRequest(method, params) ?? null)
    this.#rpc.onNotification((method, params) => ear.onNotification(method, params))
    // The library does not count progress among the other notifications.
    this.#rpc.onUnhandledProgress(params => ear.onNotification('$/progress', params))
    this.#rpc.listen()
  }

  /** Rejects as soon as the signal aborts, or the connection has ended. */
  async request<T>(method: string, params: unknown, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted()
    const cancellation = this.#cancellation()
    const { promise, reject } = Promise.withResolvers<never>()
    const abort = () => {
      cancellation.cancel()
      reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    try {
      const answer = this.#rpc.sendRequest<T>(method, params, cancellation.token)
      // Prevents an unhandled rejection if the caller was already rejected.
      answer.catch(() => {})
      return await Promise.race([answer, promise])
    } finally {
      signal.removeEventListener('abort', abort)
      cancellation.dispose()
    }
  }

  notify(method: string, params: unknown) {
    this.#rpc.sendNotification(method, params).catch(() => {})
  }

  /** Rejects all in-flight requests. */
  close() {
    this.#rpc.dispose()
  }
}

const noopEvent = () => ({ dispose() {} })

/** Suppresses transport errors: those end the server. */
class SilentEndpoint {
  readonly onError = noopEvent as Event<never>
  readonly onClose = noopEvent as Event<never>
  readonly onPartialMessage = noopEvent as Event<never>
  dispose() {}
}

class BoundedMessageReader extends SilentEndpoint {
  readonly #spawned: ChildHandle
  readonly #handler: ConnectionHandler
  readonly #decoder = new FrameDecoder()
  #queued = 0
  #resume: (() => void) | undefined

  constructor(spawned: ChildHandle, ear: ConnectionHandler) {
    super()
    this.#spawned = spawned
    this.#handler = ear
  }

  listen(callback: DataCallback): Disposable {
    let over = false
    const take = (bytes: Uint8Array) => {
      if (over) return true
      try {
        for (const message of this.#decoder.push(bytes)) {
          this.#queued += 1
          callback(message as Message)
        }
      } catch (error) {
        over = true
        this.#handler.onFatalError((error as Error).message)
      }
      return this.#queued < MAX_QUEUED_MESSAGES
    }
    const socket = this.#spawned.read('stdout', take)
    this.#resume = () => socket.resume()
    return {
      dispose: () => {
        over = true
        socket.destroy()
      }
    }
  }

  markHandled() {
    this.#queued -= 1
    if (this.#queued === MAX_QUEUED_MESSAGES - 1) this.#resume?.()
  }
}

class BoundedMessageWriter extends SilentEndpoint {
  readonly #spawned: ChildHandle
  readonly #handler: ConnectionHandler

  constructor(spawned: ChildHandle, ear: ConnectionHandler) {
    super()
    this.#spawned = spawned
    this.#handler = ear
  }

  async write(message: Message): Promise<void> {
    const { stdin } = this.#spawned
    if (!stdin || stdin.destroyed) return
    stdin.write(encodeFrame(message))
    if (stdin.writableLength > MAX_STDIN_BUFFER_BYTES)
      this.#handler.onFatalError('stdin buffer full: the server is not reading.')
  }

  end() {}
}
