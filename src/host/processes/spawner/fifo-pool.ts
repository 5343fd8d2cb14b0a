// Pool of FIFOs between commands and the server. A FIFO gives a command a real pipe (a socket could not be reopened as
// /dev/stdout), by a name that both the helper and the server can open. FIFOs are created in batches and reused.
import { closeSync, constants, openSync, unlinkSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { ToolError } from '../../../errors.ts'

const BATCH = 8

export type ByteConsumer = (bytes: Uint8Array) => boolean

/** Maximum number of bytes per read. */
const READ_BYTES = 65_536

/** The server's end of a pipe that a command writes to. Must not be read before the command has opened its own end. */
export interface OutputPipe {
  path: string
  /**
   * Starts reading; the stream ends once no process holds the other end. With `take` the bytes are passed to it instead of
   * `data`, and are valid only until it returns; if it returns false, reading waits for the stream's `resume`.
   */
  read(take?: ByteConsumer): Socket
  /** Discards the pipe of a command that never started. */
  discard(): void
}

/** The server's end of a pipe that a command reads from. */
export interface InputPipe {
  path: string
  /** Writes the bytes and closes the pipe once they are read; destroying the returned socket closes it before. */
  write(bytes: string | Uint8Array): Socket
  /** Writes the bytes and leaves the pipe open for more; ending the returned socket closes it once everything is read. */
  open(bytes: string | Uint8Array): Socket
  discard(): void
}

interface PipeRequest {
  resolve(path: string): void
  reject(error: Error): void
  /** Its helper was lost before. */
  isRepeated: boolean
}

export class FifoPool {
  readonly #folder: string
  readonly #make: (paths: string[]) => void
  #free: string[] = []
  #created = 0
  #requested = 0
  #waiting: PipeRequest[] = []

  /** `make` creates FIFOs at the paths and has `onCreated` called once they exist. */
  constructor(folder: string, make: (paths: string[]) => void) {
    this.#folder = folder
    this.#make = make
  }

  async openOutput(): Promise<OutputPipe> {
    const path = this.#free.pop() ?? (await this.#next())
    const fd = this.#openFifo(path, constants.O_RDONLY)
    return { path, read: take => this.#reader(path, fd, take), discard: () => this.#discard(path, fd) }
  }

  async openInput(): Promise<InputPipe> {
    const path = this.#free.pop() ?? (await this.#next())
    // Opened for reading and writing, it neither waits for a reader nor fails without one.
    const fd = this.#openFifo(path, constants.O_RDWR)
    return {
      path,
      write: bytes => {
        const socket = this.#open(path, fd)
        socket.write(bytes, () => socket.destroy())
        return socket
      },
      open: bytes => {
        const socket = this.#open(path, fd)
        socket.once('finish', () => socket.destroy())
        if (bytes.length > 0) socket.write(bytes)
        return socket
      },
      discard: () => this.#discard(path, fd)
    }
  }

  /** Creates a first batch ahead of need. */
  prefill() {
    if (this.#created + this.#requested === 0) this.#requestBatch()
  }

  /** Called when the requested FIFOs exist, or could not be created. */
  onCreated(paths: string[], error: string | undefined) {
    if (error) {
      this.onFailed(paths, new ToolError('EXECUTION_ERROR', `No pipe could be created for the command: ${error}`))
      return
    }
    this.#requested -= paths.length
    for (const path of paths) this.#release(path)
  }

  onFailed(paths: string[], refusal: ToolError) {
    this.#requested -= paths.length
    for (const { reject } of this.#waiting.splice(0)) reject(refusal)
  }

  /** Requests to a helper that died will not be answered. They are repeated once, then refused. */
  onHelperLost(refusal: ToolError) {
    this.#requested = 0
    for (const { isRepeated, reject } of this.#waiting) if (isRepeated) reject(refusal)
    this.#waiting = this.#waiting.filter(({ isRepeated }) => !isRepeated)
    for (const request of this.#waiting) request.isRepeated = true
    if (this.#waiting.length > 0) this.#requestBatch()
  }

  #next(): Promise<string> {
    if (this.#requested <= this.#waiting.length) this.#requestBatch()
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject, isRepeated: false }))
  }

  #requestBatch() {
    const paths = Array.from({ length: BATCH }, () => join(this.#folder, String(this.#created++)))
    this.#requested += BATCH
    this.#make(paths)
  }

  #release(path: string) {
    const next = this.#waiting.shift()
    if (next) next.resolve(path)
    else this.#free.push(path)
  }

  #openFifo(path: string, access: number): number {
    try {
      return openSync(path, access | constants.O_NONBLOCK)
    } catch (error) {
      this.#unlink(path)
      throw error
    }
  }

  #reader(path: string, fd: number, take: ByteConsumer | undefined) {
    // One shared buffer: megabytes of output leave nothing to the garbage collector.
    const onread = take && {
      buffer: Buffer.allocUnsafeSlow(READ_BYTES),
      callback: (length: number, buffer: Uint8Array) => take(buffer.subarray(0, length))
    }
    const socket = new Socket({ fd, readable: true, writable: false, ...(onread && { onread }) })
    let ended = false
    socket.once('end', () => {
      ended = true
    })
    // A reset or bad descriptor ends the stream; what came before counts.
    socket.on('error', () => {})
    // A FIFO whose other end may still be held would mix two commands' output.
    socket.once('close', () => (ended ? this.#release(path) : this.#unlink(path)))
    return socket
  }

  #open(path: string, fd: number) {
    const socket = new Socket({ fd, readable: false, writable: true })
    socket.on('error', () => {})
    socket.once('close', () => this.#unlink(path))
    return socket
  }

  #discard(path: string, fd: number) {
    closeSync(fd)
    this.#unlink(path)
  }

  #unlink(path: string) {
    try {
      unlinkSync(path)
    } catch {
      // The folder may already be gone at the server's shutdown.
    }
  }
}
