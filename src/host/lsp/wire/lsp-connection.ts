// Requests and notifications between us and one language server, over its pipes. What it prints is read within bounds, and
// nothing that it asks stays without an answer.
import type { DataCallback, Disposable, Event, Message, MessageConnection } from 'vscode-jsonrpc/node'
import type { Spawned } from '../../processes/spawner/child-handle.ts'
import { Frames, framed } from './frames.ts'

/** So many messages may wait to be dealt with before no more are read. */
const MOST_WAITING = 1_000
/** What may wait for a server to read it. */
const MOST_UNREAD_BYTES = 64 * 1024 * 1024

interface Ear {
  /** Answers what the server asks. */
  asked(method: string, params: unknown): unknown
  told(method: string, params: unknown): void
  /** It cannot be spoken with any more, for what it printed or did not read. */
  broken(why: string): void
}

/** What is sent and read in what way; the rest of it is the library's. */
export class Connection {
  readonly #rpc: MessageConnection
  readonly #cancellation: () => { token: object; cancel(): void; dispose(): void }

  static async over(spawned: Spawned, ear: Ear): Promise<Connection> {
    // It is needed by the first server, and not by a start of ours.
    const { default: rpc } = await import('vscode-jsonrpc/node')
    return new Connection(rpc, spawned, ear)
  }

  private constructor(rpc: typeof import('vscode-jsonrpc/node'), spawned: Spawned, ear: Ear) {
    const reader = new Reader(spawned, ear)
    const messageStrategy = {
      handleMessage(message: Message, next: (message: Message) => void) {
        reader.dealtWith()
        return next(message)
      }
    }
    this.#rpc = rpc.createMessageConnection(reader, new Writer(spawned, ear), undefined, { messageStrategy })
    this.#cancellation = () => new rpc.CancellationTokenSource()
    this.#rpc.onRequest((method, params) => ear.asked(method, params) ?? null)
    this.#rpc.onNotification((method, params) => ear.told(method, params))
    this.#rpc.listen()
  }

  /** Rejects as soon as the signal says so, or the connection is over. */
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
      // Whoever has been told already waits no longer.
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

  /** Rejects all that is still asked. */
  close() {
    this.#rpc.dispose()
  }
}

const never = () => ({ dispose() {} })

/** Nothing is told of faults in its way: those end the server. */
class Faultless {
  readonly onError = never as Event<never>
  readonly onClose = never as Event<never>
  readonly onPartialMessage = never as Event<never>
  dispose() {}
}

class Reader extends Faultless {
  readonly #spawned: Spawned
  readonly #ear: Ear
  readonly #frames = new Frames()
  #waiting = 0
  #resume: (() => void) | undefined

  constructor(spawned: Spawned, ear: Ear) {
    super()
    this.#spawned = spawned
    this.#ear = ear
  }

  listen(callback: DataCallback): Disposable {
    let over = false
    const take = (bytes: Uint8Array) => {
      if (over) return true
      try {
        for (const message of this.#frames.push(bytes)) {
          this.#waiting += 1
          callback(message as Message)
        }
      } catch (error) {
        over = true
        this.#ear.broken((error as Error).message)
      }
      return this.#waiting < MOST_WAITING
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

  dealtWith() {
    this.#waiting -= 1
    if (this.#waiting === MOST_WAITING - 1) this.#resume?.()
  }
}

class Writer extends Faultless {
  readonly #spawned: Spawned
  readonly #ear: Ear

  constructor(spawned: Spawned, ear: Ear) {
    super()
    this.#spawned = spawned
    this.#ear = ear
  }

  async write(message: Message): Promise<void> {
    const { stdin } = this.#spawned
    if (!stdin || stdin.destroyed) return
    stdin.write(framed(message))
    if (stdin.writableLength > MOST_UNREAD_BYTES) this.#ear.broken('It reads nothing of what it is told.')
  }

  end() {}
}
